/* <string.h>, <strings.h>, <ctype.h> and the pure functions of <stdlib.h>: character by character, in the
   locale of C. */
#include "membar.h"

/// memcpy, memmove, memset, mempcpy, bzero, explicit_bzero: Plain accesses. That the areas of `memcpy` do not overlap is checked.
void *memcpy(void *target, const void *source, size_t size) { return __builtin_memcpy(target, source, size); }
void *memmove(void *target, const void *source, size_t size) { return __builtin_memmove(target, source, size); }
void *memset(void *target, int byte, size_t size) { return __builtin_memset(target, byte, size); }
void *mempcpy(void *target, const void *source, size_t size)
{
    __builtin_memcpy(target, source, size);
    return (char *)target + size;
}
void bzero(void *target, size_t size) { __builtin_memset(target, 0, size); }
void explicit_bzero(void *target, size_t size) { __builtin_memset(target, 0, size); }

/// __memcpy_chk, __memmove_chk, __memset_chk, __strcpy_chk, __strcat_chk, __strncpy_chk: Like the functions without `_chk`; the bounds are checked anyway.
char *strcpy(char *target, const char *source);
char *strcat(char *target, const char *source);
char *strncpy(char *target, const char *source, size_t most);
void *__memcpy_chk(void *target, const void *source, size_t size, size_t room) { return __builtin_memcpy(target, source, size); }
void *__memmove_chk(void *target, const void *source, size_t size, size_t room) { return __builtin_memmove(target, source, size); }
void *__memset_chk(void *target, int byte, size_t size, size_t room) { return __builtin_memset(target, byte, size); }
char *__strcpy_chk(char *target, const char *source, size_t room) { return strcpy(target, source); }
char *__strcat_chk(char *target, const char *source, size_t room) { return strcat(target, source); }
char *__strncpy_chk(char *target, const char *source, size_t most, size_t room) { return strncpy(target, source, most); }

/// memcpy_s, memmove_s, memset_s: Plain accesses; where the source is missing or does not fit, the target is filled with zeros.
static int copy_within(void *target, size_t room, const void *source, size_t size)
{
    if (!target)
        return EINVAL;
    if (!source || size > room) {
        __builtin_memset(target, 0, room);
        return !source ? EINVAL : ERANGE;
    }
    __builtin_memmove(target, source, size);
    return 0;
}
int memcpy_s(void *target, size_t room, const void *source, size_t size)
{
    uintptr_t to = (uintptr_t)target, from = (uintptr_t)source;
    if (target && source && size <= room && (to < from ? to + size > from : from + size > to)) {
        __builtin_memset(target, 0, room);
        return EINVAL;
    }
    return copy_within(target, room, source, size);
}
int memmove_s(void *target, size_t room, const void *source, size_t size) { return copy_within(target, room, source, size); }
int memset_s(void *target, size_t room, int byte, size_t size)
{
    if (!target)
        return EINVAL;
    __builtin_memset(target, byte, size < room ? size : room);
    return size > room ? ERANGE : 0;
}

/// memcmp, bcmp, memchr, memrchr: Reads only as many bytes as it must.
int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;
    for (size_t at = 0; at < size; at++)
        if (a[at] != b[at])
            return a[at] < b[at] ? -1 : 1;
    return 0;
}
int bcmp(const void *left, const void *right, size_t size) { return memcmp(left, right, size); }
void *memchr(const void *memory, int byte, size_t size)
{
    const unsigned char *at = memory;
    for (; size; size--, at++)
        if (*at == (unsigned char)byte)
            return (void *)at;
    return NULL;
}
void *memrchr(const void *memory, int byte, size_t size)
{
    const unsigned char *at = (const unsigned char *)memory + size;
    while (size--)
        if (*--at == (unsigned char)byte)
            return (void *)at;
    return NULL;
}

/// strlen, strnlen, strcmp, strncmp, strcasecmp, strncasecmp, strcoll: Plain reads, up to the first 0.
size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
size_t strnlen(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return length;
}
int strncmp(const char *left, const char *right, size_t most)
{
    for (size_t at = 0; at < most; at++) {
        unsigned char a = (unsigned char)left[at], b = (unsigned char)right[at];
        if (a != b)
            return a < b ? -1 : 1;
        if (a == 0 || b == 0) // the same, but one of them may be a constant, which ends the loop
            return 0;
    }
    return 0;
}
int strcmp(const char *left, const char *right)
{
    for (size_t at = 0;; at++) {
        unsigned char a = (unsigned char)left[at], b = (unsigned char)right[at];
        if (a != b)
            return a < b ? -1 : 1;
        if (a == 0 || b == 0)
            return 0;
    }
}
int strcoll(const char *left, const char *right) { return strcmp(left, right); }
int tolower(int c);
int strncasecmp(const char *left, const char *right, size_t most)
{
    for (size_t at = 0; at < most; at++) {
        int a = tolower((unsigned char)left[at]), b = tolower((unsigned char)right[at]);
        if (a != b)
            return a < b ? -1 : 1;
        if (a == 0 || b == 0)
            return 0;
    }
    return 0;
}
int strcasecmp(const char *left, const char *right)
{
    for (size_t at = 0;; at++) {
        int a = tolower((unsigned char)left[at]), b = tolower((unsigned char)right[at]);
        if (a != b)
            return a < b ? -1 : 1;
        if (a == 0 || b == 0)
            return 0;
    }
}

/// strcpy, stpcpy, strncpy, strcat, strncat: Plain accesses.
char *stpcpy(char *target, const char *source)
{
    while ((*target = *source)) {
        target++;
        source++;
    }
    return target;
}
char *strcpy(char *target, const char *source)
{
    stpcpy(target, source);
    return target;
}
char *strncpy(char *target, const char *source, size_t most)
{
    size_t at = 0;
    for (; at < most && source[at]; at++)
        target[at] = source[at];
    for (; at < most; at++)
        target[at] = 0;
    return target;
}
char *strcat(char *target, const char *source)
{
    stpcpy(target + strlen(target), source);
    return target;
}
char *strncat(char *target, const char *source, size_t most)
{
    char *end = target + strlen(target);
    while (most-- && *source)
        *end++ = *source++;
    *end = 0;
    return target;
}

/// strchr, strrchr, strchrnul, index, rindex, strstr, strspn, strcspn, strpbrk: Plain reads.
char *strchrnul(const char *text, int character)
{
    while (*text && *text != (char)character)
        text++;
    return (char *)text;
}
char *strchr(const char *text, int character)
{
    char *found = strchrnul(text, character);
    return *found == (char)character ? found : NULL;
}
char *strrchr(const char *text, int character)
{
    const char *found = NULL;
    do {
        if (*text == (char)character)
            found = text;
    } while (*text++);
    return (char *)found;
}
char *index(const char *text, int character) { return strchr(text, character); }
char *rindex(const char *text, int character) { return strrchr(text, character); }
char *strstr(const char *text, const char *part)
{
    for (;; text++) {
        size_t at = 0;
        while (part[at] && text[at] == part[at])
            at++;
        if (!part[at])
            return (char *)text;
        if (!*text)
            return NULL;
    }
}
static size_t span(const char *text, const char *set, _Bool wanted)
{
    size_t length = 0;
    while (text[length] && (strchr(set, text[length]) != NULL) == wanted)
        length++;
    return length;
}
size_t strspn(const char *text, const char *set) { return span(text, set, 1); }
size_t strcspn(const char *text, const char *set) { return span(text, set, 0); }
char *strpbrk(const char *text, const char *set)
{
    text += span(text, set, 0);
    return *text ? (char *)text : NULL;
}

/// strtok, strtok_r, strsep: Plain accesses; `strtok` keeps its place in one variable for all threads.
char *strtok_r(char *text, const char *set, char **rest)
{
    char *start = text ? text : *rest;
    start += span(start, set, 1);
    char *end = start + span(start, set, 0);
    *rest = end;
    if (*end)
        *(*rest)++ = 0;
    return end == start ? NULL : start;
}
char *strtok(char *text, const char *set)
{
    static char *rest;
    return strtok_r(text, set, &rest);
}
char *strsep(char **text, const char *set)
{
    char *start = *text;
    if (!start)
        return NULL;
    char *end = start + span(start, set, 0);
    *text = NULL;
    if (*end) {
        *end = 0;
        *text = end + 1;
    }
    return start;
}

/// strdup, strndup: Never fails.
static char *duplicate(const char *text, size_t length)
{
    char *copy = __membar_allocate((long long)length + 1, 0);
    __builtin_memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}
char *strdup(const char *text) { return duplicate(text, strlen(text)); }
char *strndup(const char *text, size_t most) { return duplicate(text, strnlen(text, most)); }

/// strerror, strsignal: A fixed placeholder string.
char *strerror(int number) { return (char *)"an error"; }
char *strsignal(int number) { return (char *)"a signal"; }

/// isdigit, islower, isupper, isalpha, isalnum, isxdigit, isspace, isblank, iscntrl, isprint, isgraph, ispunct, toupper, tolower: The locale of C.
int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c | 32); }
int isalnum(int c) { return isdigit(c) || isalpha(c); }
int isxdigit(int c) { return isdigit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int isprint(int c) { return c >= 32 && c < 127; }
int isgraph(int c) { return c > 32 && c < 127; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int toupper(int c) { return islower(c) ? c - 32 : c; }
int tolower(int c) { return isupper(c) ? c + 32 : c; }

/// __ctype_b_loc: The table that glibc's macros of <ctype.h> use.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IS(bit) ((bit) < 8 ? (1 << (bit)) << 8 : (1 << (bit)) >> 8)
#else
#define IS(bit) (1 << (bit))
#endif
enum { UPPER = IS(0), LOWER = IS(1), ALPHA = IS(2), DIGIT = IS(3), HEX = IS(4), SPACE = IS(5), PRINT = IS(6), GRAPH = IS(7), BLANK = IS(8), CONTROL = IS(9), PUNCT = IS(10), ALNUM = IS(11) };
enum { SEEN = PRINT | GRAPH, LETTER = SEEN | ALPHA | ALNUM };
#define AT(first, last) [128 + (first)... 128 + (last)]
static const unsigned short kinds[384] = {
    AT(0, 8) = CONTROL, AT(9, 9) = CONTROL | SPACE | BLANK, AT(10, 13) = CONTROL | SPACE, AT(14, 31) = CONTROL,
    AT(' ', ' ') = SPACE | BLANK | PRINT, AT('!', '/') = SEEN | PUNCT, AT('0', '9') = SEEN | DIGIT | HEX | ALNUM,
    AT(':', '@') = SEEN | PUNCT, AT('A', 'F') = LETTER | UPPER | HEX, AT('G', 'Z') = LETTER | UPPER,
    AT('[', '`') = SEEN | PUNCT, AT('a', 'f') = LETTER | LOWER | HEX, AT('g', 'z') = LETTER | LOWER,
    AT('{', '~') = SEEN | PUNCT, AT(127, 127) = CONTROL,
};
static const unsigned short *const kinds_from_zero = kinds + 128;
const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&kinds_from_zero; }

/// abs, labs, llabs, atoi, atol, atoll, strtol, strtoul, strtoll, strtoull: Computed; for a number that does not fit, the largest or smallest one, and `errno` is ERANGE. `atoi` cuts that to an `int`, as glibc does.
int abs(int number) { return number < 0 ? -number : number; }
long labs(long number) { return number < 0 ? -number : number; }
long long llabs(long long number) { return number < 0 ? -number : number; }
static int digit_of(char c)
{
    if (isdigit(c))
        return c - '0';
    return isalpha(c) ? (c | 32) - 'a' + 10 : 99;
}
/* The absolute value of a number in a text; `limit`, and ERANGE, if it is larger. */
static unsigned long long read_number(const char *text, char **end, int base, _Bool *is_negative, unsigned long long limit)
{
    unsigned long long number = 0;
    const char *at = text, *last = text;
    _Bool is_large = 0;
    while (isspace(*at))
        at++;
    *is_negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && digit_of(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    if (*is_negative && limit != ~0ull && limit != (unsigned long)-1)
        limit++; /* of signed numbers */
    while (digit_of(*at) < base) {
        unsigned digit = (unsigned)digit_of(*at++);
        is_large |= number > (limit - digit) / (unsigned)base;
        number = number * (unsigned)base + digit;
        last = at;
    }
    if (end)
        *end = (char *)last;
    if (!is_large)
        return number;
    *__errno_location() = ERANGE;
    return limit;
}
unsigned long long strtoull(const char *text, char **end, int base)
{
    _Bool is_negative;
    unsigned long long number = read_number(text, end, base, &is_negative, ~0ull);
    return is_negative && number != ~0ull ? -number : number;
}
unsigned long strtoul(const char *text, char **end, int base)
{
    _Bool is_negative;
    unsigned long number = (unsigned long)read_number(text, end, base, &is_negative, (unsigned long)-1);
    return is_negative && number != (unsigned long)-1 ? -number : number;
}
long long strtoll(const char *text, char **end, int base)
{
    _Bool is_negative;
    unsigned long long number = read_number(text, end, base, &is_negative, ~0ull >> 1);
    return (long long)(is_negative ? -number : number);
}
long strtol(const char *text, char **end, int base)
{
    _Bool is_negative;
    unsigned long number = (unsigned long)read_number(text, end, base, &is_negative, (unsigned long)-1 >> 1);
    return (long)(is_negative ? -number : number);
}
int atoi(const char *text) { return (int)strtol(text, NULL, 10); }
long atol(const char *text) { return strtol(text, NULL, 10); }
long long atoll(const char *text) { return strtoll(text, NULL, 10); }

/// __isoc23_strtol, __isoc23_strtoul, __isoc23_strtoll, __isoc23_strtoull: Like the functions without `__isoc23_`; binary prefixes are not read.
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

/// bsearch, qsort: Call the comparison function as needed. `qsort` leaves elements that compare equal in any order, and `bsearch` finds any of those that are equal to the key.
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    const char *elements = base;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(key, elements + middle * size);
        if (order == 0) {
            size_t first = middle, last = middle;
            while (first > low && compare(key, elements + (first - 1) * size) == 0)
                first--;
            while (last + 1 < high && compare(key, elements + (last + 1) * size) == 0)
                last++;
            return (void *)(elements + (size_t)__membar_choose(first, last) * size);
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
/* Whether two numbers are the same: their order does not matter. Larger elements may have bytes that were never set. */
static inline _Bool is_same(const char *left, const char *right, size_t size)
{
    return size <= sizeof(int) && __builtin_memcmp(left, right, size) == 0;
}
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *first = base, kept[size ? size : 1];
    for (size_t end = 1; end < count; end++)
        for (size_t at = end; at > 0; at--) {
            char *right = first + at * size, *left = right - size;
            int order = compare(left, right);
            if (order < 0 || (order == 0 && (is_same(left, right, size) || __membar_choose(0, 1) == 0)))
                break;
            __builtin_memcpy(kept, left, size);
            __builtin_memcpy(left, right, size);
            __builtin_memcpy(right, kept, size);
        }
}

/// ffs, ffsl, ffsll: Computed.
int ffs(int bits) { return __builtin_ffs(bits); }
int ffsl(long bits) { return __builtin_ffsl(bits); }
int ffsll(long long bits) { return __builtin_ffsll(bits); }
