/* SPDX-License-Identifier: MIT */
/* The blocking requests, and connecting to a command: this program is the
 * server too, when called with "serve" as its first argument. */
#include "support/libmcp/recorder.h"
#include <mcp/mcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the server ---------------------------------------------------------- */

static int add(mcp_call *call, void *userdata) {
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

static int greet(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "hello");
}

static int never_reply(mcp_call *call, void *userdata) {
  static mcp_call *volatile kept; /* never answered */
  kept = call;
  return mcp_call_defer(kept);
}

static int die(mcp_call *call, void *userdata) {
  _exit(7);
}

static mcp_server *make_server(void) {
  mcp_server *server = mcp_server_new("tested", "1.2.3", NULL, NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "add",
                  .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                                      MCP_NUMBER("b", "second")),
                  .handler = add},
      NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "never_reply",
                                  .handler = never_reply},
                      NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool), .name = "die", .handler = die},
      NULL);
  mcp_server_add_resource(server,
                          &(mcp_resource){.size = sizeof(mcp_resource),
                                          .uri = "test:///a",
                                          .name = "a",
                                          .text = "content"},
                          NULL);
  mcp_server_add_prompt(server,
                        &(mcp_prompt){.size = sizeof(mcp_prompt),
                                      .name = "greet",
                                      .handler = greet},
                        NULL);
  mcp_server_enable_logging(server);
  return server;
}

/* --- the client ---------------------------------------------------------- */

static mcp_loop *loop;
static mcp_client *client;

/* A client with these options in the place of that of the fixture. */
static void remake_client(const mcp_client_options *options) {
  mcp_client_free(client);
  client = mcp_client_new(loop, "test", "1", options, NULL);
  assert_non_null(client);
}

static int begin(void **state) {
  loop = loop_begin();
  client = mcp_client_new(loop, "test", "1", NULL, NULL);
  assert_non_null(client);
  return 0;
}

static int end(void **state) {
  mcp_client_free(client);
  loop_end(loop); /* which waits for the child, too */
  return 0;
}

static void connect_self(void) {
  const char *const argv[] = {"/proc/self/exe", "serve", NULL};
  mcp_error err = {0};
  if (mcp_sync_connect_command(client, argv, &err) != 0) {
    fail_msg("%s", err.message);
  }
}

static void expect_each_request_answered(void) {
  mcp_result *result = NULL;
  mcp_error err;
  assert_int_equal(mcp_sync_list_tools(client, NULL, &result, &err), 0);
  assert_int_equal(mcp_result_count(result), 3);
  mcp_result_unref(result);
  assert_int_equal(mcp_sync_list_resources(client, NULL, &result, &err), 0);
  assert_int_equal(mcp_result_count(result), 1);
  mcp_result_unref(result);
  assert_int_equal(
      mcp_sync_list_resource_templates(client, NULL, &result, &err), 0);
  assert_int_equal(mcp_result_count(result), 0);
  mcp_result_unref(result);
  assert_int_equal(mcp_sync_list_prompts(client, NULL, &result, &err), 0);
  assert_int_equal(mcp_result_count(result), 1);
  mcp_result_unref(result);
  assert_int_equal(mcp_sync_call_tool(client, "add", "{\"a\":2,\"b\":3}", NULL,
                                      &result, &err),
                   0);
  assert_string_equal(mcp_result_text(result), "5");
  mcp_result_unref(result);
  assert_int_equal(
      mcp_sync_read_resource(client, "test:///a", NULL, &result, NULL), 0);
  assert_string_equal(mcp_result_text(result), "content");
  mcp_result_unref(result);
  assert_int_equal(
      mcp_sync_get_prompt(client, "greet", NULL, NULL, &result, NULL), 0);
  mcp_result_unref(result);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  assert_int_equal(mcp_sync_set_log_level(client, MCP_LOG_ERROR, NULL, NULL),
                   0);
  assert_int_equal(
      mcp_sync_request(client, "tools/list", NULL, NULL, NULL, NULL),
      0); /* without the result */
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

FIXTURE_TEST(each_request_is_answered) {
  connect_self();
  assert_string_equal(mcp_client_revision(client), MCP_REVISION_2026_07_28);
  expect_each_request_answered();
  assert_int_equal(mcp_sync_close(client), 0);
  assert_int_equal(mcp_sync_close(client), 0); /* again: it is down */
}

FIXTURE_TEST(each_request_is_answered_in_the_legacy_era) {
  mcp_client_options options = {.size = sizeof(mcp_client_options),
                                .policy = MCP_POLICY_LEGACY};
  remake_client(&options);
  connect_self();
  assert_string_equal(mcp_client_revision(client), MCP_REVISION_2025_11_25);
  expect_each_request_answered();
  assert_int_equal(mcp_sync_subscribe(client, "test:///a", NULL, NULL), 0);
  assert_int_equal(mcp_sync_unsubscribe(client, "test:///a", NULL, NULL), 0);
  assert_int_equal(mcp_sync_close(client), 0);
}

FIXTURE_TEST(a_remote_error_has_its_detail) {
  mcp_error err = {0};
  mcp_result *result = NULL;
  connect_self();
  assert_int_equal(
      mcp_sync_request(client, "no/such", NULL, NULL, &result, &err),
      MCP_ERR_REMOTE);
  assert_int_equal(err.code, MCP_ERR_REMOTE);
  assert_int_equal(err.status, MCP_RPC_METHOD_NOT_FOUND);
  assert_null(result);
}

FIXTURE_TEST(the_data_of_a_remote_error_is_given) {
  char *data = NULL;
  const mcp_request_options options = {.size = sizeof(options),
                                       .error_data = &data};
  connect_self();
  assert_int_equal(
      mcp_sync_read_resource(client, "test:///none", &options, NULL, NULL),
      MCP_ERR_REMOTE);
  assert_non_null(data);
  assert_string_equal(data, "{\"uri\":\"test:///none\"}");
  mcp_text_free(data);
  assert_int_equal(
      mcp_sync_read_resource(client, "test:///a", &options, NULL, NULL), 0);
  assert_null(data);
}

/* The pointer of an earlier request does not stay. */
FIXTURE_TEST(a_request_that_does_not_start_has_no_data) {
  char old;
  char *data = &old;
  const mcp_request_options options = {.size = sizeof(options),
                                       .error_data = &data};
  assert_int_equal(mcp_sync_ping(client, &options, NULL), MCP_ERR_CLOSED);
  assert_null(data);
}

/* A program that was compiled with the headers before this member. */
FIXTURE_TEST(options_without_the_member_are_accepted) {
  char *data = NULL;
  mcp_request_options options = {
      .size = offsetof(mcp_request_options, error_data), .error_data = &data};
  connect_self();
  assert_int_equal(
      mcp_sync_read_resource(client, "test:///none", &options, NULL, NULL),
      MCP_ERR_REMOTE);
  assert_null(data);
}

FIXTURE_TEST(a_time_limit_is_kept) {
  mcp_error err = {0};
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .timeout_ms = 50};
  connect_self();
  assert_int_equal(mcp_sync_request(client, "tools/call",
                                    "{\"name\":\"never_reply\"}", &options,
                                    NULL, &err),
                   MCP_ERR_TIMEOUT);
  assert_int_equal(err.code, MCP_ERR_TIMEOUT);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0); /* it lives on */
}

FIXTURE_TEST(a_server_that_dies_fails_the_request) {
  mcp_error err = {0};
  connect_self();
  assert_int_equal(mcp_sync_call_tool(client, "die", NULL, NULL, NULL, &err),
                   MCP_ERR_CLOSED);
  assert_non_null(strstr(err.message, "exited with status 7"));
  assert_int_equal(mcp_sync_ping(client, NULL, &err), MCP_ERR_CLOSED);
  assert_int_equal(err.code, MCP_ERR_CLOSED);
  assert_string_equal(err.message, "not connected");
}

FIXTURE_TEST(a_command_that_cannot_start_is_named) {
  const char *const argv[] = {"/no/such/command", NULL};
  mcp_error err = {0};
  assert_int_equal(mcp_sync_connect_command(client, argv, &err), MCP_ERR_IO);
  assert_string_equal(err.message, "cannot start \"/no/such/command\": "
                                   "no such file or directory");
}

/* One that takes the probe for an insult; the second time it is greeted in the
 * old way. A legacy server by shell script. */
FIXTURE_TEST(a_server_that_dies_of_the_probe_is_a_legacy_one) {
  const char *const argv[] = {
      "sh", "-c",
      "read line; case $line in *server/discover*) exit 1;; esac;"
      "id=${line#*'\"id\":'}; id=${id%%[,\\}]*};"
      "echo '{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":{\"protocolVersion\":"
      "\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"old\","
      "\"version\":\"1\"}}}'; cat >/dev/null",
      NULL};
  mcp_error err = {0};
  if (mcp_sync_connect_command(client, argv, &err) != 0) {
    fail_msg("%s", err.message);
  }
  assert_string_equal(mcp_client_revision(client), MCP_REVISION_2025_06_18);
}

static int end_count;

static void count_end(mcp_client *closed, const mcp_error *err,
                      void *userdata) {
  end_count++;
}

/* Fails to connect to a server that refuses `initialize` and stays. */
static void fail_to_connect(void) {
  const char *const argv[] = {
      "sh", "-c",
      "read line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":"
      "-32600,\"message\":\"not today\"}}'; cat >/dev/null",
      NULL};
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .revision = MCP_REVISION_2024_11_05,
                                      .on_closed = count_end};
  mcp_error err = {0};
  remake_client(&options);
  end_count = 0;
  assert_int_equal(mcp_sync_connect_command(client, argv, &err),
                   MCP_ERR_REMOTE);
  assert_string_equal(err.message, "not today");
  assert_int_equal(end_count, 0);
}

FIXTURE_TEST(a_failed_connect_can_be_tried_again_at_once) {
  fail_to_connect();
  connect_self();
  assert_int_equal(end_count, 1);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
}

FIXTURE_TEST(a_connection_that_is_closing_is_not_called_connected) {
  const char *const argv[] = {"/proc/self/exe", "serve", NULL};
  const mcp_process_options options = {.size = sizeof(mcp_process_options),
                                       .argv = argv};
  mcp_error err = {0};
  fail_to_connect();
  assert_int_equal(
      mcp_client_connect_command(client, &options, NULL, NULL, &err),
      MCP_ERR_BUSY);
  assert_string_equal(err.message,
                      "the last connection is still closing: wait for "
                      "on_closed, or call mcp_sync_close");
}

static void free_it(mcp_client *closed, const mcp_error *err, void *userdata) {
  assert_ptr_equal(closed, client);
  mcp_client_free(client);
  client = NULL;
}

FIXTURE_TEST(the_end_that_a_connect_waits_for_may_free_the_client) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .on_closed = free_it};
  const char *const argv[] = {"/proc/self/exe", "serve", NULL};
  mcp_error err = {0};
  remake_client(&options);
  connect_self();
  mcp_client_close(client);
  assert_int_equal(mcp_sync_connect_command(client, argv, &err), MCP_ERR_GONE);
  assert_string_equal(err.message, "on_closed has freed the client");
  assert_null(client);
}

FIXTURE_TEST(the_end_may_free_the_client) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .on_closed = free_it};
  remake_client(&options);
  connect_self();
  assert_int_equal(mcp_sync_close(client), 0);
  assert_null(client);
}

static int busy_count;

static void try_inside(void *argument) {
  mcp_error err = {0};
  busy_count++;
  assert_int_equal(mcp_sync_ping(client, NULL, &err), MCP_ERR_BUSY);
  assert_int_equal(err.code, MCP_ERR_BUSY);
  assert_int_equal(mcp_sync_close(client), MCP_ERR_BUSY);
}

FIXTURE_TEST(inside_a_callback_it_is_busy) {
  busy_count = 0;
  connect_self();
  assert_int_equal(mcp_loop_post(loop, try_inside, NULL), 0);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  assert_int_equal(mcp_loop_wait(loop, 0), 0);
  assert_int_equal(busy_count, 1);
}

FIXTURE_TEST(over_a_memory_pair) {
  mcp_transport *a;
  mcp_transport *b;
  mcp_server *server = make_server();
  assert_int_equal(mcp_memory_pair(loop, &a, &b, NULL), 0);
  assert_int_equal(mcp_server_connect(server, loop, b, NULL, NULL, NULL), 0);
  assert_int_equal(mcp_sync_connect(client, a, NULL), 0);
  expect_each_request_answered();
  assert_int_equal(mcp_sync_close(client), 0);
  mcp_server_free(server);
}

FIXTURE_TEST(a_client_that_is_null_is_named) {
  const char *const argv[] = {"/proc/self/exe", "serve", NULL};
  static const char words[] = "the client is NULL: mcp_client_new failed; give "
                              "it an mcp_error to see why";
  mcp_error err = {0};
  assert_int_equal(mcp_sync_connect_command(NULL, argv, &err), MCP_ERR_INVALID);
  assert_string_equal(err.message, words);
  err.message[0] = '\0';
  assert_int_equal(mcp_sync_ping(NULL, NULL, &err), MCP_ERR_INVALID);
  assert_string_equal(err.message, words);
  assert_int_equal(mcp_client_ping(NULL, NULL, NULL, NULL, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, words);
}

FIXTURE_TEST(a_manual_loop_cannot_block) {
  mcp_error err;
  mcp_transport *a;
  mcp_transport *b;
  mcp_loop *manual = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_client *other = mcp_client_new(manual, "test", "1", NULL, NULL);
  assert_int_equal(mcp_memory_pair(manual, &a, &b, NULL), 0);
  assert_int_equal(mcp_sync_connect(other, a, &err), MCP_ERR_INVALID);
  assert_int_equal(mcp_sync_close(NULL), MCP_ERR_INVALID);
  mcp_transport_free(b);
  mcp_client_free(other);
  mcp_loop_free(manual);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "serve") == 0) {
    return mcp_main(make_server(), argc - 1, argv + 1);
  }
  return tests_run(NULL, NULL);
}
