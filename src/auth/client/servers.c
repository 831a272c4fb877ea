/* SPDX-License-Identifier: MIT */
#include "auth/client/servers.h"

#include "auth/client/server_url.h"
#include "auth/web_url.h"
#include "base/error.h"

/* Returns a server that nobody uses, and that does nothing; NULL: there is no
 * such server. */
static mcpi_auth_server *servers_idle(const mcp_auth *auth) {
  size_t index = 0;
  mcpi_auth_server *server = mcpi_map_next(&auth->servers, &index);
  while (server != NULL &&
         (server->holders > 1 || mcpi_server_is_busy(server))) {
    server = mcpi_map_next(&auth->servers, &index);
  }
  return server;
}

static void servers_make_room(mcp_auth *auth) {
  mcpi_auth_server *idle = NULL;
  if (auth->servers.count >= MCPI_SERVERS_KEPT) {
    idle = servers_idle(auth);
  }
  if (idle != NULL) {
    mcpi_map_remove(&auth->servers, mcpi_str_z(idle->url));
    mcpi_server_drop(idle);
  }
}

static mcpi_auth_server *servers_add(mcp_auth *auth, const char *url,
                                     mcp_error *err) {
  servers_make_room(auth);
  mcpi_auth_server *server = mcpi_server_new(auth, url, err);
  if (server != NULL &&
      mcpi_map_add(&auth->servers, mcpi_str_z(server->url), server) != 0) {
    mcpi_server_drop(server);
    mcpi_no_memory(err);
    return NULL;
  }
  return server;
}

/* Owned; NULL with err. The text of a URL may have a password. */
static char *servers_key(const mcp_auth *auth, const char *url,
                         mcp_error *err) {
  mcpi_buf key;
  mcpi_buf_init(&key, mcpi_auth_allocator(auth), MCPI_WEB_URL_MAX + 1);
  if (url == NULL || mcpi_server_url_put(&key, mcpi_str_z(url)) != 0 ||
      key.error == MCP_ERR_LIMIT) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "the server's URL is not an http:// or https:// URL of at "
                  "most %d bytes",
                  MCPI_WEB_URL_MAX);
    mcpi_buf_deinit(&key);
    return NULL;
  }
  char *copy = mcpi_buf_take_string(&key);
  if (copy == NULL) {
    mcpi_no_memory(err);
  }
  return copy;
}

mcpi_auth_server *mcpi_servers_get(mcp_auth *auth, const char *url,
                                   mcp_error *err) {
  if (auth->is_freed) {
    mcpi_auth_closed(err);
    return NULL;
  }
  char *key = servers_key(auth, url, err);
  if (key == NULL) {
    return NULL;
  }
  mcpi_auth_server *server = mcpi_map_get(&auth->servers, mcpi_str_z(key));
  if (server == NULL) {
    server = servers_add(auth, key, err);
  }
  mcpi_strfree(mcpi_auth_allocator(auth), key);
  if (server != NULL) {
    mcpi_server_hold(server);
  }
  return server;
}

int mcpi_servers_are_renewing(const mcp_auth *auth) {
  size_t index = 0;
  const mcpi_auth_server *server = mcpi_map_next(&auth->servers, &index);
  while (server != NULL && !mcpi_server_is_renewing(server)) {
    server = mcpi_map_next(&auth->servers, &index);
  }
  return server != NULL;
}

void mcpi_servers_close(mcp_auth *auth, const mcp_error *err) {
  for (size_t index = 0; auth->servers.count > 0; index = 0) {
    mcpi_auth_server *server = mcpi_map_next(&auth->servers, &index);
    mcpi_map_remove(&auth->servers, mcpi_str_z(server->url));
    mcpi_server_close(server, err);
    mcpi_server_drop(server);
  }
}
