/* Division of integers of 128 bits, by digits of 32 bits (Knuth's algorithm D). What is divided by is checked by the
   divisions of 64 bits that it consists of. */
#include "membar.h"
#ifdef __SIZEOF_INT128__ /* targets of 32 bits have no such integers */

typedef unsigned long long word;
typedef unsigned __int128 wide;
typedef __int128 signed_wide;

enum { WORD = 64, DIGIT = 32 };
#define LOW(number) ((number) & 0xffffffffULL)

/* One digit of the quotient: `high` and the digit `next`, divided by `by`, of which the highest bit is set. */
static word digit(word high, word next, word by)
{
    word first = by >> DIGIT, second = LOW(by);
    word found = high / first, rest = high % first;
    for (int i = 0; i < 2; i++)
        if (rest >> DIGIT == 0 && (found >> DIGIT || found * second > ((rest << DIGIT) | next))) {
            found--;
            rest += first;
        }
    return found;
}

/* The quotient of a number of 128 bits and one of 64, where the quotient has 64 bits: high < by. */
static word divide_by_word(word high, word low, word by)
{
    int shift = __builtin_clzll(by);
    by <<= shift;
    high = shift ? (high << shift) | (low >> (WORD - shift)) : high;
    low <<= shift;
    word upper = digit(high, low >> DIGIT, by);
    word rest = ((high << DIGIT) | (low >> DIGIT)) - upper * by;
    return (upper << DIGIT) + digit(rest, LOW(low), by);
}

/// __udivti3, __umodti3, __divti3, __modti3: What the compiler calls to divide integers of 128 bits.
wide __udivti3(wide number, wide by)
{
    word high = (word)(number >> WORD), low = (word)number;
    if (by >> WORD == 0) {
        word upper = high / (word)by;
        return ((wide)upper << WORD) | divide_by_word(high % (word)by, low, (word)by);
    }
    if (number < by)
        return 0;
    int shift = __builtin_clzll((word)(by >> WORD));
    word found = divide_by_word(high >> 1, (word)(number >> 1), (word)((by << shift) >> WORD));
    found = (word)(((wide)found << shift) >> (WORD - 1));
    if (found)
        found--;
    return found + (number - found * by >= by);
}

wide __umodti3(wide number, wide by) { return number - __udivti3(number, by) * by; }

static wide magnitude(signed_wide number) { return number < 0 ? -(wide)number : (wide)number; }

signed_wide __divti3(signed_wide number, signed_wide by)
{
    __membar_check(!((wide)number == (wide)1 << 127 && by == -1), "memory", "the result of `/` does not fit its type");
    wide found = __udivti3(magnitude(number), magnitude(by));
    return (signed_wide)((number < 0) != (by < 0) ? -found : found);
}

signed_wide __modti3(signed_wide number, signed_wide by)
{
    __membar_check(!((wide)number == (wide)1 << 127 && by == -1), "memory", "the result of `%` does not fit its type");
    wide found = __umodti3(magnitude(number), magnitude(by));
    return (signed_wide)(number < 0 ? -found : found);
}
#endif
