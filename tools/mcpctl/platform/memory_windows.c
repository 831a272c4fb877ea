/* SPDX-License-Identifier: MIT */
/* The C library has no such streams. A temporary file does: the system keeps it
 * in memory while it is short, and removes it when it is closed. */
#include "platform/memory.h"

#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

static HANDLE open_temporary(void) {
  wchar_t folder[MAX_PATH + 1];
  wchar_t path[MAX_PATH + 1];
  DWORD len = GetTempPathW(MAX_PATH, folder);
  if (len == 0 || len > MAX_PATH ||
      GetTempFileNameW(folder, L"ctl", 0, path) == 0) {
    return INVALID_HANDLE_VALUE;
  }
  return CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                     FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE,
                     NULL);
}

FILE *ctl_memory_open(char **text, size_t *len) {
  HANDLE file = open_temporary();
  *text = NULL;
  *len = 0;
  if (file == INVALID_HANDLE_VALUE) {
    return NULL;
  }
  int fd = _open_osfhandle((intptr_t)file, _O_BINARY | _O_RDWR);
  if (fd < 0) {
    CloseHandle(file);
    return NULL;
  }
  FILE *stream = _fdopen(fd, "w+b");
  if (stream == NULL) {
    _close(fd);
  }
  return stream;
}

static char *read_all(FILE *stream, size_t *len) {
  long size = fflush(stream) == 0 && !ferror(stream) ? ftell(stream) : -1;
  char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (text == NULL) {
    return NULL;
  }
  rewind(stream);
  *len = fread(text, 1, (size_t)size, stream);
  text[*len] = '\0';
  if (*len != (size_t)size) {
    free(text);
    return NULL;
  }
  return text;
}

int ctl_memory_close(FILE *stream, char **text, size_t *len) {
  *text = read_all(stream, len);
  fclose(stream);
  return *text != NULL ? 0 : -1;
}
