/* SPDX-License-Identifier: MIT */
#include "platform/terminal.h"

#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

/* What the console had before. It belongs to the shell too. */
static UINT code_page;
static struct {
  HANDLE handle;
  DWORD mode;
} changed[2];

static HANDLE handle_of(int fd) {
  return (HANDLE)_get_osfhandle(fd);
}

/* Lets the console understand escape sequences, as for colours. */
static void understand_escapes(int at, int fd) {
  HANDLE handle = handle_of(fd);
  DWORD mode;
  if (GetConsoleMode(handle, &mode) &&
      SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING)) {
    changed[at].handle = handle;
    changed[at].mode = mode;
  }
}

static void restore(void) {
  fflush(NULL);
  for (int i = 0; i < 2; i++) {
    if (changed[i].handle != NULL) {
      SetConsoleMode(changed[i].handle, changed[i].mode);
    }
  }
  if (code_page != 0) {
    SetConsoleOutputCP(code_page);
  }
}

void ctl_terminal_setup(void) {
  understand_escapes(0, 1);
  understand_escapes(1, 2);
  if (changed[0].handle != NULL || changed[1].handle != NULL) {
    code_page = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    atexit(restore);
  }
}

int ctl_terminal_is(int fd) {
  DWORD mode;
  return GetConsoleMode(handle_of(fd), &mode) != 0;
}

int ctl_terminal_has_escapes(int fd) {
  DWORD mode;
  return GetConsoleMode(handle_of(fd), &mode) &&
         (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

size_t ctl_terminal_columns(int fd) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo(handle_of(fd), &info) ||
      info.srWindow.Right < info.srWindow.Left) {
    return 0;
  }
  return (size_t)(info.srWindow.Right - info.srWindow.Left) + 1;
}

static int open_console(const wchar_t *name, int flags) {
  HANDLE handle = CreateFileW(name, GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                              OPEN_EXISTING, 0, NULL);
  if (handle == INVALID_HANDLE_VALUE) {
    return -1;
  }
  int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY);
  if (fd < 0) {
    CloseHandle(handle);
  }
  return fd;
}

int ctl_terminal_open(FILE **out) {
  int fd = open_console(L"CONIN$", _O_RDONLY);
  int to = fd >= 0 ? open_console(L"CONOUT$", 0) : -1;
  FILE *stream = to >= 0 ? _fdopen(to, "wb") : NULL;
  if (stream == NULL) {
    if (to >= 0) {
      _close(to);
    }
    if (fd >= 0) {
      _close(fd);
    }
    return -1;
  }
  *out = stream;
  return fd;
}

void ctl_terminal_close(int fd, FILE *out) {
  fclose(out);
  _close(fd);
}
