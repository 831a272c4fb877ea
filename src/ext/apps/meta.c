/* SPDX-License-Identifier: MIT */
/* `_meta` of apps and their tools. */
#include "ext/apps/meta.h"

#include "ext/apps/permissions.h"
#include "ext/apps/uri.h"
#include "server/content.h"
#include "server/members.h"

/* --- the members that the program gives ---------------------------------- */

static int meta_refuse_member(const mcp_json *object, const char *name,
                              mcp_error *err) {
  if (mcp_json_get(object, name) == NULL) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "meta has the member \"%s\", which the library writes",
                       name);
}

/* Appends the members of `meta`, which may be NULL, without braces. */
static int meta_put_given(mcpi_buf *out, const char *meta, mcp_error *err) {
  mcpi_buf text;
  mcp_doc *doc = NULL;
  if (meta == NULL) {
    return 0;
  }
  mcpi_buf_init(&text, out->allocator, SIZE_MAX);
  int rc = mcpi_object_put("meta", meta, &text, err);
  if (rc == 0) {
    rc = mcpi_doc_parse(&doc, text.data, text.len, NULL, out->allocator, err);
  }
  if (rc == 0) {
    rc = meta_refuse_member(mcp_doc_root(doc), "ui", err);
  }
  if (rc == 0) {
    rc = meta_refuse_member(mcp_doc_root(doc), MCPI_APP_FLAT_KEY, err);
  }
  if (rc == 0) {
    mcpi_put_members(out, mcp_doc_root(doc), NULL);
  }
  mcp_doc_free(doc);
  mcpi_buf_deinit(&text);
  return rc;
}

/* Ends an object that began the text. Empties the text if the object is
 * empty. */
static int meta_finish(mcpi_buf *text, int rc, mcp_error *err) {
  mcpi_buf_lit(text, "}\0");
  if (rc == 0 && text->error != 0) {
    return mcp_error_set(err, text->error, "%s", mcp_error_text(text->error));
  }
  if (rc == 0 && text->len == sizeof("{}")) {
    mcpi_buf_clear(text);
  }
  return rc;
}

/* --- apps ---------------------------------------------------------------- */

static void meta_put_origins(mcpi_buf *out, const char *name,
                             const char *const *origins) {
  if (origins == NULL) {
    return;
  }
  mcpi_put_name(out, name);
  mcpi_buf_putc(out, '[');
  for (size_t i = 0; origins[i] != NULL; i++) {
    if (i > 0) {
      mcpi_buf_putc(out, ',');
    }
    mcpi_json_put_string(out, mcpi_str_z(origins[i]));
  }
  mcpi_buf_putc(out, ']');
}

static void meta_put_csp(mcpi_buf *out, const mcp_app *app) {
  if (app->connect_domains == NULL && app->resource_domains == NULL &&
      app->frame_domains == NULL && app->base_uri_domains == NULL) {
    return;
  }
  mcpi_put_name(out, "csp");
  mcpi_buf_putc(out, '{');
  meta_put_origins(out, "connectDomains", app->connect_domains);
  meta_put_origins(out, "resourceDomains", app->resource_domains);
  meta_put_origins(out, "frameDomains", app->frame_domains);
  meta_put_origins(out, "baseUriDomains", app->base_uri_domains);
  mcpi_buf_putc(out, '}');
}

/* Appends the member "ui", if there is something in it. */
static void meta_put_needs(mcpi_buf *out, const mcp_app *app) {
  size_t before = out->len;
  mcpi_put_name(out, "ui");
  mcpi_buf_putc(out, '{');
  size_t begin = out->len;
  meta_put_csp(out, app);
  if (app->permissions != 0) {
    mcpi_put_name(out, "permissions");
    mcpi_app_put_permissions(out, app->permissions);
  }
  mcpi_put_string_member(out, "domain", app->domain);
  if (app->border != 0) {
    mcpi_put_text_member(out, "prefersBorder",
                         app->border == MCP_APP_BORDER ? "true" : "false");
  }
  mcpi_buf_putc(out, '}');
  if (out->error == 0 && out->len == begin + 1) {
    mcpi_buf_rewind(out, before);
  }
}

int mcpi_app_put_needs(mcpi_buf *text, const mcp_app *app, mcp_error *err) {
  mcpi_buf_putc(text, '{');
  meta_put_needs(text, app);
  return meta_finish(text, 0, err);
}

int mcpi_app_put_meta(mcpi_buf *text, const mcp_app *app, mcp_error *err) {
  mcpi_buf_putc(text, '{');
  meta_put_needs(text, app);
  int rc = meta_put_given(text, app->meta, err);
  return meta_finish(text, rc, err);
}

/* --- tools --------------------------------------------------------------- */

static void meta_put_visibility(mcpi_buf *out, uint32_t visibility) {
  static const char *const values[] = {NULL, "[\"model\"]", "[\"app\"]",
                                       "[\"model\",\"app\"]"};
  const uint32_t both = MCP_VISIBLE_TO_MODEL | MCP_VISIBLE_TO_APP;
  mcpi_put_text_member(out, "visibility", values[visibility & both]);
}

int mcpi_app_put_tool_meta(mcpi_buf *text, const mcp_tool *tool,
                           const char *app_uri, uint32_t visibility,
                           mcp_error *err) {
  mcpi_buf_lit(text, "{\"ui\":{");
  mcpi_put_string_member(text, "resourceUri", app_uri);
  meta_put_visibility(text, visibility);
  mcpi_buf_putc(text, '}');
  mcpi_put_string_member(text, MCPI_APP_FLAT_KEY, app_uri);
  int rc = meta_put_given(text, tool->meta, err);
  return meta_finish(text, rc, err);
}
