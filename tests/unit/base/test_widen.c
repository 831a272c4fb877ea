/* SPDX-License-Identifier: MIT */
#include "base/widen.h"

#include "support/cm.h"
#include <mcp/call.h>
#include <string.h>

typedef struct grown {
  size_t size;
  int first;
  int second; /* since the second version */
} grown;

static void an_older_layout_gets_zeros(void **state) {
  (void)state;
  grown from = {offsetof(grown, second), 7, 8};
  grown to;
  assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", NULL), 0);
  assert_int_equal(to.size, sizeof(grown));
  assert_int_equal(to.first, 7);
  assert_int_equal(to.second, 0);
}

static void a_newer_layout_is_cut(void **state) {
  (void)state;
  struct {
    grown known;
    int third;
  } from = {{sizeof(from), 7, 8}, 9};
  grown to;
  assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", NULL), 0);
  assert_int_equal(to.size, sizeof(grown));
  assert_int_equal(to.second, 8);
}

static void a_size_is_needed(void **state) {
  (void)state;
  grown from = {0, 7, 8};
  grown to = {1, 2, 3};
  mcp_error err;
  assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "grown has no size: initialise it with GROWN_INIT");
  assert_int_equal(mcpi_widen(&to, sizeof(to), NULL, "grown", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "grown is NULL");
  assert_int_equal(to.first, 2);
}

#define CHECK_INIT(type)                                                       \
  do {                                                                         \
    type value;                                                                \
    type zero;                                                                 \
    memset(&value, 0xA5, sizeof(value));                                       \
    memset(&zero, 0, sizeof(zero));                                            \
    type##_init(&value);                                                       \
    assert_int_equal(value.size, sizeof(value));                               \
    zero.size = sizeof(zero);                                                  \
    assert_memory_equal(&value, &zero, sizeof(zero));                          \
  } while (0)

static void init_functions_zero_and_set_the_size(void **state) {
  (void)state;
  CHECK_INIT(mcp_server_options);
  CHECK_INIT(mcp_connection_options);
  CHECK_INIT(mcp_tool);
  CHECK_INIT(mcp_resource);
  CHECK_INIT(mcp_resource_template);
  CHECK_INIT(mcp_prompt);
  CHECK_INIT(mcp_method);
  CHECK_INIT(mcp_content);
  CHECK_INIT(mcp_elicit);
  CHECK_INIT(mcp_sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_older_layout_gets_zeros),
      cmocka_unit_test(a_newer_layout_is_cut),
      cmocka_unit_test(a_size_is_needed),
      cmocka_unit_test(init_functions_zero_and_set_the_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
