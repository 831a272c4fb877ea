/* SPDX-License-Identifier: MIT */
/* A build without parts of libmcp-core: what is left out is named by errors.
 * And MCP_PROFILE=small on this computer, where these are left out, and where
 * yyjson touches only the memory that it gets (json/parse.c; the address
 * sanitizer sees the rest). */
#include <mcp/call.h>
#include <mcp/json.h>
#include <mcp/loop.h>
#include <mcp/schema.h>
#include <mcp/server.h>
#include <mcp/transport.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* CMake says of each option whether it is OFF: WITHOUT_SCHEMA_ARRAYS=1. */
#define OPTION(name) (WITHOUT_##name ? "MCP_" #name : NULL)

static int failed;

static void check(int is_fine, const char *what, const mcp_error *err) {
  if (!is_fine) {
    printf("%s: %d \"%s\" at %lu\n", what, err->code, err->message,
           (unsigned long)err->offset);
    failed = 1;
  }
}

static void check_schema(const char *text, const char *option) {
  mcp_error err = {0};
  mcp_validator_options options = MCP_VALIDATOR_OPTIONS_INIT;
  options.assert_formats = 1;
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  mcp_validator *validator =
      mcp_validator_new(mcp_doc_root(doc), &options, &err);
  check((validator == NULL) == (option != NULL) &&
            (option == NULL || strstr(err.message, option) != NULL),
        text, &err);
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
}

/* With the meta-schemas the reference finds one, which needs regular
 * expressions that libmcp-core has not got. */
static void check_meta(void) {
  static const char text[] =
      "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}";
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  mcp_validator_unref(mcp_validator_new(mcp_doc_root(doc), NULL, &err));
  int names_it = strstr(err.message, "MCP_SCHEMA_META") != NULL;
  check(names_it == (WITHOUT_SCHEMA_META && !WITHOUT_SCHEMA_CHOICES), text,
        &err);
  mcp_doc_free(doc);
}

static void check_fault(const char *text, int code, uint64_t offset) {
  mcp_error err = {0};
  const mcp_json_limits limits = {.size = sizeof(limits), .max_depth = 16};
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), &limits, NULL, &err);
  check(doc == NULL && err.code == code &&
            (code != MCP_ERR_PARSE || err.offset == offset),
        text, &err);
  mcp_doc_free(doc);
}

static void check_text(const char *text) {
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  check(doc != NULL, text, &err);
  mcp_doc_free(doc);
}

/* Every length, and as many values as fit into it. */
static void check_lengths(void) {
  char text[2048];
  for (size_t len = 3; len < sizeof(text) - 1; len++) {
    memset(text, '0', len);
    for (size_t i = 2; i + 2 < len; i += 2) {
      text[i] = ',';
    }
    text[0] = '[';
    text[len - 2] = len % 2 != 0 ? '0' : ' ';
    text[len - 1] = ']';
    text[len] = '\0';
    check_text(text);
  }
}

/* --- a question ---------------------------------------------------------- */

static char answer[2048];

static int wire_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  (void)err;
  return 0;
}

static int wire_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  (void)transport;
  (void)info;
  snprintf(answer, sizeof(answer), "%.*s", (int)len, message);
  return 0;
}

static void wire_close(mcp_transport *transport) {
  transport->on_close(transport, NULL);
}

static int on_ask(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *roots;
  return mcp_call_ask_roots(call, "roots", &roots);
}

static void check_questions(void) {
  static const char request[] =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
      "\"name\":\"ask\",\"_meta\":{"
      "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
  mcp_tool tool = MCP_TOOL_INIT;
  tool.name = "ask";
  tool.handler = on_ask;
  mcp_error err = {0};
  mcp_transport wire = {.size = sizeof(wire),
                        .start = wire_start,
                        .send = wire_send,
                        .close = wire_close};
  mcp_server *server = mcp_server_new("left-out", "1", NULL, NULL);
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_server_add_tool(server, &tool, &err);
  check(mcp_server_connect(server, loop, &wire, NULL, NULL, &err) == 0,
        "a server is connected", &err);
  wire.on_message(&wire, request, strlen(request));
  int names_it = strstr(answer, "MCP_QUESTIONS") != NULL;
  check(answer[0] != '\0' && names_it == WITHOUT_QUESTIONS, answer, &err);
  mcp_server_free(server);
  mcp_loop_free(loop);
}

/* --- texts ---------------------------------------------------------------- */

/* Texts that are seldom JSON, but are made of what JSON is made of. */
static void check_garbage(void) {
  static const char pieces[] = "[[[]]]{{}},,,::\"\"\"\\\n  0012.eE-+tfnulrase";
  uint32_t state = 1;
  for (int round = 0; round < 300000; round++) {
    char text[40];
    size_t len = 0;
    do {
      state = state * 1664525 + 1013904223;
      text[len++] = pieces[(state >> 16) % (sizeof(pieces) - 1)];
    } while (len < sizeof(text) && (state >> 8) % 24 != 0);
    mcp_doc_free(mcp_doc_parse(text, len, NULL, NULL, NULL));
  }
}

int main(void) {
  check_schema("{\"type\":\"object\",\"required\":[\"a\"]}", NULL);
  check_schema("{\"items\":true}", OPTION(SCHEMA_ARRAYS));
  check_schema("{\"properties\":{\"a\":{\"uniqueItems\":true}}}",
               OPTION(SCHEMA_ARRAYS));
  check_schema("{\"anyOf\":[true]}", OPTION(SCHEMA_CHOICES));
  check_schema("{\"properties\":{\"a\":{\"$ref\":\"#\"}}}",
               OPTION(SCHEMA_CHOICES));
  check_meta();
  check_schema("{\"format\":\"date\"}", OPTION(SCHEMA_FORMATS));
  check_questions();
  check_fault("{\"a\":tru}", MCP_ERR_PARSE, 5);
  check_fault("[", MCP_ERR_PARSE, 1);
  check_fault("{}x", MCP_ERR_PARSE, 2);
  check_fault(" [1,]", MCP_ERR_PARSE, 3);
  check_fault("[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]", MCP_ERR_LIMIT, 0);
  check_text(" {}");
  check_text("12");
  check_lengths();
  check_garbage();
  return failed;
}
