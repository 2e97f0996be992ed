/* Signals never come: their functions do nothing, and handlers are refused. */
#ifndef MEMBAR_SIGNAL_H
#define MEMBAR_SIGNAL_H
typedef int sig_atomic_t;
typedef unsigned long sigset_t;
typedef void (*sighandler_t)(int);
struct sigaction {
  sighandler_t sa_handler;
  sigset_t sa_mask;
  int sa_flags;
};
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SIGHUP 1
#define SIGINT 2
#define SIGABRT 6
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#endif
