/* SPDX-License-Identifier: MIT */
/* A server over HTTP for clients that show a token. Try it:
 *
 *     export TOKEN=secret
 *     build/bin/token-server --http 127.0.0.1:8080
 *     build/bin/mcpctl --token-env TOKEN http://127.0.0.1:8080/mcp call who
 */
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int on_who(mcp_call *call, void *userdata) {
  const char *principal = mcp_call_principal(call);
  (void)userdata;
  return mcp_call_reply_text(call, principal != NULL ? principal : "nobody");
}

static const char *find_header(const mcp_http_request *request,
                               const char *name) {
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcasecmp(request->headers[i].name, name) == 0) {
      return request->headers[i].value;
    }
  }
  return NULL;
}

/* Takes the same time wherever the first difference is. */
static int is_same(const char *given, const char *expected) {
  size_t len = strlen(expected);
  if (strlen(given) != len) {
    return 0;
  }
  unsigned char difference = 0;
  for (size_t i = 0; i < len; i++) {
    difference |= (unsigned char)(given[i] ^ expected[i]);
  }
  return difference == 0;
}

static int on_request(mcp_server *server, const mcp_http_request *request,
                      mcp_http_decision *decision, void *userdata) {
  (void)server;
  const char *token = userdata;
  const char *given = find_header(request, "Authorization");
  if (given == NULL || strncmp(given, "Bearer ", 7) != 0 ||
      !is_same(given + 7, token)) {
    decision->reason = "show your token: Authorization: Bearer TOKEN";
    decision->challenge = "Bearer";
    return 401;
  }
  decision->principal = "owner";
  return 0;
}

int main(int argc, char **argv) {
  static const char *const origins[] = {"https://app.example.org", NULL};
  char *token = getenv("TOKEN");
  if (token == NULL || token[0] == '\0') {
    fprintf(stderr, "set TOKEN to what clients must show\n");
    return 2;
  }
  mcp_server *server = mcp_server_new("token-server", "1.0.0", NULL, NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "who",
                                  .description = "Says who calls",
                                  .handler = on_who},
                      NULL);
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .allowed_origins = origins,
                                 .on_request = on_request,
                                 .userdata = token};
  const mcp_http_listen_options listen = {.size =
                                              sizeof(mcp_http_listen_options),
                                          .http = &http,
                                          .max_body = 100000};
  const mcp_main_options options = {.size = sizeof(mcp_main_options),
                                    .summary = "Serves clients with a token.",
                                    .listen = &listen,
                                    .transports = MCP_MAIN_HTTP};
  return mcp_main_with(server, argc, argv, &options);
}
