/* SPDX-License-Identifier: MIT */
/* Schemas on their way from a program's server to another program's client:
 * every member, in its order, and every number as it was written. */
#include "support/cm.h"
#include "support/plain_regex.h"
#include "support/server_pair.h"
#include <string.h>

/* What parsers like to change: order, unknown keywords, numbers, empty and
 * nested values. */
#define KEPT                                                                   \
  "{\"x-vendor\":{\"b\":[],\"a\":{}},\"type\":\"object\",\"$comment\":\"\","   \
  "\"required\":[],\"properties\":{\"z\":{\"type\":\"number\",\"minimum\":"    \
  "1.0,\"maximum\":1e400,\"default\":12345678901234567890123},\"a\":{"         \
  "\"enum\":[-7,0.1,1e-7,18446744073709551616,null,true]},\"\":{\"$ref\":\"#/" \
  "$defs/%25\"}},\"$defs\":{"                                                  \
  "\"\xC3\xA9\xF0\x9F\x98\x80\":false,\"%\":{\"anyOf\":[{"                     \
  "\"$ref\":\"#\"},{\"multipleOf\":0.1}]}},\"definitions\":{},"                \
  "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}"
/* The same value may be written in several ways: the text goes over the wire as
 * it is, and the client has the value. */
#define SPELLED                                                                \
  "{ \"type\" : \"object\", \"title\":\"\\u0041\\/\\u00e9\\ud83d\\ude00\", "   \
  "\"enum\":[-0, 0.10, 1E+2] }"
#define PLAIN                                                                  \
  "{\"type\":\"object\",\"title\":\"A/\xC3\xA9\xF0\x9F\x98\x80\","             \
  "\"enum\":[0,0.1,100.0]}"

static int on_call(mcp_call *call, void *userdata) {
  return mcp_call_reply_structured(call, "{}");
}

static void add(mcp_server *server, const char *name,
                const mcp_schema *schema) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .input = schema,
                         .output = schema,
                         .handler = on_call};
  int rc = mcp_server_add_tool(server, &tool, NULL);
  if (rc != 0) {
    print_error("%s\n", mcp_server_error(server)->message);
  }
  assert_int_equal(rc, 0);
}

static void add_all(mcp_server *server) {
  mcp_doc *doc = mcp_doc_parse(KEPT, strlen(KEPT), NULL, NULL, NULL);
  assert_non_null(doc);
  add(server, "text", MCP_SCHEMA_TEXT(KEPT));
  add(server, "value", MCP_SCHEMA_VALUE(mcp_doc_root(doc)));
  add(server, "spelled", MCP_SCHEMA_TEXT(SPELLED));
  mcp_doc_free(doc);
}

/* --- the server's side: bytes --------------------------------------------- */

TEST(the_server_sends_the_text) {
  static const char *const revisions[] = {"2024-11-05", "2025-06-18", NULL};
  for (size_t i = 0; i < sizeof(revisions) / sizeof(revisions[0]); i++) {
    server_pair pair;
    assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
    add_all(pair.server);
    assert_int_equal(server_pair_connect(&pair, revisions[i]), 0);
    const char *list = server_pair_ask(&pair, "tools/list", "");
    const char *text = strstr(list, "\"name\":\"text\",\"inputSchema\":" KEPT);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"name\":\"value\",\"inputSchema\":" KEPT));
    assert_non_null(
        strstr(text, "\"name\":\"spelled\",\"inputSchema\":" SPELLED));
    if (i > 0) {
      assert_non_null(strstr(text, ",\"outputSchema\":" KEPT));
      assert_non_null(strstr(text, ",\"outputSchema\":" SPELLED));
    }
    server_pair_deinit(&pair);
  }
}

/* --- both sides ---------------------------------------------------------- */

typedef struct link {
  mcp_loop *loop;
  mcp_server *server;
  mcp_client *client;
  int64_t now_ms;
  int asked; /* requests for a list that the server saw */
  mcp_result *result;
  int status;
} link;

static int count_list(mcp_call *call, void *userdata) {
  link *l = userdata;
  l->asked += strcmp(mcp_call_method(call), "tools/list") == 0;
  return 0;
}

static void turn(link *l) {
  for (int i = 0; i < 100; i++) {
    mcp_loop_advance(l->loop, l->now_ms, 0);
  }
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  link *l = userdata;
  l->status = outcome->status;
  mcp_result_unref(l->result);
  l->result = mcp_result_ref(outcome->result);
}

static void link_init(link *l, const char *revision, uint32_t page_count) {
  mcp_transport *near;
  mcp_transport *far;
  const mcp_server_options server_options = {.size = sizeof(mcp_server_options),
                                             .page_count = page_count,
                                             .cache_ttl_ms = 60000,
                                             .on_request = count_list,
                                             .userdata = l};
  const mcp_client_options client_options = {.size = sizeof(mcp_client_options),
                                             .revision = revision};
  *l = (link){.now_ms = 1000, .status = 1};
  l->loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_loop_advance(l->loop, l->now_ms, 0);
  l->server = mcp_server_new("s", "1", &server_options, NULL);
  l->client = mcp_client_new(l->loop, "c", "1", &client_options, NULL);
  add_all(l->server);
  assert_int_equal(mcp_memory_pair(l->loop, &near, &far, NULL), 0);
  assert_int_equal(
      mcp_server_connect(l->server, l->loop, far, NULL, NULL, NULL), 0);
  assert_int_equal(mcp_client_connect(l->client, near, on_done, l, NULL), 0);
  turn(l);
  assert_int_equal(l->status, 0);
}

static void link_deinit(link *l) {
  mcp_result_unref(l->result);
  mcp_client_free(l->client);
  turn(l);
  mcp_server_free(l->server);
  turn(l);
  mcp_loop_free(l->loop);
}

static void assert_text(const mcp_json *value, const char *text) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_value(builder, NULL, value);
  assert_string_equal(mcp_builder_text(builder, NULL), text);
  mcp_builder_free(builder);
}

static void assert_listed(link *l, int has_output) {
  static const char *const texts[] = {KEPT, KEPT, PLAIN};
  assert_int_equal(mcp_client_list_tools(l->client, NULL, on_done, l, NULL), 0);
  turn(l);
  assert_int_equal(l->status, 0);
  assert_int_equal(mcp_result_count(l->result), 3);
  for (size_t i = 0; i < 3; i++) {
    const mcp_json *tool = mcp_result_item(l->result, i);
    assert_text(mcp_json_get(tool, "inputSchema"), texts[i]);
    assert_int_equal(mcp_json_get(tool, "outputSchema") != NULL, has_output);
    if (has_output) {
      assert_text(mcp_json_get(tool, "outputSchema"), texts[i]);
    }
  }
}

TEST(the_client_has_the_same) {
  const char *revision;
  for (size_t i = 0; (revision = mcp_revision_name(i)) != NULL; i++) {
    link l;
    link_init(&l, revision, 0);
    assert_listed(&l, i >= 2);
    link_deinit(&l);
  }
}

TEST(over_pages_and_from_what_is_kept) {
  link l;
  link_init(&l, MCP_REVISION_LATEST, 1);
  assert_listed(&l, 1);
  assert_int_equal(l.asked, 3);
  assert_listed(&l, 1);
  assert_int_equal(l.asked, 3);
  link_deinit(&l);
}

/* What the client compiled of them accepts what the server let through. */
TEST(results_are_checked_with_them) {
  link l;
  link_init(&l, "2025-11-25", 0);
  assert_listed(&l, 1);
  assert_int_equal(mcp_client_call_tool(l.client, "text", "{\"z\":1.5}", NULL,
                                        on_done, &l, NULL),
                   0);
  turn(&l);
  assert_int_equal(l.status, 0);
  assert_int_equal(mcp_result_is_checked(l.result), 1);
  link_deinit(&l);
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
