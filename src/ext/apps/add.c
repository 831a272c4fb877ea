/* SPDX-License-Identifier: MIT */
/* Apps and their tools, as they are registered. An app is a resource, and what
 * it needs is `_meta`: the rest of the server knows nothing about apps. */
#include "base/error.h"
#include "base/widen.h"
#include "codec/http_value.h"
#include "ext/apps/meta.h"
#include "ext/apps/origin.h"
#include "ext/apps/permissions.h"
#include "ext/apps/uri.h"
#include "server/content.h"
#include "server/server.h"

/* Where the beginning of an HTML5 document must be. Comments may precede it. */
enum { DOCTYPE_WITHIN = 1024 };

/* --- checks -------------------------------------------------------------- */

static int app_check_uri(const mcp_app *app, mcp_error *err) {
  if (app->uri == NULL || app->uri[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID, "uri is required");
  }
  if (!mcpi_app_is_uri(mcpi_str_z(app->uri))) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "uri must begin with \"ui://\", such as "
                         "\"ui://weather/chart\"");
  }
  return 0;
}

static int app_has_doctype(mcpi_str page) {
  mcpi_str doctype = MCPI_STR("<!doctype html");
  for (size_t at = 0; at < DOCTYPE_WITHIN && page.len >= doctype.len; at++) {
    if (mcpi_header_eq_nocase(mcpi_str_n(page.ptr, doctype.len), doctype)) {
      return 1;
    }
    mcpi_str_take(&page, 1);
  }
  return 0;
}

static int app_check_page(const mcp_app *app, mcp_error *err) {
  int ways = (app->html != NULL) + (app->data != NULL) + (app->handler != NULL);
  if (ways != 1) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "needs exactly one of html, data and handler, has %d",
                         ways);
  }
  mcpi_str page = app->html != NULL ? mcpi_str_z(app->html)
                                    : mcpi_str_n(app->data, app->data_len);
  if (app->handler == NULL && !app_has_doctype(page)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s must be an HTML5 document, which begins with "
                         "<!doctype html>, and begins with \"%.*s\"",
                         app->html != NULL ? "html" : "data",
                         (int)(page.len < 40 ? page.len : 40), page.ptr);
  }
  return 0;
}

static int app_check_origins(const char *member, const char *const *origins,
                             mcp_error *err) {
  for (size_t i = 0; origins != NULL && origins[i] != NULL; i++) {
    if (i == MCPI_MAX_ORIGINS) {
      return mcp_error_set(err, MCP_ERR_LIMIT,
                           "%s has more than %d origins: name a domain for "
                           "several hosts, such as \"https://*.example.com\"",
                           member, MCPI_MAX_ORIGINS);
    }
    if (!mcpi_origin_is_valid(mcpi_str_z(origins[i]))) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "%s[%zu] \"%.100s\" is not an origin, such as "
                           "\"https://api.example.com\": a scheme (http, "
                           "https, ws or wss), a host name, and no path",
                           member, i, origins[i]);
    }
  }
  return 0;
}

static int app_check_all_origins(const mcp_app *app, mcp_error *err) {
  int rc = app_check_origins("connect_domains", app->connect_domains, err);
  if (rc == 0) {
    rc = app_check_origins("resource_domains", app->resource_domains, err);
  }
  if (rc == 0) {
    rc = app_check_origins("frame_domains", app->frame_domains, err);
  }
  if (rc == 0) {
    rc = app_check_origins("base_uri_domains", app->base_uri_domains, err);
  }
  return rc;
}

static int app_check_needs(const mcp_app *app, mcp_error *err) {
  if (app->domain != NULL && app->domain[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "domain is empty: use NULL for no domain");
  }
  if ((app->permissions & ~(uint32_t)MCPI_APP_ALL_PERMISSIONS) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "permissions %#lx has unknown bits",
                         (unsigned long)app->permissions);
  }
  if (app->border > MCP_APP_NO_BORDER) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "border %lu is not MCP_APP_BORDER, "
                         "MCP_APP_NO_BORDER or 0",
                         (unsigned long)app->border);
  }
  return mcpi_text_check("domain", app->domain, err);
}

/* Checks what mcp_server_add_resource does not check, or checks under another
 * name. */
static int app_check(const mcp_app *app, mcp_error *err) {
  int rc = app_check_uri(app, err);
  if (rc == 0) {
    rc = app_check_page(app, err);
  }
  if (rc == 0) {
    rc = app_check_all_origins(app, err);
  }
  if (rc == 0) {
    rc = app_check_needs(app, err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_app.reserved", app->reserved, err);
  }
  return rc;
}

/* --- apps ---------------------------------------------------------------- */

/* Reports a failure with what it concerns: app "ui://a": ... */
static int add_fail(mcp_server *server, int rc, const char *what,
                    const char *key, const mcp_error *why, mcp_error *err) {
  mcp_error whole;
  mcp_error_set(&whole, rc, "%s \"%s\": %s", what, key != NULL ? key : "",
                why->message);
  return mcpi_server_remember(server, &whole, err);
}

/* Returns NULL for an empty text. */
static const char *text_of(mcpi_buf *text) {
  return text->len > 0 ? text->data : NULL;
}

static mcp_resource resource_of(const mcp_app *app, mcpi_buf *meta,
                                mcpi_buf *needs) {
  return (mcp_resource){.size = sizeof(mcp_resource),
                        .uri = app->uri,
                        .name = app->name,
                        .title = app->title,
                        .description = app->description,
                        .mime_type = MCP_APP_MIME_TYPE,
                        .meta = text_of(meta),
                        .cache_ttl_ms = app->cache_ttl_ms,
                        .text = app->html,
                        .data = app->data,
                        .data_len = app->data_len,
                        .handler = app->handler,
                        .userdata = app->userdata,
                        .is_blocking = app->is_blocking,
                        .release = app->release,
                        .scopes = app->scopes,
                        .content_meta = text_of(needs)};
}

/* The extension is declared first: an app that was added could not be removed
 * again without a call of its `release`. */
static int add_app(mcp_server *server, const mcp_app *app, mcpi_buf *meta,
                   mcpi_buf *needs, mcp_error *err) {
  mcp_error why = {.message = "out of memory"};
  int rc = app_check(app, &why);
  if (rc == 0) {
    rc = mcpi_app_put_meta(meta, app, &why);
  }
  if (rc == 0) {
    rc = mcpi_app_put_needs(needs, app, &why);
  }
  if (rc == 0) {
    rc = mcpi_server_declare_extension(server, MCP_APP_EXTENSION, &why);
  }
  if (rc != 0) {
    return add_fail(server, rc, "app", app->uri, &why, err);
  }
  const mcp_resource resource = resource_of(app, meta, needs);
  return mcp_server_add_resource(server, &resource, err);
}

int mcp_server_add_app(mcp_server *server, const mcp_app *app, mcp_error *err) {
  mcp_error why;
  mcp_app whole;
  mcpi_buf meta;
  mcpi_buf needs;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_widen(&whole, sizeof(whole), app, "mcp_app", &why);
  if (rc != 0) {
    return mcpi_server_remember(server, &why, err);
  }
  mcpi_buf_init(&meta, &server->allocator, SIZE_MAX);
  mcpi_buf_init(&needs, &server->allocator, SIZE_MAX);
  rc = add_app(server, &whole, &meta, &needs, err);
  mcpi_buf_deinit(&meta);
  mcpi_buf_deinit(&needs);
  return rc;
}

/* --- tools --------------------------------------------------------------- */

static int tool_check_app(mcp_server *server, const char *app_uri,
                          uint32_t visibility, mcp_error *err) {
  const uint32_t both = MCP_VISIBLE_TO_MODEL | MCP_VISIBLE_TO_APP;
  if ((visibility & ~both) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "visibility %#lx has unknown bits",
                         (unsigned long)visibility);
  }
  if (app_uri == NULL && visibility == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "has neither an app nor a visibility: use "
                         "mcp_server_add_tool");
  }
  if (app_uri != NULL &&
      !mcpi_server_has_resource(server, app_uri, MCP_APP_MIME_TYPE)) {
    return mcp_error_set(err, MCP_ERR_NOT_FOUND,
                         "there is no app \"%s\": add it first, by "
                         "mcp_server_add_app",
                         app_uri);
  }
  return 0;
}

static int add_app_tool(mcp_server *server, mcp_tool *tool, const char *app_uri,
                        uint32_t visibility, mcpi_buf *meta, mcp_error *err) {
  mcp_error why = {.message = "out of memory"};
  int rc = tool_check_app(server, app_uri, visibility, &why);
  if (rc == 0) {
    rc = mcpi_app_put_tool_meta(meta, tool, app_uri, visibility, &why);
  }
  if (rc == 0) {
    rc = mcpi_server_declare_extension(server, MCP_APP_EXTENSION, &why);
  }
  if (rc != 0) {
    return add_fail(server, rc, "tool", tool->name, &why, err);
  }
  tool->meta = meta->data;
  return mcp_server_add_tool(server, tool, err);
}

int mcp_server_add_app_tool(mcp_server *server, const mcp_tool *tool,
                            const char *app_uri, uint32_t visibility,
                            mcp_error *err) {
  mcp_error why;
  mcp_tool whole;
  mcpi_buf meta;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_widen(&whole, sizeof(whole), tool, "mcp_tool", &why);
  if (rc != 0) {
    return mcpi_server_remember(server, &why, err);
  }
  mcpi_buf_init(&meta, &server->allocator, SIZE_MAX);
  rc = add_app_tool(server, &whole, app_uri, visibility, &meta, err);
  mcpi_buf_deinit(&meta);
  return rc;
}
