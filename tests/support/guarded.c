/* SPDX-License-Identifier: MIT */
#include "support/guarded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* The bytes in whole pages, without the unmapped one. */
static size_t mapped_len(size_t len) {
  return (len + page_size() - 1) / page_size() * page_size();
}

char *guarded_copy(const void *bytes, size_t len) {
  size_t mapped = mapped_len(len);
  char *start = mmap(NULL, mapped + page_size(), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED ||
      mprotect(start + mapped, page_size(), PROT_NONE) != 0) {
    abort();
  }
  char *copy = start + mapped - len;
  if (len > 0) {
    memcpy(copy, bytes, len);
  }
  return copy;
}

void guarded_free(char *copy, size_t len) {
  size_t mapped = mapped_len(len);
  munmap(copy + len - mapped, mapped + page_size());
}
