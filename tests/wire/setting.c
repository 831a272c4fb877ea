/* SPDX-License-Identifier: MIT */
#include "setting.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void set_member(const setting *s, void *object, uint64_t number) {
  uint32_t narrow = (uint32_t)number;
  size_t size = (size_t)number;
  const void *from = &size;
  if (s->size == sizeof(narrow)) {
    from = &narrow;
  } else if (s->size == sizeof(number)) {
    from = &number;
  }
  memcpy((char *)object + s->offset, from, s->size);
}

void setting_apply(const setting *settings, size_t count, void *object,
                   const char *option) {
  const char *value = strchr(option, '=');
  size_t len = value != NULL ? (size_t)(value - option) : 0;
  for (size_t i = 0; len > 0 && i < count; i++) {
    if (strncmp(option, settings[i].name, len) == 0 &&
        settings[i].name[len] == '\0') {
      set_member(&settings[i], object, strtoull(value + 1, NULL, 10));
    }
  }
}
