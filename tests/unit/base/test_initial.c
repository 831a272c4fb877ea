/* SPDX-License-Identifier: MIT */
/* The initialisers of public structures, as C programs use them. */
#include "support/cm.h"
#include "support/structures.h"

#include <string.h>

/* All bytes but those of the size are 0. */
static int is_initial(const void *structure, size_t size) {
  size_t first;
  memcpy(&first, structure, sizeof(first));
  const unsigned char *bytes = structure;
  size_t i = sizeof(first);
  while (i < size && bytes[i] == 0) {
    i++;
  }
  return first == size && i == size;
}

#define DEFINE(type, init) static const type static_##type = init;
EACH_STRUCTURE(DEFINE)

#define CHECK(type, init)                                                      \
  do {                                                                         \
    type variable = init;                                                      \
    assert_true(is_initial(&variable, sizeof(type)));                          \
    assert_true(is_initial(&(type)init, sizeof(type)));                        \
    assert_true(is_initial(&static_##type, sizeof(type)));                     \
  } while (0);

TEST(each_macro_sets_the_size_and_zeroes_the_rest) {
  EACH_STRUCTURE(CHECK)
}
