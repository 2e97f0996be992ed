/* The environment: output, time, random numbers. An unknown number takes only a few values (0 or 1) if anything
   depends on it; executions with other values are truncated. */
#include "membar.h"

static long long number(void) { return __membar_input(0, 1); }

static char console[3];
void *stdin = &console[0], *stdout = &console[1], *stderr = &console[2];

/// printf, fprintf, dprintf, vprintf, vfprintf, __printf_chk, __fprintf_chk, puts, fputs, putchar, putc, fputc, _IO_putc, fwrite, perror, fflush, write, putchar_unlocked, warn, warnx, syslog: Prints nothing. A text is read up to its end, also that of a `%s` argument; executions with a text of more than 64 characters (32, if it is not known which object contains it) are truncated. Where it is not known what is read (by `fwrite`, `write`, a format that is not constant, or arguments in a `va_list`), `memory` and `races` hold only in part. The return value is an unknown number.
int printf(const char *format, ...) { return (int)number(); }
int fprintf(void *file, const char *format, ...) { return (int)number(); }
int dprintf(int file, const char *format, ...) { return (int)number(); }
int __printf_chk(int flag, const char *format, ...) { return (int)number(); }
int __fprintf_chk(void *file, int flag, const char *format, ...) { return (int)number(); }
int vprintf(const char *format, void *arguments) { return (int)number(); }
int vfprintf(void *file, const char *format, void *arguments) { return (int)number(); }
int puts(const char *text) { return (int)number(); }
int fputs(const char *text, void *file) { return (int)number(); }
int putchar(int character) { return character; }
int putchar_unlocked(int character) { return character; }
int putc(int character, void *file) { return character; }
int fputc(int character, void *file) { return character; }
int _IO_putc(int character, void *file) { return character; }
size_t fwrite(const void *memory, size_t size, size_t count, void *file) { return (size_t)number(); }
ssize_t write(int file, const void *memory, size_t size) { return (ssize_t)number(); }
void perror(const char *text) {}
void warn(const char *format, ...) {}
void warnx(const char *format, ...) {}
void syslog(int priority, const char *format, ...) {}
int fflush(void *file) { return 0; }

/// setbuf, setvbuf, setlocale, alarm, madvise, mlock, munlock, mlockall, munlockall, prctl, openlog, closelog: Does nothing.
int mlock(const void *memory, size_t size) { return 0; }
int munlock(const void *memory, size_t size) { return 0; }
int mlockall(int flags) { return 0; }
int munlockall(void) { return 0; }
int prctl(int option, ...) { return 0; }
void openlog(const char *name, int options, int facility) {}
void closelog(void) {}
unsigned alarm(unsigned seconds) { return 0; }
int madvise(void *memory, size_t size, int advice) { return 0; }
void setbuf(void *file, char *buffer) {}
int setvbuf(void *file, char *buffer, int mode, size_t size) { return 0; }
char *setlocale(int category, const char *locale) { return (char *)"C"; }

/// snprintf, vsnprintf, strftime, sprintf, vsprintf, __snprintf_chk, __vsnprintf_chk, __sprintf_chk: Plain writes of unknown text, at least as long as the format requires. Whether a longer text fits is not checked: `memory` then holds only in part. Neither are races on the end of text that other threads can access. An execution that reads the text, or uses its length, is not followed further: the answer is UNKNOWN.
static int length(void) { return (int)__membar_unknown(); }
int snprintf(char *text, size_t size, const char *format, ...) { return length(); }
int vsnprintf(char *text, size_t size, const char *format, void *arguments) { return length(); }
int __snprintf_chk(char *text, size_t size, int flag, size_t room, const char *format, ...) { return length(); }
int __vsnprintf_chk(char *text, size_t size, int flag, size_t room, const char *format, void *arguments) { return length(); }
size_t strftime(char *text, size_t size, const char *format, const void *date) { return (size_t)length(); }
int sprintf(char *text, const char *format, ...) { return length(); }
int vsprintf(char *text, const char *format, void *arguments) { return length(); }
int __sprintf_chk(char *text, int flag, size_t room, const char *format, ...) { return length(); }

/// getchar, getc, fgetc: An unknown character, or the end of the file.
int getchar(void) { return (int)number() - 1; }
int getc(void *file) { return (int)number() - 1; }
int fgetc(void *file) { return (int)number() - 1; }

/// scanf, fscanf, __isoc99_scanf, __isoc99_fscanf, __isoc23_scanf, __isoc23_fscanf: The end of the file; executions in which something is read are truncated.
static int scan(void)
{
    if (__membar_input(0, 1))
        __membar_cut("what is read from a file");
    return -1;
}
int scanf(const char *format, ...) { return scan(); }
int fscanf(void *file, const char *format, ...) { return scan(); }
int __isoc99_scanf(const char *format, ...) { return scan(); }
int __isoc99_fscanf(void *file, const char *format, ...) { return scan(); }
int __isoc23_scanf(const char *format, ...) { return scan(); }
int __isoc23_fscanf(void *file, const char *format, ...) { return scan(); }

/// sscanf, __isoc99_sscanf, __isoc23_sscanf: Executions in which it is called are truncated.
int sscanf(const char *text, const char *format, ...) { __membar_cut("numbers that are read from text"); }
int __isoc99_sscanf(const char *text, const char *format, ...) { __membar_cut("numbers that are read from text"); }
int __isoc23_sscanf(const char *text, const char *format, ...) { __membar_cut("numbers that are read from text"); }

/// poll: Without files, waits; executions in which files are polled are truncated.
int poll(void *files, unsigned long count, int milliseconds)
{
    if (count)
        __membar_cut("events of files");
    return 0;
}

/// fopen, freopen, fclose, fgets, fread, read, open, close: Opening fails, and reading finds the end of the file; other executions are truncated.
void *fopen(const char *name, const char *mode)
{
    if (__membar_input(0, 1))
        __membar_cut("files that can be opened");
    return NULL;
}
void *freopen(const char *name, const char *mode, void *file) { return fopen(name, mode); }
int fclose(void *file) { return 0; }
char *fgets(char *text, int size, void *file)
{
    if (__membar_input(0, 1))
        __membar_cut("text that is read from a file");
    return NULL;
}
size_t fread(void *memory, size_t size, size_t count, void *file)
{
    if (__membar_input(0, 1))
        __membar_cut("what is read from a file");
    return 0;
}
ssize_t read(int file, void *memory, size_t size)
{
    if (__membar_input(0, 1))
        __membar_cut("what is read from a file");
    return 0;
}
int open(const char *name, int flags, ...)
{
    if (__membar_input(0, 1))
        __membar_cut("files that can be opened");
    return -1;
}
int close(int file) { return 0; }

/// time, clock, clock_gettime, clock_getres, gettimeofday, timespec_get: The time is an unknown number; it need not increase.
struct seconds {
    long whole;
    long part;
};
long time(long *now)
{
    long found = (long)number();
    if (now)
        *now = found;
    return found;
}
long clock(void) { return (long)number(); }
int clock_gettime(int clock, struct seconds *now)
{
    now->whole = (long)number();
    now->part = (long)number() * 999999999;
    return 0;
}
int clock_getres(int clock, struct seconds *resolution)
{
    if (resolution) {
        resolution->whole = 0;
        resolution->part = 1;
    }
    return 0;
}
int gettimeofday(struct seconds *now, void *zone)
{
    now->whole = (long)number();
    now->part = (long)number() * 999999;
    return 0;
}
int timespec_get(struct seconds *now, int base)
{
    clock_gettime(0, now);
    return base;
}

/// gnu_get_libc_version: The text "2.36".
const char *gnu_get_libc_version(void) { return "2.36"; }

/// rand, rand_r, random, lrand48, mrand48: An unknown number.
int rand(void) { return (int)number(); }
int rand_r(unsigned *seed) { return (int)number(); }
long random(void) { return (long)number(); }
long lrand48(void) { return (long)number(); }
long mrand48(void) { return (long)number(); }

/// srand, srandom, srand48: Does nothing.
void srand(unsigned seed) {}
void srandom(unsigned seed) {}
void srand48(long seed) {}

/// localtime, gmtime, localtime_r, gmtime_r, mktime, timegm: A date of unknown numbers; `localtime` and `gmtime` write it into one variable for all threads.
struct date {
    int parts[9];
    long offset;
    const char *zone;
};
static struct date *fill(const long *time, struct date *date)
{
    __membar_use(*time);
    for (int i = 0; i < 9; i++)
        date->parts[i] = (int)number();
    date->offset = 0;
    date->zone = "UTC";
    return date;
}
static struct date date_of_process;
struct date *localtime(const long *time) { return fill(time, &date_of_process); }
struct date *gmtime(const long *time) { return fill(time, &date_of_process); }
struct date *localtime_r(const long *time, struct date *date) { return fill(time, date); }
struct date *gmtime_r(const long *time, struct date *date) { return fill(time, date); }
long mktime(struct date *date) { return (long)number(); }
long timegm(struct date *date) { return (long)number(); }

/// getenv, secure_getenv: No variable is set; executions in which one is are truncated.
char *getenv(const char *name)
{
    if (__membar_input(0, 1))
        __membar_cut("variables of the environment");
    return NULL;
}
char *secure_getenv(const char *name) { return getenv(name); }

/// sysconf, __sysconf, getpid, getppid, gettid, getpagesize, get_nprocs, get_nprocs_conf, sched_get_priority_min, sched_get_priority_max: An unknown number; there are one or two processors, and pages have 4096 bytes.
long sysconf(int name)
{
    switch (name) {
    case 30: /* _SC_PAGESIZE */
        return 4096;
    case 83: /* _SC_NPROCESSORS_CONF */
    case 84: /* _SC_NPROCESSORS_ONLN */
        return (long)number() + 1;
    default:
        return (long)number();
    }
}
long __sysconf(int name) { return sysconf(name); }
int sched_get_priority_min(int policy) { return (int)number(); }
int sched_get_priority_max(int policy) { return (int)number() + 1; }
int getpid(void) { return 1; }
int getppid(void) { return 0; }
int gettid(void) { return (int)__membar_self() + 1; }
int getpagesize(void) { return 4096; }
int get_nprocs(void) { return (int)number() + 1; }
int get_nprocs_conf(void) { return (int)number() + 1; }

/// signal, sigaction: Executions in which a handled signal arrives are truncated.
static void set_handler(const void *handler)
{
    if (handler != NULL && handler != (void *)1 && __membar_choose(0, 1)) /* neither SIG_DFL nor SIG_IGN */
        __membar_cut("signals");
}
void *signal(int number, void *handler)
{
    set_handler(handler);
    return NULL;
}
int sigaction(int number, const void *action, void *old)
{
    if (action)
        set_handler(*(const void *const *)action);
    return 0;
}

/// sigemptyset, sigfillset, sigaddset, sigprocmask, pthread_sigmask: Does nothing.
int sigemptyset(void *set) { return 0; }
int sigfillset(void *set) { return 0; }
int sigaddset(void *set, int number) { return 0; }
int sigprocmask(int how, const void *set, void *old) { return 0; }
int pthread_sigmask(int how, const void *set, void *old) { return 0; }
