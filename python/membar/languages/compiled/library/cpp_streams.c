/* std::cout, std::cerr and std::clog: what is written there is read, and then gone. */
#include "cpp.h"

size_t strlen(const char *text);
struct stream;
char _ZSt4cout[288], _ZSt4cerr[288], _ZSt4clog[288]; /* larger than the streams of libstdc++ */
char _ZNSt3__14coutE[176], _ZNSt3__14cerrE[176], _ZNSt3__14clogE[176];

/// _ZNSt8ios_base4InitC1Ev, _ZNSt8ios_base4InitD1Ev: The beginning and the end of these streams.
void _ZNSt8ios_base4InitC1Ev(void *self) {}
void _ZNSt8ios_base4InitD1Ev(void *self) {}

static inline void *written(void *self)
{
    if (self != _ZSt4cout && self != _ZSt4cerr && self != _ZSt4clog && self != _ZNSt3__14coutE && self != _ZNSt3__14cerrE && self != _ZNSt3__14clogE)
        __membar_cut("what is written to a stream other than `std::cout`, `std::cerr` and `std::clog`");
    return self;
}
static inline void *with_text(void *self, const char *text)
{
    __membar_use((long long)strlen(text));
    return written(self);
}
static inline void *with_characters(void *self, const char *text, size_t length)
{
    for (size_t at = 0; at < length; at++)
        __membar_use(text[at]);
    return written(self);
}

/// _ZNSolsEb, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEb, _ZNSolsEs, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEs, _ZNSolsEt, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEt, _ZNSolsEi, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEi, _ZNSolsEj, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEj, _ZNSolsEl, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEl, _ZNSolsEm, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEm, _ZNSolsEx, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEx, _ZNSolsEy, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEy, _ZNSolsEf, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEf, _ZNSolsEd, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEd, _ZNSolsEPKv, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEPKv: `<<` of numbers and pointers.
void *_ZNSolsEb(void *self, _Bool value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEb(void *self, _Bool value) { return written(self); }
void *_ZNSolsEs(void *self, short value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEs(void *self, short value) { return written(self); }
void *_ZNSolsEt(void *self, unsigned short value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEt(void *self, unsigned short value) { return written(self); }
void *_ZNSolsEi(void *self, int value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEi(void *self, int value) { return written(self); }
void *_ZNSolsEj(void *self, unsigned value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEj(void *self, unsigned value) { return written(self); }
void *_ZNSolsEl(void *self, long value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEl(void *self, long value) { return written(self); }
void *_ZNSolsEm(void *self, unsigned long value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEm(void *self, unsigned long value) { return written(self); }
void *_ZNSolsEx(void *self, long long value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEx(void *self, long long value) { return written(self); }
void *_ZNSolsEy(void *self, unsigned long long value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEy(void *self, unsigned long long value) { return written(self); }
void *_ZNSolsEf(void *self, float value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEf(void *self, float value) { return written(self); }
void *_ZNSolsEd(void *self, double value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEd(void *self, double value) { return written(self); }
void *_ZNSolsEPKv(void *self, const void *value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEElsEPKv(void *self, const void *value) { return written(self); }

/// _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, _ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE, _ZNSo3putEc, _ZNSo5writeEPKcl, _ZNSt3__124__put_character_sequence, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE3putEc, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE5writeEPKcl: `<<` of characters and strings, `put` and `write`: read what they write.
void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *self, const char *text) { return with_text(self, text); }
void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c(void *self, char value) { return written(self); }
struct string {
    const char *text;
    size_t length;
};
void *_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(void *self, const struct string *string) { return with_characters(self, string->text, string->length); }
void *_ZNSo3putEc(void *self, char value) { return written(self); }
void *_ZNSo5writeEPKcl(void *self, const char *text, long length) { return with_characters(self, text, (size_t)length); }
void *_ZNSt3__124__put_character_sequence(void *self, const char *text, size_t length) { return with_characters(self, text, length); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE3putEc(void *self, char value) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE5writeEPKcl(void *self, const char *text, long length) { return with_characters(self, text, (size_t)length); }

/// _ZNSolsEPFRSoS_E, _ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_, _ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_, _ZNSo5flushEv, _ZNSt3__14endl, _ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE5flushEv: `std::endl`, `std::flush` and the like.
void *_ZNSolsEPFRSoS_E(void *self, void *(*manipulator)(void *stream)) { return manipulator(self); }
void *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *self) { return written(self); }
void *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *self) { return written(self); }
void *_ZNSo5flushEv(void *self) { return written(self); }
void *_ZNSt3__14endl(void *self) { return written(self); }
void *_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE5flushEv(void *self) { return written(self); }
