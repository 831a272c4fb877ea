/* SPDX-License-Identifier: MIT */
/* usage: post-client legacy|modern URL
 *
 * A client by plain POSTs for the server of peer-plain.mjs. Prints a line for
 * each test. */
#include "report.h"

#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <stdio.h>
#include <string.h>

/* ---- what the server reports ------------------------------------------- */

/* The text of a tool's result, which is JSON; owned, or NULL with err. */
static mcp_doc *call(mcp_client *client, const char *name,
                     const char *arguments, mcp_error *err) {
  mcp_doc *doc = NULL;
  mcp_result *result = NULL;
  if (mcp_sync_call_tool(client, name, arguments, NULL, &result, err) == 0) {
    const char *text = mcp_result_text(result);
    doc = mcp_doc_parse(text, strlen(text), NULL, NULL, err);
  }
  mcp_result_unref(result);
  return doc;
}

/* Returns one of the counts that `seen` reports; -1: the call failed. */
static int64_t count(mcp_client *client, const char *name) {
  mcp_error err = {0};
  mcp_doc *doc = call(client, "seen", NULL, &err);
  int64_t value =
      doc != NULL ? mcp_json_int(mcp_json_get(mcp_doc_root(doc), name)) : -1;
  mcp_doc_free(doc);
  return value;
}

/* Asks the server again until it has seen one. */
static int wait_for_one(mcp_client *client, const char *name) {
  int64_t value = 0;
  while (value == 0) {
    value = count(client, name);
  }
  return value == 1;
}

/* ---- tests ------------------------------------------------------------- */

static void test_tools(mcp_client *client) {
  mcp_error err = {0};
  mcp_result *tools = NULL;
  int rc = mcp_sync_list_tools(client, NULL, &tools, &err);
  report("tools", rc == 0 && mcp_result_count(tools) == 4, "%s", err.message);
  mcp_result_unref(tools);
}

static void test_call(mcp_client *client) {
  mcp_error err = {0};
  mcp_doc *doc = call(client, "calculator",
                      "{\"operation\":\"add\",\"a\":5,\"b\":3}", &err);
  const mcp_json *sum =
      doc != NULL ? mcp_json_get(mcp_doc_root(doc), "result") : NULL;
  report("call", mcp_json_int(sum) == 8, "%s", err.message);
  mcp_doc_free(doc);
}

static void test_failure(mcp_client *client) {
  mcp_error err = {0};
  mcp_result *result = NULL;
  int rc = mcp_sync_call_tool(client, "fail", NULL, NULL, &result, &err);
  report("failure", rc == 0 && mcp_result_is_failure(result), "%s",
         err.message);
  mcp_result_unref(result);
}

static void test_error(mcp_client *client) {
  mcp_error err = {0};
  int rc = mcp_sync_call_tool(client, "no-such", NULL, NULL, NULL, &err);
  report("error", rc == MCP_ERR_REMOTE && err.status == -32602, "%s",
         err.message);
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  (void)client;
  *(int *)userdata = outcome->status;
}

/* The HTTP request ends; in the modern era no message cancels the call. */
static void test_cancel(mcp_client *client, int is_modern) {
  int status = 0;
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  mcp_client_call_tool(client, "wait", NULL, &options, on_done, &status, NULL);
  int has_begun = wait_for_one(client, "waiting");
  mcp_client_cancel(client, number, "enough");
  int has_broken = wait_for_one(client, "broken");
  report("cancelling ends the HTTP request",
         has_begun && has_broken && status == MCP_ERR_CANCELLED, "%s",
         mcp_error_name(status));
  report(is_modern ? "no message says so" : "a message says so",
         is_modern ? count(client, "cancelled") == 0
                   : wait_for_one(client, "cancelled"),
         "notifications/cancelled");
}

/* ------------------------------------------------------------------------ */

static int connect_to(mcp_client *client, const char *url, mcp_error *err) {
  mcp_transport *transport =
      mcp_transport_post(mcp_client_loop(client), url, NULL, err);
  return transport != NULL ? mcp_sync_connect(client, transport, err)
                           : err->code;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: post-client legacy|modern URL\n");
    return 1;
  }
  mcp_error err = {0};
  int is_modern = strcmp(argv[1], "modern") == 0;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .policy = is_modern ? MCP_POLICY_MODERN
                                                          : MCP_POLICY_LEGACY};
  mcp_client *client =
      mcp_client_new(loop, "post-client", "1.0.0", &options, NULL);
  int rc = connect_to(client, argv[2], &err);
  report("connecting", rc == 0, "%s", err.message);
  if (rc == 0) {
    test_tools(client);
    test_call(client);
    test_failure(client);
    test_error(client);
    test_cancel(client, is_modern);
    report("closing", mcp_sync_close(client) == 0, "%s", "");
  }
  mcp_client_free(client);
  mcp_loop_free(loop);
  return report_status();
}
