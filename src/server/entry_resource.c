/* SPDX-License-Identifier: MIT */
/* Resources and resource templates, as they are registered (MCP, Resources:
 * Data Types). */
#include "base/widen.h"
#include "server/content.h"
#include "server/entry.h"

/* --- resources ---------------------------------------------------------- */

static int resource_check_uri(mcpi_draft *draft) {
  mcp_error why;
  int rc = mcpi_uri_check("uri", draft->entry.key.ptr, &why);
  return rc != 0 ? mcpi_draft_fail(draft, rc, "%s", why.message) : 0;
}

static int resource_check_content(mcpi_draft *draft) {
  const mcpi_entry *entry = &draft->entry;
  mcp_error why;
  int ways =
      (entry->text != NULL) + (entry->data != NULL) + (entry->handler != NULL);
  if (ways == 0 && entry->data_len > 0) {
    return mcpi_draft_fail(draft, MCP_ERR_INVALID,
                           "data is NULL, and data_len is %zu",
                           entry->data_len);
  }
  if (ways != 1) {
    return mcpi_draft_fail(draft, MCP_ERR_INVALID,
                           "needs exactly one of text, data and handler, "
                           "has %d",
                           ways);
  }
  int rc = mcpi_text_check("text", entry->text, &why);
  return rc != 0 ? mcpi_draft_fail(draft, rc, "%s", why.message) : 0;
}

static void fill_resource(mcpi_entry *entry, const mcp_resource *resource) {
  entry->name = resource->name;
  entry->title = resource->title;
  entry->description = resource->description;
  entry->mime_type = resource->mime_type;
  entry->resource_size = resource->resource_size;
  entry->annotations = resource->annotations;
  entry->cache_ttl_ms = resource->cache_ttl_ms;
  entry->text = resource->text;
  entry->data = resource->data;
  entry->data_len = resource->data_len;
  if (resource->text != NULL) {
    entry->data_len = strlen(resource->text);
  }
  entry->handler = resource->handler;
  entry->userdata = resource->userdata;
  entry->release = resource->release;
  entry->is_blocking = resource->is_blocking != 0;
}

static int resource_make_content_meta(mcpi_draft *draft, const char *meta) {
  return mcpi_draft_meta(draft, "content_meta", meta, &draft->content_meta,
                         &draft->entry.content_meta);
}

static int make_resource(mcpi_draft *draft, const mcp_resource *resource) {
  fill_resource(&draft->entry, resource);
  int rc = resource_check_uri(draft);
  if (rc == 0) {
    rc = mcpi_draft_common(draft, resource->icons, resource->icon_count,
                           resource->meta, resource->scopes);
  }
  if (rc == 0) {
    rc = resource_make_content_meta(draft, resource->content_meta);
  }
  if (rc == 0) {
    rc = resource_check_content(draft);
  }
  return rc;
}

int mcpi_entry_from_resource(mcpi_entry **out, const mcp_resource *resource,
                             const mcp_allocator *allocator, mcp_error *err) {
  mcp_resource whole;
  mcpi_draft draft;
  int rc = mcpi_widen(&whole, sizeof(whole), resource, "mcp_resource", err);
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_resource.reserved", whole.reserved, err);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_draft_init(&draft, MCPI_RESOURCES, whole.uri, allocator, err);
  rc = make_resource(&draft, &whole);
  if (rc == 0) {
    rc = mcpi_draft_finish(&draft, out);
  }
  mcpi_draft_deinit(&draft);
  return rc;
}

/* --- templates ---------------------------------------------------------- */

static int resource_compile(mcpi_draft *draft) {
  mcpi_entry *entry = &draft->entry;
  mcp_error why = {.message = "out of memory"};
  if (entry->key.len == 0) {
    return mcpi_draft_fail(draft, MCP_ERR_INVALID, "uri_template is required");
  }
  int rc =
      mcpi_uri_template_new(&entry->tpl, entry->key, entry->allocator, &why);
  if (rc != 0) {
    mcpi_draft_fail(draft, rc, "uri_template: %s", why.message);
    if (draft->err != NULL) {
      draft->err->offset = why.offset;
    }
  }
  return rc;
}

static void fill_template(mcpi_entry *entry, const mcp_resource_template *tpl) {
  entry->name = tpl->name;
  entry->title = tpl->title;
  entry->description = tpl->description;
  entry->mime_type = tpl->mime_type;
  entry->annotations = tpl->annotations;
  entry->cache_ttl_ms = tpl->cache_ttl_ms;
  entry->handler = tpl->handler;
  entry->complete = tpl->complete;
  entry->userdata = tpl->userdata;
  entry->release = tpl->release;
  entry->is_blocking = tpl->is_blocking != 0;
}

static int make_template(mcpi_draft *draft, const mcp_resource_template *tpl) {
  fill_template(&draft->entry, tpl);
  draft->entry.match = mcpi_uri_template_match;
  int rc = resource_compile(draft);
  if (rc == 0) {
    rc = mcpi_draft_common(draft, tpl->icons, tpl->icon_count, tpl->meta,
                           tpl->scopes);
  }
  if (rc == 0) {
    rc = resource_make_content_meta(draft, tpl->content_meta);
  }
  if (rc == 0 && tpl->handler == NULL) {
    rc = mcpi_draft_fail(draft, MCP_ERR_INVALID, "handler is required");
  }
  return rc;
}

int mcpi_entry_from_template(mcpi_entry **out, const mcp_resource_template *tpl,
                             const mcp_allocator *allocator, mcp_error *err) {
  mcp_resource_template whole;
  mcpi_draft draft;
  int rc = mcpi_widen(&whole, sizeof(whole), tpl, "mcp_resource_template", err);
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_resource_template.reserved", whole.reserved,
                             err);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_draft_init(&draft, MCPI_TEMPLATES, whole.uri_template, allocator, err);
  rc = make_template(&draft, &whole);
  if (rc == 0) {
    rc = mcpi_draft_finish(&draft, out);
  }
  mcpi_draft_deinit(&draft);
  return rc;
}
