// SPDX-License-Identifier: MIT
// The initialisers of public structures, as C++ programs use them.
#include "support/structures.h"

extern "C" {
#include "support/cm.h"
}

#include <cstring>

template <typename Structure> static bool is_initial(Structure structure) {
  Structure zero;
  std::memset(static_cast<void *>(&zero), 0, sizeof(zero));
  zero.size = sizeof(zero);
  return std::memcmp(&structure, &zero, sizeof(zero)) == 0;
}

#define CHECK(type, init)                                                      \
  type variable_##type = init;                                                 \
  assert_true(is_initial(variable_##type));                                    \
  assert_true(is_initial<type>(init));

static void each_macro_sets_the_size_and_zeroes_the_rest(void **) {
  EACH_STRUCTURE(CHECK)
}

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(each_macro_sets_the_size_and_zeroes_the_rest),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
