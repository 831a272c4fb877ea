/* SPDX-License-Identifier: MIT */
#include "platform/memory.h"

FILE *ctl_memory_open(char **text, size_t *len) {
  return open_memstream(text, len);
}

int ctl_memory_close(FILE *stream, char **text, size_t *len) {
  (void)text;
  (void)len;
  /* fclose may succeed although bytes were lost for lack of memory. */
  int is_broken = fflush(stream) != 0 || ferror(stream) != 0;
  return fclose(stream) != 0 || is_broken;
}
