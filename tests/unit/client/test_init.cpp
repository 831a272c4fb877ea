// SPDX-License-Identifier: MIT
// The client's structures in C++, where they have no initialisers.
#include <mcp/client.h>
#include <string.h>

extern "C" {
#include "support/cm.h"
}

// What was in them before is gone.
static void each_is_set_up(void **) {
  mcp_client_options options;
  mcp_request_options request;
  mcp_listen listen;
  memset(static_cast<void *>(&options), 0xEE, sizeof(options));
  memset(static_cast<void *>(&request), 0xEE, sizeof(request));
  memset(static_cast<void *>(&listen), 0xEE, sizeof(listen));
  mcp_client_options_init(&options);
  mcp_request_options_init(&request);
  mcp_listen_init(&listen);
  assert_int_equal(options.size, sizeof(options));
  assert_null(options.title);
  assert_null(options.on_closed);
  assert_int_equal(request.size, sizeof(request));
  assert_int_equal(request.timeout_ms, 0);
  assert_null(request.request);
  assert_int_equal(listen.size, sizeof(listen));
  assert_int_equal(listen.tools, 0);
  assert_null(listen.more);
}

static void they_are_accepted(void **) {
  mcp_loop *loop = mcp_loop_new_manual(nullptr, nullptr);
  mcp_client *client = mcp_client_new(loop, "c", "1");
  mcp_client_options options;
  mcp_client_options_init(&options);
  options.max_list = 1;
  assert_int_equal(mcp_client_configure(client, &options, nullptr), 0);
  mcp_client_free(client);
  mcp_loop_free(loop);
}

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(each_is_set_up),
      cmocka_unit_test(they_are_accepted),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
