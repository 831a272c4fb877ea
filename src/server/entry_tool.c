/* SPDX-License-Identifier: MIT */
/* Tools, as they are registered (MCP, Tools: Data Types). */
#include "base/error.h"
#include "base/list.h"
#include "base/widen.h"
#include "schema/degrade.h"
#include "schema/say.h"
#include "schema/validator.h"
#include "server/entry.h"

/* What is being made. It is not on the stack, which is small on devices. */
typedef struct tool_draft {
  mcp_tool tool;
  mcpi_draft draft;
  mcp_error why; /* what is wrong with a schema; code 0: not known */
} tool_draft;

/* The specification's guidance on names. */
enum { NAME_MAX_LEN = 128 };

static int tool_check_name(mcpi_draft *draft) {
  static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  mcpi_str name = draft->entry.key;
  if (name.len == 0 || name.len > NAME_MAX_LEN ||
      strspn(name.ptr, chars) < name.len) {
    return mcpi_draft_fail(draft, MCP_ERR_INVALID,
                           "name must be 1 to %d characters of A-Z a-z 0-9 "
                           "_ . -",
                           NAME_MAX_LEN);
  }
  return 0;
}

/* Each hint has two bits: one for yes, and the next higher one for no. */
static int check_hints(mcpi_draft *draft) {
  const uint32_t all = (MCP_TOOL_NOT_OPEN_WORLD << 1) - 1;
  const uint32_t yes = MCP_TOOL_READ_ONLY | MCP_TOOL_DESTRUCTIVE |
                       MCP_TOOL_IDEMPOTENT | MCP_TOOL_OPEN_WORLD;
  uint32_t hints = draft->entry.hints;
  if ((hints & ~all) != 0 || (hints & (hints >> 1) & yes) != 0) {
    return mcpi_draft_fail(draft, MCP_ERR_INVALID,
                           "hints %#lx are unknown or contradict each other",
                           (unsigned long)hints);
  }
  return 0;
}

static int tool_check_task(mcpi_draft *draft) {
  int task = draft->entry.task;
  if (task < MCP_TASK_FORBIDDEN || task > MCP_TASK_REQUIRED) {
    return mcpi_draft_fail(draft, MCP_ERR_INVALID,
                           "task %d is not an MCP_TASK_*", task);
  }
  return 0;
}

/* --- schemas ------------------------------------------------------------ */

static int is_object_schema(const mcp_json *schema) {
  return mcpi_str_eq(mcpi_json_member_str(schema, "type"), MCPI_STR("object"));
}

static mcp_error *why_of(mcpi_draft *draft) {
  return &MCPI_CONTAINER(draft, tool_draft, draft)->why;
}

static int schema_failed(mcpi_draft *draft, const char *member, int rc) {
  const mcp_error *why = why_of(draft);
  mcpi_draft_fail(draft, rc, "%s: %s", member,
                  why->code != 0 ? why->message : mcp_error_text(rc));
  if (draft->err != NULL) {
    draft->err->offset = why->offset;
  }
  return rc;
}

/* Writes the schema as text and parses that. */
static int build(mcpi_draft *draft, const mcp_schema *schema,
                 mcp_builder **builder, mcp_doc **doc, mcp_error *why) {
  *builder = mcp_builder_new(draft->entry.allocator, NULL);
  int rc = mcp_schema_build(schema, NULL, *builder, why);
  if (rc != 0) {
    return rc;
  }
  size_t len;
  const char *text = mcp_builder_text(*builder, &len);
  if (text == NULL) {
    *why = *mcp_builder_error(*builder);
    return why->code;
  }
  return mcpi_doc_parse(doc, text, len, NULL, draft->entry.allocator, why);
}

static int check_input(const mcp_json *schema, mcp_error *why) {
  const mcp_json *type = mcp_json_get(schema, "type");
  if (is_object_schema(schema)) {
    return 0;
  }
  if (type != NULL) {
    return mcpi_schema_error(why, schema, type, "\"object\"");
  }
  return mcpi_schema_error(why, schema, schema,
                           "an object with \"type\":\"object\"");
}

/* The schema without boolean schemas, in `text`; *out stays NULL when there are
 * none. */
static int tool_make_plain(const mcp_json *schema, mcpi_buf *text,
                           const char **out) {
  size_t count = mcpi_schema_put_objects(schema, text);
  mcpi_buf_putc(text, '\0');
  if (text->error == 0 && count > 0) {
    *out = text->data;
  }
  return text->error;
}

static int make_input(mcpi_draft *draft, const mcp_schema *schema) {
  static const mcp_schema none = {
      .size = sizeof(mcp_schema),
      .text = "{\"type\":\"object\",\"additionalProperties\":false}"};
  mcpi_entry *entry = &draft->entry;
  mcp_error *why = why_of(draft);
  mcp_doc *doc = NULL;
  int rc =
      build(draft, schema != NULL ? schema : &none, &draft->input, &doc, why);
  if (rc == 0) {
    rc = check_input(mcp_doc_root(doc), why);
  }
  if (rc == 0) {
    entry->input = mcp_builder_text(draft->input, NULL);
    rc = tool_make_plain(mcp_doc_root(doc), &draft->plain_input,
                         &entry->plain_input);
  }
  if (rc == 0) {
    rc = mcpi_validator_new(&entry->input_validator, mcp_doc_root(doc),
                            entry->allocator, why);
  }
  if (rc == 0) {
    rc = mcpi_http_params_new(&entry->http_params, entry->input_validator,
                              entry->allocator, why);
  }
  mcp_doc_free(doc);
  return rc != 0 ? schema_failed(draft, "input", rc) : 0;
}

static int make_output(mcpi_draft *draft, const mcp_schema *schema) {
  mcpi_entry *entry = &draft->entry;
  mcp_error *why = why_of(draft);
  mcp_doc *doc = NULL;
  if (schema == NULL) {
    return 0;
  }
  int rc = build(draft, schema, &draft->output, &doc, why);
  if (rc == 0) {
    entry->output = mcp_builder_text(draft->output, NULL);
    entry->output_is_object = is_object_schema(mcp_doc_root(doc));
    rc = tool_make_plain(mcp_doc_root(doc), &draft->plain_output,
                         &entry->plain_output);
  }
  if (rc == 0) {
    rc = mcpi_validator_new(&entry->output_validator, mcp_doc_root(doc),
                            entry->allocator, why);
  }
  mcp_doc_free(doc);
  return rc != 0 ? schema_failed(draft, "output", rc) : 0;
}

/* --- the tool ----------------------------------------------------------- */

static void tool_fill(mcpi_entry *entry, const mcp_tool *tool) {
  entry->name = entry->key.ptr;
  entry->title = tool->title;
  entry->description = tool->description;
  entry->hints = tool->hints;
  entry->task = tool->task;
  entry->handler = tool->handler;
  entry->userdata = tool->userdata;
  entry->release = tool->release;
  entry->is_blocking = tool->is_blocking != 0;
}

static int tool_make(mcpi_draft *draft, const mcp_tool *tool) {
  tool_fill(&draft->entry, tool);
  int rc = tool_check_name(draft);
  if (rc == 0) {
    rc = mcpi_draft_common(draft, tool->icons, tool->icon_count, tool->meta,
                           tool->scopes);
  }
  if (rc == 0) {
    rc = check_hints(draft);
  }
  if (rc == 0) {
    rc = tool_check_task(draft);
  }
  if (rc == 0 && tool->handler == NULL) {
    rc = mcpi_draft_fail(draft, MCP_ERR_INVALID, "handler is required");
  }
  if (rc == 0) {
    rc = make_input(draft, tool->input);
  }
  if (rc == 0) {
    rc = make_output(draft, tool->output);
  }
  return rc;
}

static int tool_draft_make(tool_draft *t, mcpi_entry **out,
                           const mcp_tool *tool, const mcp_allocator *allocator,
                           mcp_error *err) {
  int rc = mcpi_widen(&t->tool, sizeof(t->tool), tool, "mcp_tool", err);
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_tool.reserved", t->tool.reserved, err);
  }
  if (rc != 0) {
    return rc;
  }
  t->why.code = 0;
  mcpi_draft_init(&t->draft, MCPI_TOOLS, t->tool.name, allocator, err);
  rc = tool_make(&t->draft, &t->tool);
  if (rc == 0) {
    rc = mcpi_draft_finish(&t->draft, out);
  }
  mcpi_draft_deinit(&t->draft);
  return rc;
}

int mcpi_entry_from_tool(mcpi_entry **out, const mcp_tool *tool,
                         const mcp_allocator *allocator, mcp_error *err) {
  tool_draft *t = mcpi_alloc(allocator, sizeof(*t));
  if (t == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = tool_draft_make(t, out, tool, allocator, err);
  mcpi_free(allocator, t, sizeof(*t));
  return rc;
}
