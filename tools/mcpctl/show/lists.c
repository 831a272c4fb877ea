/* SPDX-License-Identifier: MIT */
/* Prints lists of tools, prompts and resources. */
#include "common/json.h"
#include "common/list.h"
#include "schema/schema.h"
#include "show/show.h"

/* Prints an argument's name, in brackets when it is optional. */
static void put_name(FILE *out, const char *before, const char *name,
                     int is_required) {
  fprintf(out, is_required ? "%s%s" : "%s[%s]", before, name);
}

static void put_about(FILE *out, const mcp_json *entry) {
  const char *text = ctl_list_about(entry);
  fputs(text != NULL ? text : "", out);
}

/* Prints "path operation [column]". */
static void put_parameters(FILE *out, const mcp_json *tool) {
  const mcp_json *schema = mcp_json_get(tool, "inputSchema");
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const char *before = "";
  mcp_json_iter_init(&iter, mcp_json_get(schema, "properties"));
  while (mcp_json_iter_next(&iter, &name) != NULL) {
    const char *text = mcp_json_string(name);
    if (text != NULL) {
      put_name(out, before, text, ctl_schema_requires(schema, text));
      before = " ";
    }
  }
}

/* With a name it describes one tool instead of the list. That also shows the
 * names of arguments that the table has no room for. */
int ctl_show_tools(ctl_session *session, const mcp_result *result) {
  static const ctl_column columns[] = {
      {"NAME", "name", NULL, CTL_CUT_TEXT},
      {"ARGUMENTS", NULL, put_parameters, CTL_CUT_NAMES},
      {"DESCRIPTION", NULL, put_about, CTL_CUT_TEXT}};
  if (session->options->arg_count > 0) {
    return ctl_show_tool(session, result);
  }
  return ctl_list_print(result, "tools", columns, 3);
}

static void put_prompt_arguments(FILE *out, const mcp_json *prompt) {
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  const char *before = "";
  mcp_json_iter_init(&iter, mcp_json_get(prompt, "arguments"));
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = ctl_json_member(argument, "name");
    put_name(out, before, name != NULL ? name : "",
             mcp_json_bool(mcp_json_get(argument, "required")));
    before = " ";
  }
}

/* Nothing else shows the names of a prompt's arguments. */
int ctl_show_prompts(ctl_session *session, const mcp_result *result) {
  static const ctl_column columns[] = {
      {"NAME", "name", NULL, CTL_CUT_TEXT},
      {"ARGUMENTS", NULL, put_prompt_arguments, CTL_CUT_NEVER},
      {"DESCRIPTION", NULL, put_about, CTL_CUT_TEXT}};
  (void)session;
  return ctl_list_print(result, "prompts", columns, 3);
}

static void put_size(FILE *out, const mcp_json *resource) {
  int64_t size = 0;
  if (mcp_json_try_int(mcp_json_get(resource, "size"), &size) == 0) {
    fprintf(out, "%lld", (long long)size);
  }
}

int ctl_show_resources(ctl_session *session, const mcp_result *result) {
  static const ctl_column columns[] = {
      {"URI", "uri", NULL, CTL_CUT_TEXT},
      {"NAME", "name", NULL, CTL_CUT_TEXT},
      {"TYPE", "mimeType", NULL, CTL_CUT_TEXT},
      {"SIZE", NULL, put_size, CTL_CUT_TEXT},
      {"DESCRIPTION", NULL, put_about, CTL_CUT_TEXT}};
  (void)session;
  return ctl_list_print(result, "resources", columns, 5);
}

int ctl_show_templates(ctl_session *session, const mcp_result *result) {
  static const ctl_column columns[] = {
      {"TEMPLATE", "uriTemplate", NULL, CTL_CUT_TEXT},
      {"NAME", "name", NULL, CTL_CUT_TEXT},
      {"TYPE", "mimeType", NULL, CTL_CUT_TEXT},
      {"DESCRIPTION", NULL, put_about, CTL_CUT_TEXT}};
  (void)session;
  return ctl_list_print(result, "resource templates", columns, 4);
}
