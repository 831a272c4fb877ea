/* SPDX-License-Identifier: MIT */
/* Describes a server, or one of its tools. */
#include "common/exit.h"
#include "common/json.h"
#include "common/list.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"
#include "platform/memory.h"
#include "show/outline.h"
#include "show/shape.h"
#include "show/show.h"

#include <mcp/apps.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a label, and the fewest columns in which a text is wrapped. */
enum { LABEL = 14, LEAST = 20 };

void ctl_show_field(const char *label, const char *value) {
  size_t width = ctl_term_width(stdout);
  if (value == NULL) {
    return;
  }
  ctl_term_style(stdout, CTL_BOLD);
  printf("%-*s", LABEL, label);
  ctl_term_style(stdout, CTL_PLAIN);
  if (width == SIZE_MAX || width < LABEL + LEAST) {
    ctl_text_put_line(stdout, value, SIZE_MAX);
  } else {
    ctl_text_put_wrapped(stdout, value, LABEL, width);
  }
  fputc('\n', stdout);
}

/* ---- info -------------------------------------------------------------- */

/* Prints a capability with its members that are set: "resources (subscribe,
 * listChanged)". */
static void put_capability(FILE *out, const char *name,
                           const mcp_json *settings) {
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  const mcp_json *value = NULL;
  const char *before = " (";
  fputs(name, out);
  mcp_json_iter_init(&iter, settings);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *member = mcp_json_string(key);
    if (member != NULL &&
        (mcp_json_type(value) != MCP_JSON_BOOL || mcp_json_bool(value))) {
      fprintf(out, "%s%s", before, member);
      before = ", ";
    }
  }
  fputs(before[0] == ',' ? ")" : "", out);
}

static void put_capabilities(const mcp_json *capabilities) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *settings = NULL;
  const char *label = "Capabilities";
  mcp_json_iter_init(&iter, capabilities);
  while ((settings = mcp_json_iter_next(&iter, &name)) != NULL) {
    const char *capability = mcp_json_string(name);
    char *text = NULL;
    size_t len = 0;
    FILE *out = capability != NULL ? ctl_memory_open(&text, &len) : NULL;
    if (out != NULL) {
      put_capability(out, capability, settings);
      ctl_memory_close(out, &text, &len);
    }
    ctl_show_field(label, text);
    free(text);
    label = "";
  }
}

static void put_identity(const ctl_session *session) {
  const mcp_json *info = mcp_client_server_info(session->client);
  const char *revision = mcp_client_revision(session->client);
  ctl_show_field("Server", ctl_json_member(info, "name"));
  ctl_show_field("Title", ctl_list_title(info));
  ctl_show_field("Version", ctl_json_member(info, "version"));
  ctl_show_field("Description", ctl_json_member(info, "description"));
  ctl_show_field("Website", ctl_json_member(info, "websiteUrl"));
  ctl_show_field("Protocol", revision);
}

int ctl_show_info(ctl_session *session, const mcp_result *result) {
  put_identity(session);
  mcp_json_iter iter;
  const mcp_json *version = NULL;
  const char *label = "Also speaks";
  mcp_json_iter_init(
      &iter, mcp_json_get(mcp_result_json(result), "supportedVersions"));
  while ((version = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *text = mcp_json_string(version);
    const char *used = mcp_client_revision(session->client);
    if (text != NULL && (used == NULL || strcmp(text, used) != 0)) {
      ctl_show_field(label, text);
      label = "";
    }
  }
  put_capabilities(mcp_client_server_capabilities(session->client));
  ctl_show_field("Instructions", mcp_client_instructions(session->client));
  return CTL_OK;
}

/* ---- one tool -------------------------------------------------------- */

static void put_hints(const mcp_json *annotations) {
  static const struct {
    const char *member;
    int flag;
    const char *text;
  } hints[] = {
      {"readOnlyHint", 1, "it changes nothing"},
      {"destructiveHint", 1, "it may destroy something"},
      {"destructiveHint", 0, "it destroys nothing"},
      {"idempotentHint", 1, "a repeated call changes nothing further"},
      {"openWorldHint", 1, "it works with data beyond its own"},
      {"openWorldHint", 0, "it works only with its own data"},
  };
  for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
    const mcp_json *hint = mcp_json_get(annotations, hints[i].member);
    if (mcp_json_type(hint) == MCP_JSON_BOOL &&
        mcp_json_bool(hint) == hints[i].flag) {
      ctl_show_field("Claims", hints[i].text);
    }
  }
}

/* "forbidden" is the default. */
static void put_task_support(const mcp_json *execution) {
  const char *support = ctl_json_member(execution, "taskSupport");
  if (support != NULL && strcmp(support, "optional") == 0) {
    ctl_show_field("Tasks", "a call can be a task");
  } else if (support != NULL && strcmp(support, "required") == 0) {
    ctl_show_field("Tasks", "each call is a task");
  }
}

/* MCP Apps: the page that shows the results, and who may call the tool. A tool
 * is visible to all unless it says otherwise. */
static void put_app(const mcp_json *tool) {
  static const char *const viewers[2][2] = {
      {"nobody", "pages only"}, {"the model only", "the model and pages"}};
  const char *uri = mcp_app_tool_uri(tool);
  int for_model = mcp_app_tool_is_for_model(tool);
  int for_pages = mcp_app_tool_is_for_app(tool);
  ctl_show_field("Page", uri);
  if (uri != NULL || !for_model || !for_pages) {
    ctl_show_field("Visible to", viewers[for_model][for_pages]);
  }
}

static char *schema_text(void (*put)(FILE *out, const ctl_shape *shape),
                         const mcp_json *schema) {
  ctl_shape shape;
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  ctl_shape_init(&shape, schema, schema);
  if (out != NULL) {
    put(out, &shape);
    ctl_memory_close(out, &text, &len);
  }
  return text;
}

/* Prints the rules of the whole value; its members have rows of their own.
 * Prints `none` (may be NULL) where there are no rules. */
static void put_rules(const char *label, const mcp_json *schema,
                      const char *none) {
  char *text = schema_text(ctl_shape_put_limits, schema);
  ctl_show_field(label, text != NULL && text[0] != '\0' ? text : none);
  free(text);
}

/* Prints the type of a result, unless it is an object with rows. */
static void put_result_type(const mcp_json *schema, size_t rows) {
  char *text = schema_text(ctl_shape_put_type, schema);
  if (text != NULL && (rows == 0 || strcmp(text, "object") != 0)) {
    ctl_show_field("Result", text);
  }
  free(text);
}

static int print_table(ctl_table *table, size_t rows) {
  if (rows == 0) {
    ctl_table_free(table);
    return CTL_OK;
  }
  fputc('\n', stdout);
  return ctl_table_print(table);
}

static int describe_schemas(const mcp_json *input, const mcp_json *output) {
  ctl_table arguments;
  ctl_table results;
  size_t argument_rows = ctl_outline_make(&arguments, "ARGUMENT", input);
  size_t result_rows = ctl_outline_make(&results, "RESULT", output);
  put_rules("Arguments", input, argument_rows == 0 ? "none" : NULL);
  if (output != NULL) {
    put_result_type(output, result_rows);
    put_rules("Result", output, NULL);
  }
  int code = print_table(&arguments, argument_rows);
  int result_code = print_table(&results, result_rows);
  return code == CTL_OK ? result_code : code;
}

static int describe_tool(const mcp_json *tool) {
  ctl_show_field("Tool", ctl_json_member(tool, "name"));
  ctl_show_field("Title", ctl_list_title(tool));
  ctl_show_field("Description", ctl_json_member(tool, "description"));
  put_hints(mcp_json_get(tool, "annotations"));
  put_task_support(mcp_json_get(tool, "execution"));
  put_app(tool);
  return describe_schemas(mcp_json_get(tool, "inputSchema"),
                          mcp_json_get(tool, "outputSchema"));
}

static int report_no_tool(const mcp_result *tools, const char *name) {
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  ctl_list_nearest(&nearest, tools, name);
  return ctl_report(
      CTL_FAILED, "the server has no tool '%s'%s", name,
      ctl_nearest_ending(&nearest, ": mcpctl tools lists them", ending));
}

int ctl_show_tool(ctl_session *session, const mcp_result *result) {
  const char *name = session->options->args[0];
  const mcp_json *tool = ctl_list_find(result, name);
  if (tool == NULL) {
    return report_no_tool(result, name);
  }
  return session->options->is_json ? ctl_json_print(tool) : describe_tool(tool);
}
