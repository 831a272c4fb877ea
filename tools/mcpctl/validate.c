/* SPDX-License-Identifier: MIT */
/* Validates a tool's arguments before they are sent.
 *
 * Servers report wrong arguments in different ways, and some do not check them.
 * Validation costs one request for the list of tools. If the server has no
 * list, or the schema is not valid, the arguments are sent anyway: the server
 * decides. */
#include "validate.h"
#include "hint.h"
#include "json.h"
#include "list.h"
#include "report.h"

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

static int refuse_arguments(ctl_session *session, mcp_builder *errors) {
  size_t len = 0;
  const char *text = mcp_builder_text(errors, &len);
  if (text == NULL) {
    session->error = *mcp_builder_error(errors);
    return session->error.code;
  }
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, &session->error);
  if (doc == NULL) {
    return session->error.code;
  }
  report_errors(session, mcp_doc_root(doc));
  mcp_doc_free(doc);
  return mcp_error_set(&session->error, MCP_ERR_INVALID,
                       "%s was not called: its arguments are not valid; "
                       "--no-validate sends them anyway",
                       session->options->args[0]);
}

static int check_arguments(ctl_session *session, const mcp_validator *validator,
                           const mcp_json *arguments) {
  mcp_builder *errors = mcp_builder_new(NULL, NULL);
  int error = mcp_validator_check(validator, arguments, NULL, errors);
  if (error == MCP_ERR_LIMIT) {
    error = report_unvalidated(session, "it would take too much work");
  } else if (error != 0) {
    error = refuse_arguments(session, errors);
  }
  mcp_builder_free(errors);
  return error;
}

static int check_text(ctl_session *session, const mcp_validator *validator) {
  const char *text = session->arguments != NULL ? session->arguments : "{}";
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &session->error);
  if (doc == NULL) {
    return session->error.code;
  }
  int error = check_arguments(session, validator, mcp_doc_root(doc));
  mcp_doc_free(doc);
  return error;
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
  int error = check_text(session, validator);
  mcp_validator_unref(validator);
  return error;
}

/* ---- the list ---------------------------------------------------------- */

static int start_list(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_list_tools(session->client, options, ctl_session_done,
                               session, &session->error);
}

/* Whether the server answered, but not with a list of tools. */
static int is_without_list(int status) {
  return status == MCP_ERR_REMOTE || status == MCP_ERR_PROTOCOL ||
         status == MCP_ERR_LIMIT || status == MCP_ERR_UNSUPPORTED;
}

int ctl_validate_arguments(ctl_session *session) {
  const ctl_options *options = session->options;
  if (!options->verb->is_validated || options->no_validate ||
      options->dialect != MCP_DIALECT_MCP || options->arg_count == 0) {
    return 0;
  }
  int status = ctl_session_request(session, start_list);
  if (is_without_list(status)) {
    char text[MCP_ERROR_TEXT_SIZE + 40];
    snprintf(text, sizeof(text), "the server did not list its tools: %s",
             session->error.message);
    return report_unvalidated(session, text);
  }
  if (status != 0) {
    return status;
  }
  const mcp_json *tool = ctl_list_find(session->result, options->args[0]);
  if (tool == NULL) {
    return report_unvalidated(session, "the server does not list this tool");
  }
  session->status = validate_by(session, mcp_json_get(tool, "inputSchema"));
  return session->status;
}
