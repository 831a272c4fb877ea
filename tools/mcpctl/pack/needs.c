/* SPDX-License-Identifier: MIT */
#include "pack/needs.h"

#include <stdint.h>
#include <string.h>

/* Of the ELF specification. */
enum {
  HEADER_LEN = 64,
  PROGRAM_LEN = 56,
  SECTION_LEN = 16, /* an entry of the dynamic section */
  CLASS_64 = 2,
  LEAST_FIRST = 1,
  TYPE_LOAD = 1,
  TYPE_DYNAMIC = 2,
  TAG_NEEDED = 1,
  TAG_STRINGS = 5
};

typedef struct elf {
  const char *bytes;
  size_t len;
  const char *programs; /* the program headers */
  size_t program_count;
} elf;

static uint64_t get(const char *at, size_t size) {
  uint64_t number = 0;
  while (size > 0) {
    number = number << 8 | (unsigned char)at[--size];
  }
  return number;
}

static int elf_read(elf *self, const char *bytes, size_t len) {
  if (len < HEADER_LEN ||
      memcmp(bytes,
             "\x7f"
             "ELF",
             4) != 0 ||
      bytes[4] != CLASS_64 || bytes[5] != LEAST_FIRST) {
    return -1;
  }
  uint64_t begin = get(bytes + 32, 8);
  uint64_t count = get(bytes + 56, 2);
  if (get(bytes + 54, 2) != PROGRAM_LEN || begin > len ||
      count > (len - begin) / PROGRAM_LEN) {
    return -1;
  }
  *self = (elf){bytes, len, bytes + begin, (size_t)count};
  return 0;
}

/* Where the bytes at an address of the running program are in the file. NULL:
 * they are not there. */
static const char *find_address(const elf *self, uint64_t address) {
  for (size_t i = 0; i < self->program_count; i++) {
    const char *one = self->programs + i * PROGRAM_LEN;
    uint64_t offset = get(one + 8, 8);
    uint64_t begin = get(one + 16, 8);
    uint64_t size = get(one + 32, 8);
    if (get(one, 4) == TYPE_LOAD && address >= begin &&
        address - begin < size && offset <= self->len &&
        address - begin < self->len - offset) {
      return self->bytes + offset + (address - begin);
    }
  }
  return NULL;
}

/* The dynamic section, and the number of its entries. */
static const char *find_dynamic(const elf *self, size_t *count) {
  for (size_t i = 0; i < self->program_count; i++) {
    const char *one = self->programs + i * PROGRAM_LEN;
    uint64_t offset = get(one + 8, 8);
    uint64_t size = get(one + 32, 8);
    if (get(one, 4) == TYPE_DYNAMIC && offset <= self->len &&
        size <= self->len - offset) {
      *count = (size_t)(size / SECTION_LEN);
      return self->bytes + offset;
    }
  }
  *count = 0;
  return NULL;
}

static const char *find_strings(const elf *self, const char *dynamic,
                                size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *entry = dynamic + i * SECTION_LEN;
    if (get(entry, 8) == TAG_STRINGS) {
      return find_address(self, get(entry + 8, 8));
    }
  }
  return NULL;
}

void ctl_needs_each(const char *bytes, size_t len,
                    void (*each)(void *userdata, const char *name),
                    void *userdata) {
  elf self;
  size_t count = 0;
  if (elf_read(&self, bytes, len) != 0) {
    return;
  }
  const char *dynamic = find_dynamic(&self, &count);
  const char *strings = find_strings(&self, dynamic, count);
  size_t left = strings != NULL ? (size_t)(bytes + len - strings) : 0;
  for (size_t i = 0; i < count; i++) {
    const char *entry = dynamic + i * SECTION_LEN;
    uint64_t at = get(entry + 8, 8);
    if (get(entry, 8) == TAG_NEEDED && at < left &&
        memchr(strings + at, '\0', left - (size_t)at) != NULL) {
      each(userdata, strings + at);
    }
  }
}

int ctl_needs_is_common(const char *name) {
  static const char *const begins[] = {"libc.",     "libm.",       "libdl.",
                                       "librt.",    "libpthread.", "ld-linux",
                                       "libgcc_s.", "linux-vdso"};
  for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
    if (strncmp(name, begins[i], strlen(begins[i])) == 0) {
      return 1;
    }
  }
  return 0;
}
