/* SPDX-License-Identifier: MIT */
/* Every reserved member must be 0, so that a later version can use it: a
 * function that gets another value refuses it. */
#include "support/cm.h"

#include <mcp/mcp.h>
#include <stdio.h>
#include <string.h>

static mcp_loop *loop;
static mcp_server *server;

static int handler(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "");
}

/* --- one function for each member: sets it, and returns the code ---------- */

static int json_limits(uint32_t value, mcp_error *err) {
  mcp_json_limits limits = MCP_JSON_LIMITS_INIT;
  limits.reserved = value;
  mcp_doc *doc = mcp_doc_parse("1", 1, &limits, NULL, err);
  mcp_doc_free(doc);
  return doc != NULL ? 0 : err->code;
}

static int validator_options(uint32_t value, mcp_error *err) {
  mcp_validator_options options = MCP_VALIDATOR_OPTIONS_INIT;
  options.reserved = value;
  mcp_doc *doc = mcp_doc_parse("true", 4, NULL, NULL, NULL);
  mcp_validator *validator =
      mcp_validator_new(mcp_doc_root(doc), &options, err);
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
  return validator != NULL ? 0 : err->code;
}

static int limits(uint32_t value, mcp_error *err) {
  mcp_limits given = MCP_LIMITS_INIT;
  mcp_server_options options = MCP_SERVER_OPTIONS_INIT;
  given.reserved = value;
  options.limits = &given;
  mcp_server *made = mcp_server_new("s", "1", &options, err);
  mcp_server_free(made);
  return made != NULL ? 0 : err->code;
}

static mcp_transport *any_transport(void) {
  return mcp_transport_socket(loop, "unix:/no/such/socket", NULL, NULL);
}

static int connection_options(uint32_t value, mcp_error *err) {
  mcp_connection_options options = MCP_CONNECTION_OPTIONS_INIT;
  options.reserved = value;
  return mcp_server_connect(server, loop, any_transport(), &options, NULL, err);
}

static int resource(uint32_t value, mcp_error *err) {
  mcp_resource given = MCP_RESOURCE_INIT;
  given.uri = "test:a";
  given.name = "a";
  given.handler = handler;
  given.reserved = value;
  mcp_server *own = mcp_server_new("s", "1", NULL, NULL);
  int rc = mcp_server_add_resource(own, &given, err);
  mcp_server_free(own);
  return rc;
}

static int resource_template(uint32_t value, mcp_error *err) {
  mcp_resource_template given = MCP_RESOURCE_TEMPLATE_INIT;
  given.uri_template = "test:{a}";
  given.name = "a";
  given.handler = handler;
  given.reserved = value;
  mcp_server *own = mcp_server_new("s", "1", NULL, NULL);
  int rc = mcp_server_add_resource_template(own, &given, err);
  mcp_server_free(own);
  return rc;
}

static int add_prompt(const mcp_prompt *prompt, mcp_error *err) {
  mcp_server *own = mcp_server_new("s", "1", NULL, NULL);
  int rc = mcp_server_add_prompt(own, prompt, err);
  mcp_server_free(own);
  return rc;
}

static int prompt(uint32_t value, mcp_error *err) {
  mcp_prompt given = MCP_PROMPT_INIT;
  given.name = "a";
  given.handler = handler;
  given.reserved = value;
  return add_prompt(&given, err);
}

static int prompt_argument(uint32_t value, mcp_error *err) {
  const mcp_prompt_argument argument = {.name = "a", .padding = value};
  mcp_prompt given = MCP_PROMPT_INIT;
  given.name = "a";
  given.handler = handler;
  given.arguments = &argument;
  given.argument_count = 1;
  return add_prompt(&given, err);
}

static int try_http(const mcp_http_options *options, mcp_error *err) {
  mcp_http *http = mcp_http_new(server, loop, options, err);
  mcp_http_free(http);
  return http != NULL ? 0 : err->code;
}

static int http_options2(uint32_t value, mcp_error *err) {
  mcp_http_options options = MCP_HTTP_OPTIONS_INIT;
  options.reserved2 = value;
  return try_http(&options, err);
}

static int http_options3(uint32_t value, mcp_error *err) {
  mcp_http_options options = MCP_HTTP_OPTIONS_INIT;
  options.reserved3 = value;
  return try_http(&options, err);
}

static int http_listen_options(uint32_t value, mcp_error *err) {
  mcp_http_listen_options options = MCP_HTTP_LISTEN_OPTIONS_INIT;
  options.address = "127.0.0.1:0";
  options.reserved = value;
  mcp_http_listener *listener =
      mcp_server_listen_http(server, loop, &options, err);
  mcp_http_listener_free(listener);
  return listener != NULL ? 0 : err->code;
}

static int free_transport(mcp_transport *transport, const mcp_error *err) {
  mcp_transport_free(transport);
  return transport != NULL ? 0 : err->code;
}

static int http_client_options(uint32_t value, mcp_error *err) {
  mcp_http_client_options options = MCP_HTTP_CLIENT_OPTIONS_INIT;
  options.reserved = value;
  return free_transport(
      mcp_transport_http(loop, "http://127.0.0.1:1/mcp", &options, err), err);
}

static int process_options(uint32_t value, mcp_error *err) {
  static const char *const argv[] = {"true", NULL};
  mcp_process_options options = MCP_PROCESS_OPTIONS_INIT;
  options.argv = argv;
  options.reserved = value;
  return free_transport(mcp_transport_process(loop, &options, err), err);
}

static int socket_options(uint32_t value, mcp_error *err) {
  mcp_socket_options options = MCP_SOCKET_OPTIONS_INIT;
  options.reserved = value;
  return free_transport(
      mcp_transport_socket(loop, "unix:/no/such/socket", &options, err), err);
}

static int try_client(const mcp_client_options *options, mcp_error *err) {
  mcp_client *client = mcp_client_new(loop, "c", "1", options, err);
  mcp_client_free(client);
  return client != NULL ? 0 : err->code;
}

static int client_options(uint32_t value, mcp_error *err) {
  mcp_client_options options = MCP_CLIENT_OPTIONS_INIT;
  options.reserved = value;
  return try_client(&options, err);
}

static int client_options2(uint32_t value, mcp_error *err) {
  mcp_client_options options = MCP_CLIENT_OPTIONS_INIT;
  options.reserved2 = value;
  return try_client(&options, err);
}

static int tasks_options(uint32_t value, mcp_error *err) {
  mcp_tasks_options options = MCP_TASKS_OPTIONS_INIT;
  options.reserved = value;
  mcp_server *other = mcp_server_new("s", "1", NULL, NULL);
  int rc = mcp_server_enable_tasks(other, &options, err);
  mcp_server_free(other);
  return rc;
}

static int transport(uint32_t value, mcp_error *err) {
  mcp_transport *given = any_transport();
  given->reserved = value;
  return mcp_server_connect(server, loop, given, NULL, NULL, err);
}

static const struct {
  const char *member;
  int (*call)(uint32_t value, mcp_error *err);
} rows[] = {
    {"mcp_client_options.reserved ", client_options},
    {"mcp_client_options.reserved2 ", client_options2},
    {"mcp_connection_options.reserved ", connection_options},
    {"mcp_http_client_options.reserved ", http_client_options},
    {"mcp_http_listen_options.reserved ", http_listen_options},
    {"mcp_http_options.reserved2 ", http_options2},
    {"mcp_http_options.reserved3 ", http_options3},
    {"mcp_json_limits.reserved ", json_limits},
    {"mcp_limits.reserved ", limits},
    {"mcp_process_options.reserved ", process_options},
    {"mcp_prompt.reserved ", prompt},
    {"padding ", prompt_argument},
    {"mcp_resource.reserved ", resource},
    {"mcp_resource_template.reserved ", resource_template},
    {"mcp_socket_options.reserved ", socket_options},
    {"mcp_tasks_options.reserved ", tasks_options},
    {"mcp_transport.reserved ", transport},
    {"mcp_validator_options.reserved ", validator_options},
};

TEST(a_reserved_member_must_be_zero) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcp_error err = {0};
    char message[100];
    snprintf(message, sizeof(message),
             "%sis 7, but a reserved member must be 0", rows[i].member);
    int rc = rows[i].call(7, &err);
    if (rc != MCP_ERR_INVALID || err.code != MCP_ERR_INVALID ||
        strstr(err.message, message) == NULL) {
      fail_msg("%s: %d, \"%s\"", rows[i].member, rc, err.message);
    }
  }
}

TEST(zero_is_accepted) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcp_error err = {0};
    int rc = rows[i].call(0, &err);
    if (rc != 0) {
      fail_msg("%s: %d, \"%s\"", rows[i].member, rc, err.message);
    }
  }
}

static int set_up(void **state) {
  (void)state;
  loop = mcp_loop_new(NULL, NULL);
  server = mcp_server_new("s", "1", NULL, NULL);
  return loop != NULL && server != NULL ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  mcp_server_free(server);
  mcp_loop_free(loop);
  return 0;
}

int main(void) {
  return tests_run(set_up, tear_down);
}
