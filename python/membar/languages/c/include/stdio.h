#ifndef MEMBAR_STDIO_H
#define MEMBAR_STDIO_H
#include <stddef.h>
typedef struct _IO_FILE FILE;
#define stdin ((FILE *)0)
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)
#endif
