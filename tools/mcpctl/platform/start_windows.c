/* SPDX-License-Identifier: MIT */
#include "platform/start.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
/* After windows.h. */
#include <shellapi.h>

static char *to_utf8(const wchar_t *wide) {
  int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
  char *text = size > 0 ? malloc((size_t)size) : NULL;
  if (text != NULL) {
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
  }
  return text;
}

/* The words stay until the process ends. */
static int read_words(int *argc, char ***argv) {
  int count = 0;
  wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
  char **words =
      wide != NULL ? calloc((size_t)count + 1, sizeof(*words)) : NULL;
  int is_whole = words != NULL;
  for (int i = 0; is_whole && i < count; i++) {
    words[i] = to_utf8(wide[i]);
    is_whole = words[i] != NULL;
  }
  LocalFree(wide);
  if (!is_whole) {
    errno = ENOMEM;
    return -1;
  }
  *argc = count;
  *argv = words;
  return 0;
}

/* The streams are binary, so that output has the same bytes on each system,
 * without carriage returns. The C library has no buffers of lines here;
 * ctl_wait empties the whole buffer. */
int ctl_start(int *argc, char ***argv) {
  for (int fd = 0; fd <= 2; fd++) {
    _setmode(fd, _O_BINARY);
  }
  setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
  setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
  return read_words(argc, argv);
}
