/* SPDX-License-Identifier: MIT */
#include "core/loop.h"
#include <mcp/auth.h>

#include "support/auth_doubles.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <string.h>

static mcp_loop *loop;
static mcp_auth_store store;

typedef struct taker {
  int count;
  int code;
  char text[32]; /* "-": NULL */
} taker;

static void on_taken(void *argument, const mcp_error *err, const char *text,
                     size_t len) {
  taker *self = argument;
  self->count++;
  self->code = err != NULL ? err->code : 0;
  snprintf(self->text, sizeof(self->text), "%.*s", text != NULL ? (int)len : 1,
           text != NULL ? text : "-");
}

static int set_up(void **state) {
  loop = mcp_loop_new_manual(NULL, NULL, NULL);
  store = (mcp_auth_store)MCP_AUTH_STORE_INIT;
  return mcp_auth_store_memory(&store, loop);
}

static int tear_down(void **state) {
  store.release(store.userdata);
  mcp_loop_free(loop);
  return 0;
}

#define STORE_TEST(name) TEST_WITH(name, set_up, tear_down)

static void take(taker *self, const char *key) {
  assert_int_equal(store.take(store.userdata, key, on_taken, self, NULL), 0);
}

static void give(const char *key, const char *text) {
  assert_int_equal(store.give(store.userdata, key, text,
                              text != NULL ? strlen(text) : 0, NULL),
                   0);
}

static void turn(void) {
  mcp_loop_advance(loop, 1, 1);
}

STORE_TEST(a_record_is_kept_replaced_and_removed) {
  taker t = {.count = 0};
  take(&t, "a");
  assert_string_equal(t.text, "-");
  give("a", "one");
  take(&t, "a");
  assert_string_equal(t.text, "one");
  give("a", NULL);
  take(&t, "a");
  assert_string_equal(t.text, "one");
  give("a", "two");
  take(&t, "b");
  assert_string_equal(t.text, "-");
  take(&t, "a");
  assert_string_equal(t.text, "two");
  give("a", "");
  take(&t, "a");
  assert_string_equal(t.text, "-");
}

STORE_TEST(those_that_wait_get_a_record_in_order) {
  taker t[3] = {{.count = 0}};
  for (int i = 0; i < 3; i++) {
    take(&t[i], "a");
  }
  turn();
  assert_int_equal(t[1].count, 0);
  give("a", "x");
  assert_int_equal(t[1].count, 0);
  turn();
  assert_string_equal(t[1].text, "x");
  assert_int_equal(t[2].count, 0);
  give("a", "y");
  turn();
  assert_string_equal(t[2].text, "y");
}

STORE_TEST(a_take_can_be_cancelled) {
  taker t[3] = {{.count = 0}};
  for (int i = 0; i < 3; i++) {
    take(&t[i], "a");
  }
  give("a", NULL); /* it is on its way to t[1] */
  store.cancel(store.userdata, "a", &t[1]);
  turn();
  assert_int_equal(t[1].count, 0);
  assert_int_equal(t[2].count, 1);
  store.cancel(store.userdata, "a", &t[1]);
  store.cancel(store.userdata, "b", &t[1]);
  give("a", NULL);
  take(&t[0], "a");
  take(&t[1], "a");
  store.cancel(store.userdata, "a", &t[1]);
  give("a", NULL);
  turn();
  assert_int_equal(t[1].count, 0);
}

STORE_TEST(a_record_that_is_not_taken_cannot_be_given) {
  mcp_error err;
  assert_int_equal(store.give(store.userdata, "a", "x", 1, &err),
                   MCP_ERR_INVALID);
  taker t = {.count = 0};
  take(&t, "a");
  give("a", NULL);
  assert_int_equal(store.give(store.userdata, "a", "x", 1, &err),
                   MCP_ERR_INVALID);
}

static void on_key(void *argument, const char *key) {
  strcat(argument, key);
}

STORE_TEST(records_are_listed_if_they_exist) {
  char keys[32] = "";
  taker t = {.count = 0};
  take(&t, "a");
  give("a", "x");
  take(&t, "b");
  assert_int_equal(store.list(store.userdata, on_key, keys, NULL), 0);
  assert_string_equal(keys, "a");
}

STORE_TEST(a_store_may_be_released_while_someone_waits) {
  taker t[2] = {{.count = 0}};
  take(&t[0], "a");
  take(&t[1], "a");
}

TEST(a_store_needs_a_loop_and_its_size) {
  mcp_loop *own = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_auth_store unset = {.size = 0};
  assert_int_equal(mcp_auth_store_memory(&unset, own), MCP_ERR_INVALID);
  assert_null(unset.take);
  assert_int_equal(mcp_auth_store_memory(NULL, own), MCP_ERR_INVALID);
  mcp_loop_free(own);
  assert_int_equal(mcp_auth_store_memory(&store, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_store_memory(NULL, NULL), MCP_ERR_INVALID);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  taker t[2] = {{.count = 0}};
  mcp_loop *own = mcp_loop_new_manual(NULL, allocator, NULL);
  int rc = own != NULL ? mcp_auth_store_memory(&store, own) : MCP_ERR_NOMEM;
  if (rc == 0) {
    rc = store.take(store.userdata, "a", on_taken, &t[0], NULL);
    if (rc == 0) {
      rc = store.take(store.userdata, "a", on_taken, &t[1], NULL);
    }
    if (rc == 0) {
      rc = store.give(store.userdata, "a", "x", 1, NULL);
      mcp_loop_advance(own, 1, 1);
      assert_int_equal(t[1].count, 1);
      rc = rc == 0 ? t[1].code : rc;
    }
    store.release(store.userdata);
  }
  mcp_loop_free(own);
  return rc;
}

TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(5, scenario, NULL);
}

/* Two mcp_auths with one store renew the same token. */
TEST(two_mcp_auths_never_use_one_record_at_the_same_time) {
  static auth_rig rig;
  rig_request one;
  rig_request two;
  assert_int_equal(auth_rig_init(&rig, NULL), 0);
  assert_int_equal(auth_rig_open(&rig), 0);
  mcp_auth *another = auth_rig_open_another(&rig);
  auth_rig_put(
      &rig, RIG_URL,
      "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":\"a\","
      "\"refresh_token\":\"r\",\"issuer\":\"i\",\"expires_at_ms\":1}}");
  rig_request_init(&one, rig.auth, RIG_URL);
  rig_request_init(&two, another, RIG_URL);
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 1);
  assert_int_equal(rig.taken, 1);
  auth_rig_token(&rig, "b", "r2", 3600000, NULL, "");
  assert_true(one.order > 0 || two.order > 0);
  auth_rig_turn(&rig);
  assert_string_equal(one.authorization, "Bearer b");
  assert_string_equal(two.authorization, "Bearer b");
  assert_int_equal(rig.flow_count, 1);
  rig_request_deinit(&one);
  rig_request_deinit(&two);
  mcp_auth_free(another);
  auth_rig_deinit(&rig);
}
