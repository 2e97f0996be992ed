/* Functions of floating-point numbers. The floating-point environment stays as it is. */
#include "membar.h"

#define NOT_COMPUTED __membar_cut("calculations with floating-point numbers")
/* A double from this one on has no fraction. */
#define WHOLE 0x1p52

/* An argument for which a function is not defined: whether `errno` says so is up to the implementation. */
static void domain_error_if(_Bool is_outside)
{
    if (is_outside && __membar_choose(0, 1))
        *__errno_location() = EDOM;
}

/// fabs, sqrt, fmod, trunc, floor, ceil, round, rint, nearbyint: Exact, or rounded to nearest. The square root of a negative number, and `fmod` of infinity or by 0, may set `errno` to EDOM.
double fabs(double x) { return __builtin_fabs(x); }
double sqrt(double x)
{
    domain_error_if(x < 0);
    return __builtin_sqrt(x);
}
double fmod(double x, double y)
{
    domain_error_if(y == 0 || x - x != x - x);
    return __builtin_fmod(x, y);
}
double trunc(double x)
{
    if (!(x > -WHOLE && x < WHOLE))
        return x;
    double whole = (double)(long long)x;
    return whole == 0 ? x * 0 : whole;
}
double floor(double x)
{
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}
double ceil(double x)
{
    double whole = trunc(x);
    return whole < x ? whole + 1 : whole;
}
double round(double x)
{
    double whole = trunc(x), fraction = x - whole;
    if (fraction >= 0.5)
        return whole + 1;
    return fraction <= -0.5 ? whole - 1 : whole;
}
double rint(double x)
{
    if (!(x > -WHOLE && x < WHOLE))
        return x;
    double large = x < 0 ? -WHOLE : WHOLE, whole = (x + large) - large;
    return whole == 0 ? x * 0 : whole;
}
double nearbyint(double x) { return rint(x); }

/// fmin, fmax: Executions in which the arguments are zeros of different signs are truncated.
double fmin(double x, double y)
{
    if (x != x)
        return y;
    if (x == 0 && y == 0 && 1 / x != 1 / y)
        NOT_COMPUTED;
    return x < y || y != y ? x : y;
}
double fmax(double x, double y) { return -fmin(-x, -y); }

/// fabsf, sqrtf, fmodf, truncf, floorf, ceilf, roundf, rintf, nearbyintf, fminf, fmaxf: As for `double`.
float fabsf(float x) { return __builtin_fabsf(x); }
float sqrtf(float x)
{
    domain_error_if(x < 0);
    return __builtin_sqrtf(x);
}
float fmodf(float x, float y)
{
    domain_error_if(y == 0 || x - x != x - x);
    return __builtin_fmodf(x, y);
}
float truncf(float x) { return (float)trunc(x); }
float floorf(float x) { return (float)floor(x); }
float ceilf(float x) { return (float)ceil(x); }
float roundf(float x) { return (float)round(x); }
float rintf(float x) { return (float)rint(x); }
float nearbyintf(float x) { return (float)rint(x); }
float fminf(float x, float y) { return (float)fmin(x, y); }
float fmaxf(float x, float y) { return (float)fmax(x, y); }

/// pow, exp, log, log2, log10, sin, cos, tan: Executions in which it is called are truncated.
double pow(double x, double y) { NOT_COMPUTED; }
double exp(double x) { NOT_COMPUTED; }
double log(double x) { NOT_COMPUTED; }
double log2(double x) { NOT_COMPUTED; }
double log10(double x) { NOT_COMPUTED; }
double sin(double x) { NOT_COMPUTED; }
double cos(double x) { NOT_COMPUTED; }
double tan(double x) { NOT_COMPUTED; }

/// difftime: The difference in seconds.
double difftime(long last, long first) { return (double)(last - first); }
