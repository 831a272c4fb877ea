/* SPDX-License-Identifier: MIT */
/* What a server offers: tools, prompts, resources, templates.
 *
 * A registry is a counted, immutable snapshot: loops read theirs while the
 * program changes the server's. A change copies it if anything else holds it,
 * and otherwise edits it in place, so registering ten thousand tools before
 * serving copies nothing. Entries are counted too, and snapshots share them; a
 * call holds the entry that it runs. Both counts are atomic, since snapshots
 * cross threads. */
#ifndef MCPI_SERVER_REGISTRY_H
#define MCPI_SERVER_REGISTRY_H

#include "base/map.h"
#include "codec/uri_template.h"
#include "core/revision.h"
#include "schema/http_params.h"
#include <mcp/server.h>
#include <stdatomic.h>

enum {
  MCPI_TOOLS = 0,
  MCPI_PROMPTS,
  MCPI_RESOURCES,
  MCPI_TEMPLATES,
  MCPI_KIND_COUNT
};

/* One tool, prompt, resource or template. Its strings are copies, in one
 * allocation with it. Members that a kind does not have are NULL. */
typedef struct mcpi_entry {
  atomic_uint refs;
  int kind;
  size_t size;  /* the size of that allocation */
  uint64_t seq; /* its position in lists, never given twice: cursors name it */
  mcpi_str key; /* the name, URI or URI template by which it is found */
  const char *name;
  const char *title;
  const char *description;
  const char *mime_type;
  const char *meta;  /* JSON text, checked */
  const char *icons; /* JSON text of the array, or NULL */
  const mcp_annotations *annotations;
  uint64_t resource_size;
  uint64_t cache_ttl_ms;
  const char *input;  /* tool: schema as JSON text */
  const char *output; /* tool: likewise, or NULL */
  /* The same two without boolean schemas, for revisions that have none; NULL:
   * there is no difference. */
  const char *plain_input;
  const char *plain_output;
  mcp_validator *input_validator;
  mcp_validator *output_validator;
  mcpi_http_params *http_params; /* tool: arguments in headers, or NULL */
  int output_is_object;          /* the output schema says "type":"object" */
  uint32_t hints;
  int task;                             /* tool: MCP_TASK_* */
  const mcp_prompt_argument *arguments; /* prompt */
  size_t argument_count;
  mcpi_uri_template *tpl; /* template */
  /* mcpi_uri_template_match, or NULL: a program without templates does not link
   * it. */
  int (*match)(const mcpi_uri_template *tpl, mcpi_str uri, mcpi_buf *values,
               mcpi_span *spans);
  const char *content_meta; /* resource and template: likewise, or NULL */
  const char *text;         /* resource: fixed content */
  const void *data;
  size_t data_len; /* bytes of text or data */
  mcp_call_cb handler;
  mcp_complete_cb complete;
  void *userdata;
  void (*release)(void *userdata); /* the last unref calls it; may be NULL */
  int is_blocking;
  const char *scopes; /* that a token needs; NULL: none */
  const mcp_allocator *allocator;
} mcpi_entry;

/* "tool", ... */
const char *mcpi_kind_name(int kind);

/* Takes a reference. */
static inline mcpi_entry *mcpi_entry_ref(mcpi_entry *entry) {
  atomic_fetch_add_explicit(&entry->refs, 1, memory_order_relaxed);
  return entry;
}
/* The last unref runs the program's `release`, so the caller must not hold a
 * lock. NULL is accepted. */
void mcpi_entry_unref(mcpi_entry *entry);
/* Drops an entry that no registry holds because its registration failed: the
 * program still owns its userdata. */
void mcpi_entry_discard(mcpi_entry *entry);

/* Checks and copies what the program registers. *out has one reference. The
 * error names the member and its value. */
int mcpi_entry_from_tool(mcpi_entry **out, const mcp_tool *tool,
                         const mcp_allocator *allocator, mcp_error *err);
int mcpi_entry_from_prompt(mcpi_entry **out, const mcp_prompt *prompt,
                           const mcp_allocator *allocator, mcp_error *err);
int mcpi_entry_from_resource(mcpi_entry **out, const mcp_resource *resource,
                             const mcp_allocator *allocator, mcp_error *err);
int mcpi_entry_from_template(mcpi_entry **out, const mcp_resource_template *tpl,
                             const mcp_allocator *allocator, mcp_error *err);

/* Appends the entry as a list shows it in a revision: members that the
 * revision does not have are left out. */
void mcpi_entry_describe(const mcpi_entry *entry, const mcpi_revision *revision,
                         mcpi_buf *out);

typedef struct mcpi_registry {
  atomic_uint refs;
  const mcp_allocator *allocator;
  mcpi_entry **entries; /* by seq, ascending; each holds a reference */
  size_t count;
  size_t cap;
  int has_http_params; /* an entry has, or had, arguments in headers */
  int has_scopes;      /* an entry needs, or needed, scopes */
  mcpi_map by_key;
} mcpi_registry;

mcpi_registry *mcpi_registry_new(const mcp_allocator *allocator,
                                 const uint64_t seed[2]);
mcpi_registry *mcpi_registry_ref(mcpi_registry *registry);
void mcpi_registry_unref(mcpi_registry *registry); /* NULL is accepted */
/* The entry, held by the registry, or NULL. */
static inline mcpi_entry *mcpi_registry_find(const mcpi_registry *registry,
                                             mcpi_str key) {
  return mcpi_map_get(&registry->by_key, key);
}
/* The place of the first entry whose seq is at least that; count: none is. */
size_t mcpi_registry_seek(const mcpi_registry *registry, uint64_t seq);

/* Changes *registry, replacing it by a copy first if others hold it. The entry
 * is taken on success. Returns 0, MCP_ERR_EXISTS, MCP_ERR_NOT_FOUND or
 * MCP_ERR_NOMEM. */
int mcpi_registry_add(mcpi_registry **registry, mcpi_entry *entry);
int mcpi_registry_remove(mcpi_registry **registry, mcpi_str key);

#endif
