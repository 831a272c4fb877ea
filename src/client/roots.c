/* SPDX-License-Identifier: MIT */
/* The roots that the program shows (PROTOCOL 5.3). */
#include "client/client.h"

static int is_file_uri(const mcp_json *uri) {
  const char *text = mcp_json_string(uri);
  return text != NULL && strncmp(text, "file://", 7) == 0;
}

/* Servers that check would refuse the whole list for one of another kind. */
static int check(const mcp_json *roots) {
  mcp_json_iter iter;
  const mcp_json *root;
  if (mcp_json_type(roots) != MCP_JSON_ARRAY) {
    return MCP_ERR_INVALID;
  }
  mcp_json_iter_init(&iter, roots);
  while ((root = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_file_uri(mcp_json_get(root, "uri"))) {
      return MCP_ERR_INVALID;
    }
  }
  return 0;
}

static int render(const mcp_client *client, const char *roots, mcpi_buf *buf) {
  mcp_doc *doc;
  int rc = mcp_doc_parse(&doc, roots, strlen(roots), NULL,
                         &client->loop->allocator, NULL);
  if (rc != 0) {
    return rc == MCP_ERR_NOMEM ? rc : MCP_ERR_INVALID;
  }
  rc = check(mcp_doc_root(doc));
  if (rc == 0) {
    mcpi_json_put_value(buf, mcp_doc_root(doc));
    rc = buf->error;
  }
  mcp_doc_free(doc);
  return rc;
}

/* A modern server asks each time it wants to know. */
static int tell(mcp_client *client) {
  if (!mcpi_client_is_open(client) || mcpi_client_is_modern(client) ||
      !client->declared_roots) {
    return 0;
  }
  mcpi_client_enter(client);
  int rc = mcpi_peer_send_notification(
      &client->peer, MCPI_STR("notifications/roots/list_changed"),
      (mcpi_str){NULL, 0});
  mcpi_client_return(client);
  return rc;
}

/* To take them back from a server that was told of them leaves an empty list.
 */
int mcp_client_set_roots(mcp_client *client, const char *roots) {
  mcpi_buf buf;
  if (client == NULL) {
    return MCP_ERR_INVALID;
  }
  int has_roots = roots != NULL ||
                  (client->state != MCPI_CLIENT_IDLE && client->declared_roots);
  mcpi_buf_init(&buf, &client->loop->allocator, SIZE_MAX);
  int rc = render(client, roots != NULL ? roots : "[]", &buf);
  if (rc != 0) {
    mcpi_buf_deinit(&buf);
    return rc;
  }
  mcpi_buf_deinit(&client->roots);
  client->roots = buf;
  client->has_roots = has_roots;
  return tell(client);
}
