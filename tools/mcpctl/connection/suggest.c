/* SPDX-License-Identifier: MIT */
#include "connection/suggest.h"
#include "common/json.h"
#include "common/list.h"
#include "common/report.h"
#include "connection/requests.h"
#include "platform/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of the verb as a document; NULL: there are none. */
static mcp_doc *read_given(const ctl_session *session) {
  const char *text = session->arguments;
  return text != NULL ? mcp_doc_parse(text, strlen(text), NULL, NULL, NULL)
                      : NULL;
}

/* ---- tools ------------------------------------------------------------- */

/* Whether the schema may describe members that `properties` does not name. */
static int is_open_schema(const mcp_json *schema) {
  static const char *const keywords[] = {"patternProperties",
                                         "$ref",
                                         "$dynamicRef",
                                         "allOf",
                                         "anyOf",
                                         "oneOf",
                                         "if",
                                         "dependentSchemas"};
  const mcp_json *others = mcp_json_get(schema, "additionalProperties");
  for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
    if (mcp_json_get(schema, keywords[i]) != NULL) {
      return 1;
    }
  }
  return others != NULL &&
         (mcp_json_type(others) != MCP_JSON_BOOL || mcp_json_bool(others));
}

/* Of the properties that were not given. */
static void find_nearest_property(ctl_nearest *nearest,
                                  const mcp_json *properties,
                                  const mcp_json *given, const char *name) {
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  ctl_nearest_begin(nearest, name, SIZE_MAX);
  mcp_json_iter_init(&iter, properties);
  while (mcp_json_iter_next(&iter, &key) != NULL) {
    const char *property = mcp_json_string(key);
    if (property != NULL && mcp_json_get(given, property) == NULL) {
      ctl_nearest_offer(nearest, property);
    }
  }
}

static void suggest_property(const ctl_session *session,
                             const mcp_json *properties, const mcp_json *given,
                             const char *name) {
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  if (mcp_json_get(properties, name) != NULL) {
    return;
  }
  find_nearest_property(&nearest, properties, given, name);
  if (nearest.name != NULL) {
    ctl_report(0, "%s has no argument '%s'%s", session->options->args[0], name,
               ctl_nearest_ending(&nearest, "", ending));
  }
}

void ctl_suggest_properties(const ctl_session *session,
                            const mcp_json *schema) {
  const mcp_json *properties = mcp_json_get(schema, "properties");
  mcp_doc *given = is_open_schema(schema) ? NULL : read_given(session);
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  mcp_json_iter_init(&iter, mcp_doc_root(given));
  while (mcp_json_iter_next(&iter, &key) != NULL) {
    const char *name = mcp_json_string(key);
    if (name != NULL) {
      suggest_property(session, properties, mcp_doc_root(given), name);
    }
  }
  mcp_doc_free(given);
}

/* ---- prompts ----------------------------------------------------------- */

static int prompt_has_argument(const mcp_json *arguments, const char *name) {
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  mcp_json_iter_init(&iter, arguments);
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *known = ctl_json_member(argument, "name");
    if (known != NULL && strcmp(known, name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Of the prompt's arguments that were not given. */
static void find_nearest_argument(ctl_nearest *nearest,
                                  const mcp_json *arguments,
                                  const mcp_json *given, const char *name) {
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  ctl_nearest_begin(nearest, name, SIZE_MAX);
  mcp_json_iter_init(&iter, arguments);
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *known = ctl_json_member(argument, "name");
    if (known != NULL && mcp_json_get(given, known) == NULL) {
      ctl_nearest_offer(nearest, known);
    }
  }
}

/* Names the first argument that the prompt does not have; returns 0: it has
 * all. */
static int say_wrong_argument(FILE *out, const char *prompt,
                              const mcp_json *arguments,
                              const mcp_json *given) {
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  mcp_json_iter_init(&iter, given);
  while (mcp_json_iter_next(&iter, &key) != NULL) {
    const char *name = mcp_json_string(key);
    if (name != NULL && !prompt_has_argument(arguments, name)) {
      find_nearest_argument(&nearest, arguments, given, name);
      fprintf(
          out, "%s has no argument '%s'%s", prompt, name,
          ctl_nearest_ending(&nearest, ": mcpctl prompts lists them", ending));
      return 1;
    }
  }
  return 0;
}

static void say_missing_argument(FILE *out, const char *prompt,
                                 const mcp_json *arguments,
                                 const mcp_json *given) {
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  mcp_json_iter_init(&iter, arguments);
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = ctl_json_member(argument, "name");
    if (name != NULL && mcp_json_bool(mcp_json_get(argument, "required")) &&
        mcp_json_get(given, name) == NULL) {
      fprintf(out, "%s needs the argument '%s'", prompt, name);
      return;
    }
  }
}

static void say_wrong_prompt(FILE *out, const ctl_session *session,
                             const char *name) {
  const mcp_json *prompt = ctl_list_find(session->result, name);
  mcp_doc *given = prompt != NULL ? read_given(session) : NULL;
  const mcp_json *arguments = mcp_json_get(prompt, "arguments");
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  if (prompt == NULL) {
    ctl_list_nearest(&nearest, session->result, name);
    fprintf(
        out, "the server has no prompt '%s'%s", name,
        ctl_nearest_ending(&nearest, ": mcpctl prompts lists them", ending));
  } else if (!say_wrong_argument(out, name, arguments, mcp_doc_root(given))) {
    say_missing_argument(out, name, arguments, mcp_doc_root(given));
  }
  mcp_doc_free(given);
}

void ctl_suggest_prompt(ctl_session *session) {
  const char *name = session->options->args[0];
  const mcp_error error = session->error;
  const int status = session->status;
  char *data = session->error_data;
  size_t len = 0;
  session->error_data = NULL;
  FILE *out = ctl_session_request(session, ctl_request_prompts) == 0
                  ? ctl_memory_open(&session->hint, &len)
                  : NULL;
  if (out != NULL) {
    say_wrong_prompt(out, session, name);
    ctl_memory_close(out, &session->hint, &len);
  }
  free(session->error_data);
  session->error_data = data;
  session->error = error;
  session->status = status;
}

/* ---- resources --------------------------------------------------------- */

void ctl_suggest_resource(ctl_session *session) {
  const char *uri = session->options->args[0];
  if (strchr(uri, ':') == NULL &&
      asprintf(&session->hint,
               "'%s' is not a URI: mcpctl resources and mcpctl templates list "
               "those of the server",
               uri) < 0) {
    session->hint = NULL;
  }
}
