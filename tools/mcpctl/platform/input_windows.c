/* SPDX-License-Identifier: MIT */
/* A thread reads one part, and ends: so what follows stays for other programs
 * until somebody waits for it. */
#include "platform/input_windows.h"
#include "platform/wait.h"
#include "platform/wake_windows.h"

#include <errno.h>
#include <io.h>
#include <string.h>
#include <windows.h>

enum { READERS = 2, PART = 4096 }; /* standard input, and the console */

typedef enum reader_state {
  READER_IDLE,    /* -> READING */
  READER_READING, /* the thread owns the bytes -> READY */
  READER_READY    /* the main thread does -> IDLE, when all is taken */
} reader_state;

typedef struct reader {
  int is_used;
  int fd;
  volatile LONG state;
  char bytes[PART];
  size_t len;
  size_t taken;
  int error; /* an errno; 0: none */
} reader;

static reader readers[READERS];

static reader *reader_of(int fd) {
  for (int i = 0; i < READERS; i++) {
    if (!readers[i].is_used) {
      readers[i].is_used = 1;
      readers[i].fd = fd;
    }
    if (readers[i].fd == fd) {
      return &readers[i];
    }
  }
  return NULL;
}

/* ---- on the thread ----------------------------------------------------- */

/* Both return the bytes read, or -errno. */

/* The console has UTF-16; a third of the bytes is what surely fits. Ctrl-Z at
 * the beginning of a line is the end of the input. A line without its end is
 * one that Ctrl-C has ended. */
static int read_console(HANDLE console, reader *self) {
  wchar_t wide[PART / 3];
  DWORD count = 0;
  if (!ReadConsoleW(console, wide, PART / 3, &count, NULL)) {
    return -EIO;
  }
  if (count == 0) {
    return -EINTR;
  }
  if (wide[0] == 26) {
    return 0;
  }
  return WideCharToMultiByte(CP_UTF8, 0, wide, (int)count, self->bytes, PART,
                             NULL, NULL);
}

static int read_other(HANDLE file, reader *self) {
  DWORD count = 0;
  if (ReadFile(file, self->bytes, PART, &count, NULL)) {
    return (int)count;
  }
  return GetLastError() == ERROR_BROKEN_PIPE ? 0 : -EIO;
}

static DWORD WINAPI reader_run(void *argument) {
  reader *self = argument;
  HANDLE file = (HANDLE)_get_osfhandle(self->fd);
  DWORD mode;
  int len = GetConsoleMode(file, &mode) ? read_console(file, self)
                                        : read_other(file, self);
  self->error = len < 0 ? -len : 0;
  self->len = len > 0 ? (size_t)len : 0;
  self->taken = 0;
  InterlockedExchange(&self->state, READER_READY);
  ctl_wake();
  return 0;
}

/* ---- on the main thread ------------------------------------------------ */

static void reader_start(reader *self) {
  self->state = READER_READING;
  HANDLE thread = CreateThread(NULL, 0, reader_run, self, 0, NULL);
  if (thread != NULL) {
    CloseHandle(thread);
    return;
  }
  self->len = 0;
  self->error = ENOMEM;
  self->state = READER_READY;
}

int ctl_input_is_ready(int fd) {
  reader *self = reader_of(fd);
  if (self == NULL) {
    return 1; /* reading it fails */
  }
  if (self->state == READER_IDLE) {
    reader_start(self);
  }
  return InterlockedCompareExchange(&self->state, READER_READY, READER_READY) ==
         READER_READY;
}

long ctl_input_read(int fd, void *bytes, size_t len) {
  reader *self = reader_of(fd);
  if (self == NULL || self->state != READER_READY) {
    errno = self == NULL ? EMFILE : EAGAIN;
    return -1;
  }
  size_t left = self->len - self->taken;
  size_t part = left < len ? left : len;
  memcpy(bytes, self->bytes + self->taken, part);
  self->taken += part;
  int error = self->error;
  if (self->taken == self->len) {
    self->state = READER_IDLE;
  }
  if (error != 0) {
    errno = error;
    return -1;
  }
  return (long)part;
}
