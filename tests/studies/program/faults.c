/* SPDX-License-Identifier: BSD-3-Clause
 * Faults of the operating system, put before it by LD_PRELOAD; faults.py compiles it and says what fails.
 *
 *   FAULT_FOLDER    writes to files below it count: write, pwrite, writev, pwritev, fallocate, fsync
 *   FAULT_CALL      "read" or "close": these calls count in place of writes
 *   FAULT_PLACE     of these only those at this place of a file
 *   FAULT_AT        which of them fails, the first is 1; 0: none
 *   FAULT_ERROR     with this errno
 *   FAULT_ON        and all after it ("1"), as where a disk is full, or it alone ("0")
 *   FAULT_RANK      on this rank alone
 *   FAULT_COUNT     a file that takes the number of writes at the end, one line a process
 *   FAULT_DENIED    no file can be made or renamed below it (EACCES), as in a folder without permission, for root too
 *   FAULT_NO_LOCKS  flock fails with ENOLCK
 *   FAULT_CLOCK     so many seconds after the program's start the clock is set back by an hour
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long counted;

static int below(const char* path, const char* variable) {
  const char* folder = getenv(variable);
  char whole[2 * PATH_MAX];
  if (folder == NULL || path == NULL) return 0;
  if (path[0] != '/' && getcwd(whole, PATH_MAX) != NULL) {
    strcat(whole, "/");
    path = strncat(whole, path, PATH_MAX - 2);
  }
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int this_rank(void) {
  const char *wanted = getenv("FAULT_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  return wanted == NULL || atol(wanted) == (rank == NULL ? 0 : atol(rank));
}

/* The errno with which this call fails; 0: none. It has a place of its own, or none: -1. */
static int fault_of(const char* call, int file, off64_t place) {
  char link[64], path[PATH_MAX + 1];
  const char *only = getenv("FAULT_PLACE"), *counts = getenv("FAULT_CALL");
  if (getenv("FAULT_FOLDER") == NULL || strcmp(call, counts == NULL ? "write" : counts) != 0) return 0;
  if (only != NULL && place != atol(only)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, PATH_MAX);
  if (length <= 0) return 0;
  path[length] = 0;
  if (!below(path, "FAULT_FOLDER") || !this_rank()) return 0;
  const long number = __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
  const char *at = getenv("FAULT_AT"), *on = getenv("FAULT_ON"), *error = getenv("FAULT_ERROR");
  const long first = at == NULL ? 0 : atol(at);
  if (first == 0 || number < first || (number > first && (on == NULL || atol(on) == 0))) return 0;
  return error == NULL ? EIO : atoi(error);
}

static int fault(int file, off64_t place) {
  return fault_of("write", file, place);
}

__attribute__((destructor)) static void report(void) {
  const char* name = getenv("FAULT_COUNT");
  FILE* file = name == NULL || !this_rank() ? NULL : fopen(name, "a");
  if (file == NULL) return;
  fprintf(file, "%ld\n", counted);
  fclose(file);
}

#define FAILS(file, place)                \
  do {                                    \
    const int reason = fault(file, place); \
    if (reason != 0) {                    \
      errno = reason;                     \
      return -1;                          \
    }                                     \
  } while (0)

ssize_t write(int file, const void* bytes, size_t length) {
  FAILS(file, -1);
  return NEXT(write)(file, bytes, length);
}
ssize_t pwrite(int file, const void* bytes, size_t length, off_t place) {
  FAILS(file, place);
  return NEXT(pwrite)(file, bytes, length, place);
}
ssize_t pwrite64(int file, const void* bytes, size_t length, off64_t place) {
  FAILS(file, place);
  return NEXT(pwrite64)(file, bytes, length, place);
}
ssize_t writev(int file, const struct iovec* pieces, int count) {
  FAILS(file, -1);
  return NEXT(writev)(file, pieces, count);
}
ssize_t pwritev(int file, const struct iovec* pieces, int count, off_t place) {
  FAILS(file, place);
  return NEXT(pwritev)(file, pieces, count, place);
}
ssize_t pwritev64(int file, const struct iovec* pieces, int count, off64_t place) {
  FAILS(file, place);
  return NEXT(pwritev64)(file, pieces, count, place);
}
int fallocate(int file, int mode, off_t place, off_t length) {
  FAILS(file, -1);
  return NEXT(fallocate)(file, mode, place, length);
}
int fallocate64(int file, int mode, off64_t place, off64_t length) {
  FAILS(file, -1);
  return NEXT(fallocate64)(file, mode, place, length);
}
int fsync(int file) {
  const int reason = fault(file, -1);
  if (reason != 0) {
    errno = reason == ENOSPC ? EIO : reason;
    return -1;
  }
  return NEXT(fsync)(file);
}

#define READ(declaration, file, place, call)              \
  ssize_t declaration {                                   \
    const int reason = fault_of("read", file, place);     \
    if (reason != 0) {                                    \
      errno = reason;                                     \
      return -1;                                          \
    }                                                     \
    return call;                                          \
  }
READ(pread(int file, void* bytes, size_t length, off_t place), file, place, NEXT(pread)(file, bytes, length, place))
READ(pread64(int file, void* bytes, size_t length, off64_t place), file, place, NEXT(pread64)(file, bytes, length, place))
READ(preadv(int file, const struct iovec* pieces, int count, off_t place), file, place,
     NEXT(preadv)(file, pieces, count, place))
READ(preadv64(int file, const struct iovec* pieces, int count, off64_t place), file, place,
     NEXT(preadv64)(file, pieces, count, place))
/* As the kernel does it: what couldn't be written is told, and the file is closed. */
int close(int file) {
  const int reason = fault_of("close", file, -1), result = NEXT(close)(file);
  if (reason != 0) errno = reason;
  return reason != 0 ? -1 : result;
}

static int denied(const char* path, int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 && below(path, "FAULT_DENIED") && access(path, F_OK) != 0;
}
#define OPEN(name)                                  \
  int name(const char* path, int flags, ...) {      \
    va_list rest;                                   \
    va_start(rest, flags);                          \
    const int mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
    va_end(rest);                                   \
    if (denied(path, flags)) {                      \
      errno = EACCES;                               \
      return -1;                                    \
    }                                               \
    return NEXT(name)(path, flags, mode);           \
  }
OPEN(open)
OPEN(open64)
int rename(const char* from, const char* to) {
  if (below(to, "FAULT_DENIED")) {
    errno = EACCES;
    return -1;
  }
  return NEXT(rename)(from, to);
}
int unlink(const char* path) {
  if (below(path, "FAULT_DENIED") && access(path, F_OK) == 0) {
    errno = EACCES;
    return -1;
  }
  return NEXT(unlink)(path);
}

int flock(int file, int what) {
  if (getenv("FAULT_NO_LOCKS") != NULL) {
    errno = ENOLCK;
    return -1;
  }
  return NEXT(flock)(file, what);
}

/* The clock of the wall; the steady one can't be set. */
static long back(void) {
  static struct timespec began;
  struct timespec now;
  const char* after = getenv("FAULT_CLOCK");
  if (after == NULL) return 0;
  NEXT(clock_gettime)(CLOCK_MONOTONIC, &now);
  if (began.tv_sec == 0) began = now;
  const double passed = (double)(now.tv_sec - began.tv_sec) + 1e-9 * (double)(now.tv_nsec - began.tv_nsec);
  return passed > atof(after) ? 3600 : 0;
}
int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = NEXT(clock_gettime)(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec -= back();
  return result;
}
int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  const int result = NEXT(gettimeofday)(now, zone);
  now->tv_sec -= back();
  return result;
}
time_t time(time_t* result) {
  struct timespec now;
  NEXT(clock_gettime)(CLOCK_REALTIME, &now);
  now.tv_sec -= back();
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
