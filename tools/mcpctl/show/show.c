/* SPDX-License-Identifier: MIT */
/* Prints answers. */
#include "show/show.h"
#include "bench/bench.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"
#include "connection/hint.h"
#include "diff/snapshot.h"
#include "show/content.h"
#include "show/image.h"
#include "show/pieces.h"
#include "show/save.h"
#include "skill.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- call -------------------------------------------------------------- */

int ctl_show_call(ctl_session *session, const mcp_result *result) {
  const mcp_json *structured = mcp_result_structured(result);
  const char *output = session->options->output;
  int has_stdout = output == NULL || strcmp(output, "-") != 0;
  for (size_t i = 0; has_stdout && i < mcp_result_count(result); i++) {
    const mcp_json *block = mcp_result_item(result, i);
    if (output == NULL || !ctl_pieces_has(block)) {
      ctl_content_print(block);
    }
  }
  if (mcp_result_count(result) == 0 && structured != NULL) {
    ctl_json_print(structured);
  }
  return output != NULL ? ctl_pieces_save(result, output) : CTL_OK;
}

/* ---- resources and prompts ------------------------------------------- */

/* Prints a line above one of several blocks. */
static void put_heading(const char *text) {
  ctl_term_style(stdout, CTL_BOLD);
  ctl_text_put_line(stdout, text != NULL ? text : "?", SIZE_MAX);
  fputs(":\n", stdout);
  ctl_term_style(stdout, CTL_PLAIN);
}

/* Prints a resource with one part: its bytes into a file or pipe, but only text
 * on a terminal. */
static int show_only_part(const mcp_json *contents) {
  if (!ctl_term_is_terminal(stdout)) {
    return ctl_save_resource(contents, "-");
  }
  if (ctl_image_show(mcp_json_get(contents, "blob"))) {
    return CTL_OK;
  }
  ctl_content_print_resource(contents);
  return mcp_json_get(contents, "blob") == NULL
             ? CTL_OK
             : ctl_report(CTL_USAGE, "cannot show a resource that is not text "
                                     "on a terminal: --output FILE saves it");
}

static int show_all_parts(const mcp_result *result) {
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    const mcp_json *contents = mcp_result_item(result, i);
    put_heading(ctl_json_member(contents, "uri"));
    ctl_content_print_resource(contents);
  }
  return CTL_OK;
}

int ctl_show_contents(ctl_session *session, const mcp_result *result) {
  size_t count = mcp_result_count(result);
  const char *output = session->options->output;
  if (output != NULL && count != 1) {
    return ctl_report(CTL_USAGE,
                      "the resource has %zu parts, but --output can save only "
                      "one: --json shows all of them",
                      count);
  }
  if (output != NULL) {
    return ctl_save_resource(mcp_result_item(result, 0), output);
  }
  return count == 1 ? show_only_part(mcp_result_item(result, 0))
                    : show_all_parts(result);
}

int ctl_show_messages(ctl_session *session, const mcp_result *result) {
  (void)session;
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    const mcp_json *message = mcp_result_item(result, i);
    fputs(i > 0 ? "\n" : "", stdout);
    put_heading(ctl_json_member(message, "role"));
    ctl_content_print(mcp_json_get(message, "content"));
  }
  return CTL_OK;
}

/* ---- the rest ---------------------------------------------------------- */

int ctl_show_completion(ctl_session *session, const mcp_result *result) {
  mcp_json_iter iter;
  const mcp_json *value = NULL;
  (void)session;
  mcp_json_iter_init(
      &iter, mcp_json_pointer(mcp_result_json(result), "/completion/values"));
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *text = mcp_json_string(value);
    ctl_text_put_line(stdout, text != NULL ? text : "", SIZE_MAX);
    fputc('\n', stdout);
  }
  return CTL_OK;
}

int ctl_show_ping(ctl_session *session, const mcp_result *result) {
  (void)result;
  printf("The server answered in %.2f ms.\n", (double)session->took_ns / 1e6);
  return CTL_OK;
}

int ctl_show_raw(ctl_session *session, const mcp_result *result) {
  (void)session;
  return ctl_json_print(mcp_result_json(result));
}

/* ---- as JSON ----------------------------------------------------------- */

/* The member that holds a list's entries: the first array of the result. */
static const mcp_json *list_of(const mcp_json *json, const mcp_json **name) {
  mcp_json_iter iter;
  const mcp_json *value = NULL;
  mcp_json_iter_init(&iter, json);
  while ((value = mcp_json_iter_next(&iter, name)) != NULL) {
    if (mcp_json_type(value) == MCP_JSON_ARRAY) {
      return value;
    }
  }
  return NULL;
}

static void put_items(mcp_builder *builder, const mcp_result *result) {
  mcp_builder_array(builder, NULL);
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    mcp_builder_value(builder, NULL, mcp_result_item(result, i));
  }
  mcp_builder_end(builder);
}

/* Builds the last page's object with the entries of all pages. */
static void put_all_pages(mcp_builder *builder, const mcp_result *result,
                          const mcp_json *list) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  mcp_json_iter_init(&iter, mcp_result_json(result));
  mcp_builder_object(builder, NULL);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    mcp_builder_name_n(builder, text, len);
    if (value == list) {
      put_items(builder, result);
    } else {
      mcp_builder_value(builder, NULL, value);
    }
  }
  mcp_builder_end(builder);
}

static int print_all_pages(const mcp_result *result, const mcp_json *list) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  put_all_pages(builder, result, list);
  return ctl_json_print_built(builder);
}

static int result_print_json(const mcp_result *result) {
  const mcp_json *json = mcp_result_json(result);
  const mcp_json *list = list_of(json, NULL);
  if (list != NULL && mcp_json_size(list) < mcp_result_count(result)) {
    return print_all_pages(result, list);
  }
  return ctl_json_print(json);
}

/* Reports the error; the tool's text is already printed. */
static int report_tool_error(const ctl_session *session) {
  const char *text = mcp_result_text(session->result);
  int code = ctl_report(CTL_TOOL_ERROR, "the tool reported an error");
  ctl_hint_types(session->options, text != NULL ? text : "");
  return code;
}

int ctl_show(ctl_session *session) {
  const ctl_verb *verb = session->options->verb;
  const mcp_result *result = session->result;
  ctl_progress_clear();
  /* `tools NAME`, `skill`, `bench` and `snapshot` print their own JSON: one
   * tool of the list, one skill, the figures, and all lists. */
  int is_own =
      (verb->show == ctl_show_tools && session->options->arg_count > 0) ||
      verb->show == ctl_bench_show || verb->show == ctl_skill_show ||
      verb->show == ctl_snapshot_show;
  int code = session->options->is_json && !is_own ? result_print_json(result)
                                                  : verb->show(session, result);
  if (code == CTL_OK && mcp_result_is_failure(result)) {
    code = report_tool_error(session);
  }
  fflush(stdout); /* the server may take long to end */
  return code;
}
