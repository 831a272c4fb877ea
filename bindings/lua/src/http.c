/* SPDX-License-Identifier: MIT */
/* require "mcp.http": lets clients connect to URLs. A module of its own, so
 * that only such clients load libcurl. */
#include "binding.h"

static int connect_url(mcp_client *client, const char *url,
                       const char *const *headers, mcp_done_cb on_done,
                       void *userdata, mcp_error *err) {
  mcp_http_client_options options = {.size = sizeof options,
                                     .headers = headers};
  return mcp_client_connect_url(client, url, &options, on_done, userdata, err);
}

static mcpl_http functions = {connect_url};

__attribute__((visibility("default"))) int luaopen_mcp_http(lua_State *L);

int luaopen_mcp_http(lua_State *L) {
  luaL_checkversion(L);
  lua_pushlightuserdata(L, &functions);
  return 1;
}
