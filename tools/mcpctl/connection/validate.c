/* SPDX-License-Identifier: MIT */
/* Validates a tool's arguments before they are sent.
 *
 * Servers report wrong arguments in different ways, and some do not check them.
 * Validation costs one request for the list of tools. If the server gives no
 * list, or the schema is not valid, the arguments are sent anyway: the server
 * decides. A tool that is not in the list is not called. */
#include "connection/validate.h"
#include "common/json.h"
#include "common/list.h"
#include "common/report.h"
#include "connection/convert.h"
#include "connection/hint.h"
#include "connection/requests.h"
#include "connection/suggest.h"
#include "diff/pin.h"

#include <mcp/schema.h>
#include <string.h>

/* Reports that the arguments are sent although they were not validated. */
static int report_unvalidated(const ctl_session *session, const char *why) {
  ctl_report(0, "sending the arguments of %s without validation: %s",
             session->options->args[0], why);
  return 0;
}

static void report_errors(const ctl_session *session, const mcp_json *errors) {
  mcp_json_iter iter;
  const mcp_json *error = NULL;
  mcp_json_iter_init(&iter, errors);
  while ((error = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *message = ctl_json_member(error, "message");
    ctl_report(0, "%s", message);
    ctl_hint_type(session->options, ctl_json_member(error, "instance"),
                  message);
  }
}

static int refuse_arguments(ctl_session *session, const mcp_json *schema,
                            const mcp_json *errors) {
  report_errors(session, errors);
  ctl_suggest_properties(session, schema);
  return mcp_error_set(&session->error, MCP_ERR_INVALID,
                       "%s was not called: its arguments are not valid; "
                       "--no-validate sends them anyway",
                       session->options->args[0]);
}

/* Makes a document of the errors. NULL: session->error says why not. */
static mcp_doc *read_errors(ctl_session *session, mcp_builder *errors) {
  size_t len = 0;
  const char *text = mcp_builder_text(errors, &len);
  if (text == NULL) {
    session->error = *mcp_builder_error(errors);
    return NULL;
  }
  return mcp_doc_parse(text, len, NULL, NULL, &session->error);
}

/* Checks the arguments. Returns 0; MCP_ERR_LIMIT: it would take too much work;
 * MCP_ERR_INVALID: they are not valid, and *errors, owned, says why; another
 * MCP_ERR_*: it failed, as in session->error. */
static int find_errors(ctl_session *session, const mcp_validator *validator,
                       mcp_doc **errors) {
  const char *text = session->arguments != NULL ? session->arguments : "{}";
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &session->error);
  if (doc == NULL) {
    return session->error.code;
  }
  mcp_builder *list = mcp_builder_new(NULL, NULL);
  int error = mcp_validator_check(validator, mcp_doc_root(doc), NULL, list);
  if (error != 0 && error != MCP_ERR_LIMIT) {
    *errors = read_errors(session, list);
    error = *errors != NULL ? MCP_ERR_INVALID : session->error.code;
  }
  mcp_builder_free(list);
  mcp_doc_free(doc);
  return error;
}

/* Text that should be a number or a boolean is made one. */
static int check_arguments(ctl_session *session, const mcp_json *schema,
                           const mcp_validator *validator) {
  mcp_doc *errors = NULL;
  int error = find_errors(session, validator, &errors);
  if (errors != NULL && !session->options->no_convert &&
      ctl_convert(session, mcp_doc_root(errors))) {
    mcp_doc_free(errors);
    errors = NULL;
    error = find_errors(session, validator, &errors);
  }
  if (errors != NULL) {
    error = refuse_arguments(session, schema, mcp_doc_root(errors));
    mcp_doc_free(errors);
  } else {
    ctl_suggest_properties(session, schema);
  }
  return error != MCP_ERR_LIMIT
             ? error
             : report_unvalidated(session, "it would take too much work");
}

static int validate_by(ctl_session *session, const mcp_json *schema) {
  mcp_error why;
  if (schema == NULL) {
    return report_unvalidated(session, "the tool has no schema");
  }
  mcp_validator *validator = mcp_validator_new(schema, NULL, &why);
  if (validator == NULL) {
    char text[MCP_ERROR_TEXT_SIZE + 32];
    snprintf(text, sizeof(text), "its schema is not valid: %s", why.message);
    return report_unvalidated(session, text);
  }
  int error = check_arguments(session, schema, validator);
  mcp_validator_unref(validator);
  return error;
}

/* ---- the list ---------------------------------------------------------- */

/* Whether the server answered, but not with a list of tools. */
static int is_without_list(int status) {
  return status == MCP_ERR_REMOTE || status == MCP_ERR_PROTOCOL ||
         status == MCP_ERR_LIMIT || status == MCP_ERR_UNSUPPORTED;
}

static int refuse_tool(ctl_session *session, const char *name) {
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  ctl_list_nearest(&nearest, session->result, name);
  session->status =
      mcp_error_set(&session->error, MCP_ERR_INVALID,
                    "%s was not called: the server does not list this tool%s "
                    "--no-validate calls it anyway",
                    name, ctl_nearest_ending(&nearest, ";", ending));
  return session->status;
}

/* Validates by the list of tools, which is the session's result. */
static int validate_by_list(ctl_session *session) {
  const ctl_options *options = session->options;
  const mcp_json *tool = ctl_list_find(session->result, options->args[0]);
  if (tool == NULL) {
    return refuse_tool(session, options->args[0]);
  }
  session->status = validate_by(session, mcp_json_get(tool, "inputSchema"));
  return session->status;
}

int ctl_validate_arguments(ctl_session *session) {
  const ctl_options *options = session->options;
  int is_validated = options->verb->is_validated && !options->no_validate &&
                     options->dialect == MCP_DIALECT_MCP &&
                     options->arg_count > 0;
  if (!is_validated && options->pin == NULL) {
    return 0;
  }
  int status = ctl_session_request(session, ctl_request_tools);
  if (is_without_list(status) && options->pin == NULL) {
    char text[MCP_ERROR_TEXT_SIZE + 40];
    snprintf(text, sizeof(text), "the server did not list its tools: %s",
             session->error.message);
    return report_unvalidated(session, text);
  }
  if (status == 0) {
    status = session->status = ctl_pin_check(session);
  }
  return status == 0 && is_validated ? validate_by_list(session) : status;
}
