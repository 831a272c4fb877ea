/* SPDX-License-Identifier: MIT */
/* A client that logs in to a server with OAuth, and lists its tools. Try it:
 *
 *     build/bin/login-client https://example.com/mcp
 *
 * It opens a page in your browser, where you agree. A program without a user
 * has credentials of its own:
 *
 *     export CLIENT_ID=... CLIENT_SECRET=...
 *     export CLIENT_ISSUER=https://login.example.com
 *     build/bin/login-client https://example.com/mcp
 */
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>

/* The user agrees in a browser. Later runs use the stored token. */
static mcp_auth *auth_of_user(mcp_loop *loop, mcp_error *err) {
  mcp_auth_store store = MCP_AUTH_STORE_INIT;
  if (mcp_auth_store_files(&store, loop, NULL, err) != 0) {
    return NULL;
  }
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.client_name = "Example";
  options.store = &store;
  mcp_auth *auth = mcp_auth_new(loop, &options, err);
  if (auth == NULL) {
    store.release(store.userdata);
  }
  return auth;
}

static mcp_auth *auth_of_machine(mcp_loop *loop, mcp_error *err) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  options.client_id = getenv("CLIENT_ID");
  options.client_secret = getenv("CLIENT_SECRET");
  options.client_issuer = getenv("CLIENT_ISSUER");
  return mcp_auth_new(loop, &options, err);
}

/* A renewal that is cut short would cost the user's login. */
static void free_auth(mcp_auth *auth, mcp_loop *loop) {
  while (mcp_auth_is_renewing(auth) && mcp_loop_wait(loop, -1) >= 0) {
  }
  mcp_auth_free(auth);
}

static void print_tools(const mcp_result *tools) {
  for (size_t i = 0; i < mcp_result_count(tools); i++) {
    printf("%s\n",
           mcp_json_string(mcp_json_get(mcp_result_item(tools, i), "name")));
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: login-client URL\n");
    return 1;
  }
  mcp_error err = {0};
  mcp_result *tools = NULL;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_client *client =
      mcp_client_new(loop, "login-client", "1.0.0", NULL, NULL);
  mcp_http_client_options http = MCP_HTTP_CLIENT_OPTIONS_INIT;
  if (getenv("CLIENT_ID") != NULL) {
    http.auth = auth_of_machine(loop, &err);
  } else {
    http.auth = auth_of_user(loop, &err);
  }
  if (http.auth != NULL &&
      mcp_sync_connect_url(client, argv[1], &http, &err) == 0 &&
      mcp_sync_list_tools(client, NULL, &tools, &err) == 0) {
    print_tools(tools);
  } else {
    fprintf(stderr, "login-client: %s\n", err.message);
  }
  mcp_result_unref(tools);
  mcp_sync_close(client);
  mcp_client_free(client);
  free_auth(http.auth, loop);
  mcp_loop_free(loop);
  return err.code == 0 ? 0 : 1;
}
