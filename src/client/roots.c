/* SPDX-License-Identifier: MIT */
/* The roots that the program offers to the server (MCP, Roots). */
#include "base/error.h"
#include "client/request.h"

static int roots_check_uri(const mcp_json *uri, size_t index, mcp_error *err) {
  const char *text = mcp_json_string(uri);
  if (text != NULL && strncmp(text, "file://", 7) == 0) {
    return 0;
  }
  if (text == NULL) {
    return mcp_error_set(
        err, MCP_ERR_INVALID,
        "roots[%zu].uri is %s: it must be a string that begins with file://",
        index, uri == NULL ? "missing" : "not a string, or contains NUL");
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "roots[%zu].uri: \"%s\" does not begin with file://",
                       index, text);
}

/* A strict server would refuse the whole list for one root of another kind. */
static int roots_check(const mcp_json *roots, mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *root;
  int type = mcp_json_type(roots);
  int rc = 0;
  if (type != MCP_JSON_ARRAY) {
    return mcp_error_set(err, MCP_ERR_INVALID, "roots: JSON %s, not an array",
                         mcp_json_type_name(type));
  }
  mcp_json_iter_init(&iter, roots);
  for (size_t i = 0;
       rc == 0 && (root = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    rc = roots_check_uri(mcp_json_get(root, "uri"), i, err);
  }
  return rc;
}

static int roots_parse(const mcp_client *client, const char *roots,
                       mcp_doc **doc, mcp_error *err) {
  mcp_error why;
  int rc = mcpi_doc_parse(doc, roots, strlen(roots), NULL,
                          &client->loop->allocator, &why);
  if (rc == 0 || rc == MCP_ERR_NOMEM) {
    return rc;
  }
  return mcp_error_set(err, MCP_ERR_INVALID, "roots: %s", why.message);
}

static int roots_render(mcp_client *client, const char *roots, mcpi_buf *buf,
                        mcp_error *err) {
  mcp_doc *doc;
  int rc = roots_parse(client, roots, &doc, err);
  if (rc != 0) {
    return rc;
  }
  rc = roots_check(mcp_doc_root(doc), err);
  if (rc == 0) {
    mcpi_json_put_value(buf, mcp_doc_root(doc));
    rc = buf->error;
  }
  mcp_doc_free(doc);
  return rc;
}

/* Tells a legacy server that the roots have changed. A modern server asks each
 * time. */
static int roots_tell(mcp_client *client, mcp_error *err) {
  if (!mcpi_client_is_open(client) || mcpi_client_is_modern(client) ||
      !client->declared_roots) {
    return 0;
  }
  mcpi_client_enter(client);
  int rc = mcpi_peer_send_notification(
      &client->peer, MCPI_STR("notifications/roots/list_changed"),
      (mcpi_str){NULL, 0}, NULL);
  if (rc != 0) {
    mcpi_error_complete(err, rc);
  }
  mcpi_client_return(client);
  return rc;
}

/* A server that knows of roots gets an empty list when the program takes them
 * back. */
int mcp_client_set_roots(mcp_client *client, const char *roots,
                         mcp_error *err) {
  mcpi_buf buf;
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  int has_roots = roots != NULL ||
                  (client->state != MCPI_CLIENT_IDLE && client->declared_roots);
  mcpi_error_clear(err);
  mcpi_buf_init(&buf, &client->loop->allocator, SIZE_MAX);
  int rc = roots_render(client, roots != NULL ? roots : "[]", &buf, err);
  if (rc != 0) {
    mcpi_buf_deinit(&buf);
    return mcpi_error_complete(err, rc);
  }
  mcpi_buf_deinit(&client->roots);
  client->roots = buf;
  client->has_roots = has_roots;
  return roots_tell(client, err);
}
