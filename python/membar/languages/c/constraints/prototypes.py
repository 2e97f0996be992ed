"""The types of the library functions that membar knows, for files that do not declare them."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from pycparser import c_ast as ast
from pycparser.c_parser import CParser

from membar.languages.c.written import heads

_TEXT: Final = """
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
pthread_t pthread_self(void);
void pthread_exit(void *);
int pthread_equal(pthread_t, pthread_t);
int pthread_detach(pthread_t);
int pthread_yield(void);
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutex_timedlock(pthread_mutex_t *, const void *);
int thrd_create(thrd_t *, int (*)(void *), void *);
int thrd_join(thrd_t, int *);
thrd_t thrd_current(void);
void thrd_exit(int);
int thrd_equal(thrd_t, thrd_t);
int thrd_detach(thrd_t);
void thrd_yield(void);
int mtx_init(mtx_t *, int);
void mtx_destroy(mtx_t *);
int mtx_lock(mtx_t *);
int mtx_trylock(mtx_t *);
int mtx_unlock(mtx_t *);
int mtx_timedlock(mtx_t *, const void *);
int sched_yield(void);
int usleep(unsigned int);
unsigned int sleep(unsigned int);
void abort(void);
void exit(int);
void _Exit(int);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_range(int, int);
int printf(const char *, ...);
int puts(const char *);
int fprintf(FILE *, const char *, ...);
int fputs(const char *, FILE *);
int fflush(FILE *);
int putchar(int);
void perror(const char *);
void srand(unsigned int);
void *malloc(unsigned long);
void *calloc(unsigned long, unsigned long);
void *aligned_alloc(unsigned long, unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
int pthread_rwlock_init(pthread_rwlock_t *, const pthread_rwlockattr_t *);
int pthread_rwlock_destroy(pthread_rwlock_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *);
int pthread_rwlock_trywrlock(pthread_rwlock_t *);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *, const void *);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *, const void *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_spin_init(pthread_spinlock_t *, int);
int pthread_spin_destroy(pthread_spinlock_t *);
int pthread_spin_lock(pthread_spinlock_t *);
int pthread_spin_trylock(pthread_spinlock_t *);
int pthread_spin_unlock(pthread_spinlock_t *);
int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const void *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
int pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned int);
int pthread_barrier_destroy(pthread_barrier_t *);
int pthread_barrier_wait(pthread_barrier_t *);
int pthread_once(pthread_once_t *, void (*)(void));
void call_once(once_flag *, void (*)(void));
int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const void *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int cnd_init(cnd_t *);
void cnd_destroy(cnd_t *);
int cnd_wait(cnd_t *, mtx_t *);
int cnd_timedwait(cnd_t *, mtx_t *, const void *);
int cnd_signal(cnd_t *);
int cnd_broadcast(cnd_t *);
int pthread_key_create(unsigned int *, void (*)(void *));
int pthread_key_delete(unsigned int);
int pthread_setspecific(unsigned int, const void *);
void *pthread_getspecific(unsigned int);
int tss_create(unsigned int *, void (*)(void *));
void tss_delete(unsigned int);
int tss_set(unsigned int, void *);
void *tss_get(unsigned int);
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
int memcmp(const void *, const void *, unsigned long);
void *__builtin_memcpy(void *, const void *, unsigned long);
void *__builtin_memset(void *, int, unsigned long);
void reach_error();
void __VERIFIER_error();
void __sync_synchronize(void);
_Bool __VERIFIER_nondet_bool();
char __VERIFIER_nondet_char();
unsigned char __VERIFIER_nondet_uchar();
unsigned char __VERIFIER_nondet_u8();
short __VERIFIER_nondet_short();
unsigned short __VERIFIER_nondet_ushort();
unsigned short __VERIFIER_nondet_u16();
int __VERIFIER_nondet_int();
unsigned int __VERIFIER_nondet_uint();
unsigned int __VERIFIER_nondet_unsigned();
unsigned int __VERIFIER_nondet_unsigned_int();
unsigned int __VERIFIER_nondet_u32();
long __VERIFIER_nondet_long();
unsigned long __VERIFIER_nondet_ulong();
unsigned long __VERIFIER_nondet_size_t();
unsigned long __VERIFIER_nondet_u64();
long long __VERIFIER_nondet_longlong();
unsigned long long __VERIFIER_nondet_ulonglong();
unsigned long strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, unsigned long);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, unsigned long);
char *strcat(char *, const char *);
char *strchr(const char *, int);
char *strdup(const char *);
int snprintf(char *, unsigned long, const char *, ...);
int rand(void);
long random(void);
void srandom(unsigned int);
char *strerror(int);
"""
_LINES: Final = {
    match[1]: line
    for line in _TEXT.splitlines()
    if line and (match := re.search(r"(\w+)\((?!\*)", line)) is not None
}
_FOREIGN: Final = re.compile(r"\b\w+_t\b|\bonce_flag\b|\bFILE\b")
_SHAPES: Final = {"FILE": "struct _IO_FILE"}  # as our headers have them; all others are numbers


@cache
def prototype(name: str) -> ast.Decl | None:
    """The declaration of a library function; None if it has no single type."""
    line = _LINES.get(name) or heads().get(name)
    if line is None:
        return None
    types = sorted(set(_FOREIGN.findall(line)))
    text = "".join(f"typedef {_SHAPES.get(item, 'int')} {item};\n" for item in types) + line
    found = CParser().parse(text, "library").ext[-1]
    assert isinstance(found, ast.Decl)
    return found
