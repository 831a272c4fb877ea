/* SPDX-License-Identifier: MIT */
/* A client whose server speaks the mcp-core dialect: what a transcript cannot
 * do. All else is in tests/wire/mcp_core/client.txt. A test whose name begins
 * with one of the dialect's checklists is a line of it. */
#include "support/tool_schemas.h"
#include "unit/client/kit.h"

#define ARGUMENTS "{\"a\":2,\"b\":3}"

static int set_up(void **state) {
  static kit k;
  *state = &k;
  return kit_init(&k, NULL);
}

static int tear_down(void **state) {
  kit_deinit(*state);
  return 0;
}

static void open_client(kit *k, uint32_t dialect) {
  const mcp_client_options options = options_of(k);
  k->dialect = dialect;
  connect_with(k, &options);
  turn(k);
  assert_int_equal(k->connected.status, 0);
}

static ending *call(kit *k, const char *name, const char *arguments) {
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, name, arguments, NULL, on_done, e, NULL),
      0);
  turn(k);
  return e;
}

#define CORE_TEST(name) TEST_WITH(name, set_up, tear_down)

CORE_TEST(requests_validate) {
  static const char *const arguments[] = {ARGUMENTS, NULL};
  kit *k = *state;
  open_client(k, MCP_DIALECT_MCP_CORE_RPC);
  for (size_t i = 0; i < 2; i++) {
    call(k, "add", arguments[i]);
    size_t len = strcspn(k->got, "\n");
    assert_true(tool_schema_accepts(TOOL_REQUEST, k->got, len));
    k->got[0] = '\0';
  }
}

enum { ENOUGH = 1000 }; /* for the test to fail, and not to hang */

static void on_pong_ping(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  int *pings = userdata;
  if (outcome->status == 0 && ++*pings < ENOUGH) {
    assert_int_equal(
        mcp_client_ping(client, NULL, on_pong_ping, userdata, NULL), 0);
  }
}

/* A ping is answered here, at once. */
CORE_TEST(ping_upon_ping_leaves_the_loop_to_others) {
  kit *k = *state;
  int pings = 0;
  open_client(k, MCP_DIALECT_MCP_CORE);
  assert_int_equal(mcp_client_ping(k->client, NULL, on_pong_ping, &pings, NULL),
                   0);
  mcp_loop_advance(k->loop, k->now_ms, 0);
  assert_in_range(pings, 1, ENOUGH - 1);
  mcp_client_close(k->client);
  turn(k);
}

CORE_TEST(a_dialect_that_does_not_exist_is_refused) {
  kit *k = *state;
  mcp_transport *a;
  mcp_transport *b;
  assert_int_equal(mcp_memory_pair(k->loop, &a, &b, NULL), 0);
  assert_ptr_equal(mcp_transport_dialect(k->loop, a, MCP_DIALECT_MCP, 0, NULL),
                   a);
  mcp_error err = {0};
  assert_null(mcp_transport_dialect(k->loop, a, 4, 0, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(
      err.message, "dialect: 4 is not a dialect; use a value of MCP_DIALECT_*");
  assert_null(mcp_transport_dialect(k->loop, NULL, 1, 0, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "loop or inner is NULL");
  assert_null(mcp_transport_dialect(k->loop, NULL, 1, 0, NULL));
  mcp_transport_free(b);
}

static int wrap_one(const mcp_allocator *allocator, void *userdata) {
  const int *is_server = userdata;
  mcp_transport *a;
  mcp_transport *b;
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new_manual(NULL, allocator, &err);
  if (loop == NULL || mcp_memory_pair(loop, &a, &b, &err) != 0) {
    mcp_loop_free(loop);
    return err.code;
  }
  mcp_transport *wire =
      mcp_transport_dialect(loop, a, MCP_DIALECT_MCP_CORE, *is_server, &err);
  assert_int_equal(err.code, wire != NULL ? 0 : MCP_ERR_NOMEM);
  assert_string_equal(err.message, wire != NULL ? "" : "out of memory");
  mcp_transport_free(wire);
  mcp_transport_free(b);
  mcp_loop_free(loop);
  return err.code;
}

/* The loop, the pair with its timer, and the dialect. */
TEST(a_dialect_without_memory_is_not_made) {
  for (int is_server = 0; is_server < 2; is_server++) {
    assert_int_equal(failing_alloc_rerun(wrap_one, &is_server), 4);
  }
}
