/* Types that the compiler describes outside the program, `dynamic_cast`, and the placeholders of std::bind. */
#include "cpp.h"

struct type {
    const void *kind;
    const char *name;
};
/* The kinds of classes: without a base, with one, with several. */
extern char _ZTVN10__cxxabiv117__class_type_infoE[], _ZTVN10__cxxabiv120__si_class_type_infoE[];

const struct type _ZTIv = {NULL, "v"};
const struct type _ZTIb = {NULL, "b"};
const struct type _ZTIc = {NULL, "c"};
const struct type _ZTIa = {NULL, "a"};
const struct type _ZTIh = {NULL, "h"};
const struct type _ZTIs = {NULL, "s"};
const struct type _ZTIt = {NULL, "t"};
const struct type _ZTIi = {NULL, "i"};
const struct type _ZTIj = {NULL, "j"};
const struct type _ZTIl = {NULL, "l"};
const struct type _ZTIm = {NULL, "m"};
const struct type _ZTIx = {NULL, "x"};
const struct type _ZTIy = {NULL, "y"};
const struct type _ZTIf = {NULL, "f"};
const struct type _ZTId = {NULL, "d"};

char _ZNSt12placeholders2_1E, _ZNSt12placeholders2_2E, _ZNSt12placeholders2_3E;
char _ZNSt3__112placeholders2_1E, _ZNSt3__112placeholders2_2E, _ZNSt3__112placeholders2_3E;

struct type_with_base {
    const void *kind;
    const char *name;
    const struct type_with_base *base;
};

/// __dynamic_cast: `dynamic_cast`, of classes that have at most one base each; others are truncated.
void *__dynamic_cast(const void *object, const struct type_with_base *from, const struct type_with_base *to, long hint)
{
    void *const *functions = *(void *const *const *)object;
    const struct type_with_base *type = functions[-1];
    while (type != to) {
        if (type->kind == _ZTVN10__cxxabiv117__class_type_infoE + 2 * sizeof(void *))
            return NULL;
        if (type->kind != _ZTVN10__cxxabiv120__si_class_type_infoE + 2 * sizeof(void *))
            __membar_cut("`dynamic_cast` of a class with several bases");
        type = type->base;
    }
    return (char *)object + (long)functions[-2];
}
