// SPDX-License-Identifier: MIT
// The structures of libmcp in C++, where they have no initialisers.
#include <mcp/main.h>
#include <string.h>

extern "C" {
#include "support/cm.h"
}

template <typename T> static T set_up(void (*init)(T *)) {
  T options;
  memset(static_cast<void *>(&options), 0xEE, sizeof(options));
  init(&options);
  assert_int_equal(options.size, sizeof(options));
  return options;
}

// What was in them before is gone.
static void each_is_set_up(void **) {
  assert_null(set_up(mcp_loop_options_init).uv_loop);
  assert_int_equal(set_up(mcp_stream_options_init).max_line, 0);
  assert_null(set_up(mcp_process_options_init).argv);
  assert_null(set_up(mcp_main_options_init).on_start);
}

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_set_up),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
