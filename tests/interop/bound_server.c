/* SPDX-License-Identifier: MIT */
/* A server over HTTP whose clients need a token that is bound to their key
 * (DPoP), and proofs with a nonce of the server. The command line says who
 * gives the tokens: --auth-issuer. */
#include <mcp/mcp.h>

static int on_who(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, mcp_call_principal(call));
}

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("bound-server", "1.0.0", NULL, NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "who",
                                  .description = "Says who calls",
                                  .handler = on_who},
                      NULL);
  const mcp_protect_options protect = {.size = sizeof(mcp_protect_options),
                                       .requires_dpop = 1,
                                       .demands_nonce = 1};
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .protect = &protect};
  const mcp_http_listen_options listen = {
      .size = sizeof(mcp_http_listen_options), .http = &http};
  const mcp_main_options options = {.size = sizeof(mcp_main_options),
                                    .listen = &listen,
                                    .transports = MCP_MAIN_HTTP};
  return mcp_main_with(server, argc, argv, &options);
}
