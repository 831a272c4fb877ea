/* SPDX-License-Identifier: MIT */
/* A server over HTTP for clients with an access token. Try it with fixed
 * tokens:
 *
 *     (umask 077; echo '0123456789abcdef anna notes:write' > tokens)
 *     build/bin/protected-server --http 127.0.0.1:8080 --auth-token-file tokens
 *     export TOKEN=0123456789abcdef
 *     build/bin/mcpctl --token-env TOKEN http://127.0.0.1:8080/mcp call who
 *
 * With an authorization server, give its URL instead: --auth-issuer URL.
 */
#include <mcp/mcp.h>
#include <stdio.h>

/* Fixed tokens have no claims. */
static int on_who(mcp_call *call, void *userdata) {
  const mcp_json *mail = mcp_json_get(mcp_call_claims(call), "email");
  const char *text = mcp_json_string(mail);
  (void)userdata;
  return mcp_call_reply_textf(call, "%s (%s) may: %s", mcp_call_principal(call),
                              text != NULL ? text : "no mail address",
                              mcp_call_scopes(call));
}

static int on_note(mcp_call *call, void *userdata) {
  (void)userdata;
  fprintf(stderr, "%s: %s\n", mcp_call_principal(call),
          mcp_call_string(call, "text"));
  return mcp_call_reply_text(call, "noted");
}

static void add_tools(mcp_server *server) {
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "who",
                                  .description = "Says who calls",
                                  .handler = on_who},
                      NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "note",
                                  .description = "Writes a note",
                                  .input = MCP_OBJECT(MCP_STRING("text", NULL)),
                                  .handler = on_note,
                                  .scopes = "notes:write"},
                      NULL);
}

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("protected-server", "1.0.0", NULL, NULL);
  add_tools(server);
  /* The command line says how tokens are checked. */
  const mcp_protect_options protect = {.size = sizeof(mcp_protect_options),
                                       .scopes_supported = "notes:write",
                                       .hides_forbidden = 1};
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .protect = &protect};
  const mcp_http_listen_options listen = {
      .size = sizeof(mcp_http_listen_options), .http = &http};
  const mcp_main_options options = {.size = sizeof(mcp_main_options),
                                    .summary = "Serves clients with a token.",
                                    .listen = &listen,
                                    .transports = MCP_MAIN_HTTP};
  return mcp_main_with(server, argc, argv, &options);
}
