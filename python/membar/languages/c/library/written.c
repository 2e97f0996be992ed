/* Functions of the standard library, in C: a call puts the body in its place. Heads stand on one line. */

/* <stdlib.h> */

int abs(int number) { return number < 0 ? -number : number; }
long labs(long number) { return number < 0 ? -number : number; }
long long llabs(long long number) { return number < 0 ? -number : number; }

long atol(const char *text)
{
    long found = 0;
    int is_negative = 0;
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    if (*text == '-' || *text == '+')
        is_negative = *text++ == '-';
    while (*text >= '0' && *text <= '9')
        found = 10 * found + (*text++ - '0');
    return is_negative ? -found : found;
}

int atoi(const char *text) { return (int)atol(text); }

void *bsearch(const void *key, const void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
    unsigned long low = 0, high = count;
    while (low < high) {
        unsigned long middle = low + (high - low) / 2;
        const void *here = (const char *)base + middle * size;
        int order = compare(key, here);
        if (order == 0)
            return (void *)here;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return (void *)0;
}

/* <string.h> */

unsigned long strnlen(const char *text, unsigned long most)
{
    unsigned long found = 0;
    while (found < most && text[found])
        found++;
    return found;
}

char *strrchr(const char *text, int character)
{
    const char *found = (const char *)0;
    do {
        if (*text == (char)character)
            found = text;
    } while (*text++);
    return (char *)found;
}

char *strstr(const char *text, const char *part)
{
    for (;; text++) {
        unsigned long at = 0;
        while (part[at] && text[at] == part[at])
            at++;
        if (!part[at])
            return (char *)text;
        if (!*text)
            return (char *)0;
    }
}

char *strncat(char *target, const char *source, unsigned long most)
{
    char *end = target;
    while (*end)
        end++;
    while (most-- && *source)
        *end++ = *source++;
    *end = 0;
    return target;
}

void *memchr(const void *memory, int byte, unsigned long size)
{
    const unsigned char *at = memory;
    for (; size; size--, at++)
        if (*at == (unsigned char)byte)
            return (void *)at;
    return (void *)0;
}

/* <ctype.h>, in the locale of C */

int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
int isalnum(int c) { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }
int isxdigit(int c) { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int isprint(int c) { return c >= 32 && c < 127; }
int isgraph(int c) { return c > 32 && c < 127; }
int ispunct(int c) { return c > 32 && c < 127 && !isalnum(c); }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/* Bits, as GCC has them: of 0 some have no meaning. */

int __builtin_popcountl(unsigned long bits)
{
    bits = bits - (bits >> 1 & 0x5555555555555555ul);
    bits = (bits & 0x3333333333333333ul) + (bits >> 2 & 0x3333333333333333ul);
    bits = bits + (bits >> 4) & 0x0f0f0f0f0f0f0f0ful;
    return (int)(bits * 0x0101010101010101ul >> 56);
}

int __builtin_popcountll(unsigned long long bits) { return __builtin_popcountl(bits); }
int __builtin_popcount(unsigned int bits) { return __builtin_popcountl(bits); }
int __builtin_parity(unsigned int bits) { return __builtin_popcountl(bits) & 1; }
int __builtin_parityl(unsigned long bits) { return __builtin_popcountl(bits) & 1; }

int __builtin_ctzl(unsigned long bits)
{
    __membar_meaningful(bits != 0);
    return __builtin_popcountl((bits & -bits) - 1);
}

int __builtin_ctzll(unsigned long long bits) { return __builtin_ctzl(bits); }
int __builtin_ctz(unsigned int bits) { return __builtin_ctzl(bits); }

int __builtin_clzl(unsigned long bits)
{
    __membar_meaningful(bits != 0);
    bits |= bits >> 1;
    bits |= bits >> 2;
    bits |= bits >> 4;
    bits |= bits >> 8;
    bits |= bits >> 16;
    bits |= bits >> 32;
    return 64 - __builtin_popcountl(bits);
}

int __builtin_clzll(unsigned long long bits) { return __builtin_clzl(bits); }
int __builtin_clz(unsigned int bits) { return __builtin_clzl(bits) - 32; }
int __builtin_ffsl(long bits) { return bits ? __builtin_ctzl((unsigned long)bits) + 1 : 0; }
int __builtin_ffsll(long long bits) { return __builtin_ffsl(bits); }
int __builtin_ffs(int bits) { return bits ? __builtin_ctz((unsigned int)bits) + 1 : 0; }
int ffs(int bits) { return __builtin_ffs(bits); }
int ffsl(long bits) { return __builtin_ffsl(bits); }
unsigned short __builtin_bswap16(unsigned short word) { return (unsigned short)(word << 8 | word >> 8); }
unsigned int __builtin_bswap32(unsigned int word) { return word << 24 | (word << 8 & 0xff0000) | (word >> 8 & 0xff00) | word >> 24; }
unsigned long __builtin_bswap64(unsigned long word) { return (unsigned long)__builtin_bswap32((unsigned int)word) << 32 | __builtin_bswap32((unsigned int)(word >> 32)); }
