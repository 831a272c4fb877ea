/* SPDX-License-Identifier: MIT */
/* Two lines: the schema of a tool's arguments and results, and both of these in
 * one call. Once between our server and our client, which have to agree; and
 * once from a server that checks nothing, which the client has to find out. */
#include "support/plain_regex.h"
#include "json/json.h"
#include <mcp/mcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
  const char *schema;
  const char *value;
  int is_double; /* a member of the schema occurs twice */
  mcp_loop *loop;
  mcp_client *client;
  mcp_transport *far;
  int lists; /* completions */
  int calls;
  int status; /* of the call */
  int is_checked;
} run;

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static void turn(run *r) {
  for (int i = 0; i < 20; i++) {
    mcp_loop_advance(r->loop, 1000, 0);
  }
}

/* --- the client ----------------------------------------------------------- */

static void on_list(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  (void)client;
  (void)outcome;
  ((run *)userdata)->lists++;
}

static void on_call(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  run *r = userdata;
  (void)client;
  r->calls++;
  r->status = outcome->status;
  r->is_checked = mcp_result_is_checked(outcome->result);
}

static mcp_transport *client_init(run *r) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .revision = MCP_REVISION_2026_07_28};
  mcp_transport *near;
  r->loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_loop_advance(r->loop, 1000, 0);
  r->client = mcp_client_new(r->loop, "c", "1", &options, NULL);
  check(mcp_memory_pair(r->loop, &near, &r->far, NULL) == 0);
  return near;
}

static void talk(run *r, mcp_transport *near) {
  mcp_client_connect(r->client, near, NULL, NULL, NULL);
  turn(r);
  check(mcp_client_list_tools(r->client, NULL, on_list, r, NULL) == 0);
  turn(r);
  int rc =
      mcp_client_call_tool(r->client, "t", r->value[0] == '{' ? r->value : NULL,
                           NULL, on_call, r, NULL);
  turn(r);
  mcp_client_free(r->client);
  turn(r);
  check(r->lists == 1 && r->calls == (rc == 0));
}

/* --- our own server ------------------------------------------------------- */

static int reply(mcp_call *call, void *userdata) {
  const run *r = userdata;
  return mcp_call_reply_structured(call, r->value);
}

static int add_tool(mcp_server *server, run *r, int has_input) {
  const mcp_schema schema = {.size = sizeof(mcp_schema), .text = r->schema};
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "t",
                         .input = has_input ? &schema : NULL,
                         .output = &schema,
                         .handler = reply,
                         .userdata = r};
  int rc = mcp_server_add_tool(server, &tool, NULL);
  check(rc == 0 || mcp_server_error(server)->message[0] != '\0');
  check(rc == 0 || rc == MCP_ERR_SCHEMA || rc == MCP_ERR_PARSE ||
        rc == MCP_ERR_LIMIT || (rc == MCP_ERR_INVALID && r->is_double));
  return rc;
}

/* What our server lets out is what our client lets in. */
static void speak_to_our_server(run *r) {
  mcp_server *server = mcp_server_new("s", "1", NULL, NULL);
  int rc = add_tool(server, r, 1);
  if (rc == MCP_ERR_SCHEMA) {
    rc = add_tool(server, r, 0);
  }
  if (rc == 0) {
    mcp_transport *near = client_init(r);
    mcp_server_connect(server, r->loop, r->far, NULL, NULL, NULL);
    talk(r, near);
    check(r->status != MCP_ERR_SCHEMA && r->status != MCP_ERR_LIMIT);
  }
  mcp_server_free(server);
  if (r->loop != NULL) {
    turn(r);
    mcp_loop_free(r->loop);
  }
}

/* --- one that checks nothing ---------------------------------------------- */

static void answer(mcp_transport *far, const char *message, size_t len) {
  const run *r = far->owner;
  const mcp_send_info info = {.size = sizeof(info)};
  mcp_doc *doc = mcp_doc_parse(message, len, NULL, NULL, NULL);
  check(doc != NULL);
  const mcp_json *root = mcp_doc_root(doc);
  const char *method = mcp_json_string(mcp_json_get(root, "method"));
  int id = (int)mcp_json_int(mcp_json_get(root, "id"));
  size_t size = strlen(r->schema) + strlen(r->value) + 500;
  char *text = malloc(size);
  int used =
      snprintf(text, size, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{", id);
  if (strcmp(method, "tools/list") == 0) {
    snprintf(text + used, size - (size_t)used,
             "\"tools\":[{\"name\":\"t\",\"inputSchema\":{},"
             "\"outputSchema\":%s}]}}",
             r->schema);
  } else if (strcmp(method, "tools/call") == 0) {
    snprintf(text + used, size - (size_t)used,
             "\"content\":[],\"structuredContent\":%s}}", r->value);
  } else {
    snprintf(text + used, size - (size_t)used,
             "\"supportedVersions\":[\"2026-07-28\"],"
             "\"capabilities\":{\"tools\":{}}}}");
  }
  mcp_doc_free(doc);
  if (id > 0) {
    far->send(far, text, strlen(text), &info);
  }
  free(text);
}

static void on_error(mcp_transport *far, const mcp_error *err) {
  (void)far;
  (void)err;
}

/* What the client should find: 0, or the code; 1: it cannot be checked. */
static int verdict_of(const mcp_json *schema, const mcp_json *value) {
  mcp_validator *validator = mcp_validator_new(schema, NULL, NULL);
  int rc = 1;
  if (validator != NULL) {
    rc = mcp_validator_check(validator, value, NULL, NULL);
  }
  mcp_validator_unref(validator);
  return rc;
}

/* A client refuses such messages whatever they say. */
static int has_double(const mcp_json *value) {
  static const uint64_t seed[2] = {1, 2};
  int oom = 0;
  return mcpi_json_duplicate_within(value, mcp_allocator_default(), seed,
                                    &oom) != NULL;
}

static void speak_to_another_server(run *r, int verdict) {
  mcp_error err;
  mcp_transport *near = client_init(r);
  r->far->owner = r;
  r->far->on_message = answer;
  r->far->on_error = on_error;
  r->far->on_close = on_error;
  r->far->start(r->far, &err);
  talk(r, near);
  check(r->calls == 0 || r->is_checked == (verdict == 0));
  check(r->calls == 0 || r->status == (verdict == 1 ? 0 : verdict));
  mcp_transport_free(r->far);
  mcp_loop_free(r->loop);
}

/* --- the input ------------------------------------------------------------ */

static mcp_doc *parse(const char *text) {
  const mcp_json_limits limits = {.size = sizeof(mcp_json_limits),
                                  .max_depth = 120}; /* with what is around */
  return mcp_doc_parse(text, strlen(text), &limits, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  char *text = malloc(len + 1);
  memcpy(text, data, len);
  text[len] = '\0';
  char *lf = strchr(text, '\n');
  plain_regex_provide();
  if (lf != NULL) {
    *lf = '\0';
    mcp_doc *schema = parse(text);
    mcp_doc *value = parse(lf + 1);
    if (schema != NULL && value != NULL) {
      int is_double = has_double(mcp_doc_root(schema));
      speak_to_our_server(
          &(run){.schema = text, .value = lf + 1, .is_double = is_double});
      if (!is_double && !has_double(mcp_doc_root(value))) {
        speak_to_another_server(
            &(run){.schema = text, .value = lf + 1},
            verdict_of(mcp_doc_root(schema), mcp_doc_root(value)));
      }
    }
    mcp_doc_free(value);
    mcp_doc_free(schema);
  }
  free(text);
  return 0;
}
