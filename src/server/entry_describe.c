/* SPDX-License-Identifier: MIT */
/* Entries as a list shows them in a revision (MCP, Server Features). */
#include "server/content.h"
#include "server/members.h"
#include "server/registry.h"

/* Writes the members that every kind has after its key. The key of a prompt or
 * tool is its name. */
static void put_common(const mcpi_entry *entry, const mcpi_revision *revision,
                       mcpi_buf *out) {
  mcpi_put_string_member(out, "name", entry->name);
  if (mcpi_revision_has(revision, MCPI_HAS_TITLE)) {
    mcpi_put_string_member(out, "title", entry->title);
  }
  mcpi_put_string_member(out, "description", entry->description);
  if (mcpi_revision_has(revision, MCPI_HAS_ICONS)) {
    mcpi_put_text_member(out, "icons", entry->icons);
  }
}

/* --- tools -------------------------------------------------------------- */

static void put_hint(uint32_t hints, uint32_t yes, const char *name,
                     mcpi_buf *out) {
  uint32_t no = yes << 1;
  if ((hints & (yes | no)) != 0) {
    mcpi_put_text_member(out, name, (hints & yes) != 0 ? "true" : "false");
  }
}

/* Before tools had titles, their annotations did. */
static const char *hint_title(const mcpi_entry *entry,
                              const mcpi_revision *revision) {
  return mcpi_revision_has(revision, MCPI_HAS_TITLE) ? NULL : entry->title;
}

static void put_hints(const mcpi_entry *entry, const mcpi_revision *revision,
                      mcpi_buf *out) {
  const char *title = hint_title(entry, revision);
  if (!mcpi_revision_has(revision, MCPI_HAS_TOOL_ANNOTATIONS) ||
      (entry->hints == 0 && title == NULL)) {
    return;
  }
  mcpi_put_name(out, "annotations");
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "title", title);
  put_hint(entry->hints, MCP_TOOL_READ_ONLY, "readOnlyHint", out);
  put_hint(entry->hints, MCP_TOOL_DESTRUCTIVE, "destructiveHint", out);
  put_hint(entry->hints, MCP_TOOL_IDEMPOTENT, "idempotentHint", out);
  put_hint(entry->hints, MCP_TOOL_OPEN_WORLD, "openWorldHint", out);
  mcpi_buf_putc(out, '}');
}

/* 2025-06-18 and 2025-11-25 have structured results that are objects, and only
 * schemas that say so. */
static int shows_output(const mcpi_entry *entry,
                        const mcpi_revision *revision) {
  return mcpi_revision_has(revision, MCPI_HAS_STRUCTURED_ANY) ||
         (entry->output_is_object &&
          mcpi_revision_has(revision, MCPI_HAS_STRUCTURED));
}

static void put_schema(const char *name, const char *schema, const char *plain,
                       const mcpi_revision *revision, mcpi_buf *out) {
  int is_whole =
      plain == NULL || mcpi_revision_has(revision, MCPI_HAS_BOOLEAN_SCHEMAS);
  mcpi_put_text_member(out, name, is_whole ? schema : plain);
}

/* "forbidden" is the default. */
static void put_execution(const mcpi_entry *entry,
                          const mcpi_revision *revision, mcpi_buf *out) {
  if (entry->task == MCP_TASK_FORBIDDEN ||
      !mcpi_revision_has(revision, MCPI_HAS_TASKS)) {
    return;
  }
  mcpi_put_name(out, "execution");
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "taskSupport",
                         entry->task == MCP_TASK_REQUIRED ? "required"
                                                          : "optional");
  mcpi_buf_putc(out, '}');
}

static void entry_put_tool(const mcpi_entry *entry,
                           const mcpi_revision *revision, mcpi_buf *out) {
  put_schema("inputSchema", entry->input, entry->plain_input, revision, out);
  if (shows_output(entry, revision)) {
    put_schema("outputSchema", entry->output, entry->plain_output, revision,
               out);
  }
  put_hints(entry, revision, out);
  put_execution(entry, revision, out);
}

/* --- prompts ------------------------------------------------------------ */

static void entry_put_argument(const mcp_prompt_argument *argument,
                               const mcpi_revision *revision, mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "name", argument->name);
  if (mcpi_revision_has(revision, MCPI_HAS_TITLE)) {
    mcpi_put_string_member(out, "title", argument->title);
  }
  mcpi_put_string_member(out, "description", argument->description);
  if (argument->required) {
    mcpi_put_text_member(out, "required", "true");
  }
  mcpi_buf_putc(out, '}');
}

static void entry_put_prompt(const mcpi_entry *entry,
                             const mcpi_revision *revision, mcpi_buf *out) {
  if (entry->argument_count == 0) {
    return;
  }
  mcpi_put_name(out, "arguments");
  mcpi_buf_putc(out, '[');
  for (size_t i = 0; i < entry->argument_count; i++) {
    if (i > 0) {
      mcpi_buf_putc(out, ',');
    }
    entry_put_argument(&entry->arguments[i], revision, out);
  }
  mcpi_buf_putc(out, ']');
}

/* --- resources ---------------------------------------------------------- */

static void entry_put_resource(const mcpi_entry *entry,
                               const mcpi_revision *revision, mcpi_buf *out) {
  mcpi_put_string_member(out, "mimeType", entry->mime_type);
  if (mcpi_annotations_any(entry->annotations, revision)) {
    mcpi_put_name(out, "annotations");
    mcpi_annotations_put(entry->annotations, revision, out);
  }
  if (entry->resource_size > 0) {
    mcpi_put_uint_member(out, "size", entry->resource_size);
  }
}

/* --- all ---------------------------------------------------------------- */

void mcpi_entry_describe(const mcpi_entry *entry, const mcpi_revision *revision,
                         mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  if (entry->kind == MCPI_RESOURCES) {
    mcpi_put_string_member(out, "uri", entry->key.ptr);
  } else if (entry->kind == MCPI_TEMPLATES) {
    mcpi_put_string_member(out, "uriTemplate", entry->key.ptr);
  }
  put_common(entry, revision, out);
  if (entry->kind == MCPI_TOOLS) {
    entry_put_tool(entry, revision, out);
  } else if (entry->kind == MCPI_PROMPTS) {
    entry_put_prompt(entry, revision, out);
  } else {
    entry_put_resource(entry, revision, out);
  }
  if (mcpi_revision_has(revision, MCPI_HAS_TITLE)) {
    mcpi_put_text_member(out, "_meta", entry->meta);
  }
  mcpi_buf_putc(out, '}');
}
