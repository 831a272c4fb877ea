/* SPDX-License-Identifier: MIT */
/* platform/sync_struct.c and client/structs.c: calls of tools with structures,
 * by a client and a server on one loop. */
#include "support/libmcp/recorder.h"
#include <mcp/mcp.h>
#include <string.h>

#define ARGS(FIELD)                                                            \
  FIELD(STRING, how, "What the tool does")                                     \
  FIELD(OPTIONAL_INTEGER, number, "N", MCP_NULLABLE)
MCP_DEFINE_STRUCT(args, ARGS);

#define RESULT(FIELD) FIELD(INTEGER, number, "N")
MCP_DEFINE_STRUCT(result, RESULT);

static int on_work(mcp_call *call, const struct args *args, void *userdata) {
  const struct result result = {args->has_number ? args->number : -1};
  if (strcmp(args->how, "fail") == 0) {
    return mcp_call_reply_failure(call, "first\nsecond");
  }
  if (strcmp(args->how, "text") == 0) {
    return mcp_call_reply_text(call, "a");
  }
  if (strcmp(args->how, "other") == 0) {
    return mcp_call_reply_structured(call, "{\"number\":\"x\"}");
  }
  return result_reply(call, &result);
}
MCP_STRUCT_HANDLER(on_work, args);

/* --- both sides --------------------------------------------------------- */

static mcp_loop *loop;
static mcp_client *client;
static mcp_server *server;

static int begin(void **state) {
  mcp_transport *a;
  mcp_transport *b;
  loop = loop_begin();
  server = mcp_server_new("tested", "1", NULL, NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "work",
                                  .input = MCP_SCHEMA_TYPE("object"),
                                  .handler = on_work_handler},
                      NULL);
  client = mcp_client_new(loop, "test", "1", NULL, NULL);
  assert_int_equal(mcp_memory_pair(loop, &a, &b, NULL), 0);
  assert_int_equal(mcp_server_connect(server, loop, b, NULL, NULL, NULL), 0);
  assert_int_equal(mcp_sync_connect(client, a, NULL), 0);
  return 0;
}

static int end(void **state) {
  assert_int_equal(mcp_sync_close(client), 0);
  mcp_client_free(client);
  mcp_server_free(server);
  loop_end(loop);
  return 0;
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

static int work(const struct args *args, mcp_result **out, mcp_error *err) {
  return mcp_sync_call_struct(client, "work", args_type(), args, NULL, out,
                              err);
}

/* --- calls -------------------------------------------------------------- */

FIXTURE_TEST(a_structure_goes_and_one_comes_back) {
  const struct args args = {.how = "", .number = 7, .has_number = true};
  mcp_result *result = NULL;
  mcp_error err;
  void *made = NULL;
  assert_int_equal(work(&args, &result, &err), 0);
  assert_int_equal(mcp_result_get_struct(result, result_type(), &made, &err),
                   0);
  assert_int_equal(((struct result *)made)->number, 7);
  mcp_struct_free(made);
  assert_int_equal(mcp_result_get_struct(result, result_type(), NULL, &err),
                   MCP_ERR_INVALID);
  mcp_result_unref(result);
  assert_int_equal(work(&args, NULL, NULL), 0);
}

FIXTURE_TEST(a_field_that_is_absent_goes_as_null) {
  const struct args args = {.how = ""};
  char *text = args_to_text(&args, NULL);
  assert_string_equal(text, "{\"how\":\"\",\"number\":null}");
  mcp_text_free(text);
  assert_int_equal(work(&args, NULL, NULL), 0);
}

FIXTURE_TEST(a_failure_of_the_tool_is_an_error) {
  const struct args args = {.how = "fail"};
  mcp_result *result = NULL;
  mcp_error err;
  assert_int_equal(work(&args, &result, &err), MCP_ERR_REMOTE);
  assert_string_equal(err.message, "first second");
  assert_null(result);
}

FIXTURE_TEST(a_result_without_the_structure_is_an_error) {
  struct args args = {.how = "text"};
  mcp_result *result = NULL;
  mcp_error err;
  void *made = NULL;
  assert_int_equal(work(&args, &result, &err), 0);
  assert_int_equal(mcp_result_get_struct(result, result_type(), &made, &err),
                   MCP_ERR_NOT_FOUND);
  mcp_result_unref(result);
  args.how = "other";
  assert_int_equal(work(&args, &result, &err), 0);
  assert_int_equal(mcp_result_get_struct(result, result_type(), &made, &err),
                   MCP_ERR_SCHEMA);
  assert_string_equal(err.message, "structured result: /number: expected an "
                                   "integer, got string");
  mcp_result_unref(result);
  assert_null(made);
}

FIXTURE_TEST(what_cannot_be_sent_is_not) {
  const struct args args = {.how = NULL};
  mcp_error err;
  assert_int_equal(work(&args, NULL, &err), MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "arguments: /how: the required string is NULL");
  assert_int_equal(
      mcp_sync_call_struct(NULL, "work", args_type(), &args, NULL, NULL, &err),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_result_check(NULL, &err), MCP_ERR_INVALID);
  /* NULL: no arguments */
  assert_int_equal(work(NULL, NULL, &err), MCP_ERR_REMOTE);
  assert_string_equal(err.message, "the member \"how\" is missing");
}
