/* SPDX-License-Identifier: MIT */
/* Reports why a request failed, and what the user can do. */
#include "connection/failure.h"
#include "common/exit.h"
#include "common/report.h"
#include "connection/error_json.h"
#include "connection/hint.h"
#include "connection/refusal.h"
#include "platform/interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report_remote(const ctl_session *session) {
  int code = ctl_report(CTL_FAILED, "the server answered with error %d: %s",
                        (int)session->error.status, session->error.message);
  if (session->error_data != NULL) {
    ctl_report_aside("the error's data: %s", session->error_data);
  }
  ctl_error_json_set_remote((int)session->error.status, session->error.message,
                            session->error_data);
  ctl_hint_types(session->options, session->error.message);
  if (session->hint != NULL && session->hint[0] != '\0') {
    ctl_report(0, "%s", session->hint);
  }
  return code;
}

/* The limit in effect: the library's default when the option is not given. */
static uint32_t max_time_ms(const ctl_options *options) {
  const uint32_t least_ms = 600000;
  if (options->max_time_ms != 0) {
    return options->max_time_ms;
  }
  return options->timeout_ms > least_ms ? options->timeout_ms : least_ms;
}

/* Whether the library's message has the server's address. */
static int is_named(const char *target, const char *message) {
  const char *colon = strstr(target, "://");
  return strstr(message, colon != NULL ? colon + 3 : target) != NULL;
}

/* Adds the address where the message does not have it. */
static int report_at(const char *target, int code, const char *message) {
  return is_named(target, message)
             ? ctl_report(code, "%s", message)
             : ctl_report(code, "%s: %s", target, message);
}

static int report_limit(uint32_t limit_ms, const char *option) {
  return ctl_report(CTL_TIMEOUT,
                    "the server sent no answer within %g s: %s sets this limit",
                    limit_ms / 1000.0, option);
}

uint32_t ctl_failure_connect_ms(const char *message) {
  const char *number = strstr(message, "within ");
  return number != NULL && strstr(message, "(connect_timeout_ms)") != NULL
             ? (uint32_t)strtoul(number + strlen("within "), NULL, 10)
             : 0;
}

/* The library's message names the limit. Another limit than these is not one
 * that an option sets. */
static int report_timeout(const ctl_session *session) {
  const ctl_options *options = session->options;
  const char *message = session->error.message;
  if (strncmp(message, "the task has not ended", 22) == 0) {
    return ctl_report(CTL_TIMEOUT,
                      "the task has not ended within %g s: --max-time sets "
                      "this limit",
                      max_time_ms(options) / 1000.0);
  }
  if (strstr(message, "(max_ms)") != NULL ||
      strstr(message, "(max_request_ms)") != NULL) {
    return report_limit(max_time_ms(options), "--max-time");
  }
  if (ctl_failure_connect_ms(message) != 0) {
    return report_limit(ctl_failure_connect_ms(message), "--timeout");
  }
  if (strstr(message, "(timeout_ms)") != NULL ||
      strstr(message, "(request_timeout_ms)") != NULL) {
    return report_limit(options->timeout_ms, "--timeout");
  }
  return report_at(options->target, CTL_TIMEOUT, message);
}

static int report_closed(const ctl_session *session) {
  const char *command = session->options->target;
  if (!session->has_exited) {
    return report_at(command, CTL_FAILED, session->error.message);
  }
  if (session->exit_signal != 0) {
    return ctl_report(CTL_FAILED, "%s: ended by signal %d before it answered",
                      command, session->exit_signal);
  }
  return ctl_report(CTL_FAILED,
                    "%s: exited with status %lld before it answered", command,
                    (long long)session->exit_status);
}

static int report_status(const ctl_session *session) {
  switch (session->status) {
  case MCP_ERR_REMOTE:
    return report_remote(session);
  case MCP_ERR_TIMEOUT:
    return report_timeout(session);
  case MCP_ERR_CLOSED:
    return report_closed(session);
  case MCP_ERR_UNANSWERED:
    return ctl_report(CTL_UNANSWERED, "%s", session->error.message);
  case MCP_ERR_REFUSED:
    return ctl_refusal_report(session);
  case MCP_ERR_INVALID:
  case MCP_ERR_NOMEM:
    return ctl_report(CTL_USAGE, "%s", session->error.message);
  default:
    return ctl_report(CTL_FAILED, "%s", session->error.message);
  }
}

/* Whether the server is a program such as cat, which returns what it gets.
 * Another era would not help. */
static int is_echo(const mcp_error *err) {
  return err->code == MCP_ERR_PROTOCOL && err->status == 0 &&
         strstr(err->message, "it is not an MCP server") != NULL;
}

/* A server that was reached but failed while connecting may speak another era
 * than the one that the user chose. */
static void hint_era(const ctl_session *session) {
  const ctl_options *options = session->options;
  if (session->is_started && !session->is_connected &&
      session->status != MCP_ERR_CLOSED && session->status != MCP_ERR_IO &&
      session->status != MCP_ERR_REFUSED && !is_echo(&session->error) &&
      !options->is_plain && options->policy != MCP_POLICY_AUTO) {
    ctl_report(0,
               "the server may not speak --era %s: without this option, "
               "mcpctl finds out what the server speaks",
               options->era);
  }
}

/* Returns what stands before the fault's message. */
static const char *fault_subject(const ctl_session *session,
                                 const mcp_error *err) {
  const ctl_options *options = session->options;
  const char *target = options->url != NULL ? options->target : "the server";
  if (err->code == MCP_ERR_PARSE) {
    return "the server wrote something that is not a message";
  }
  return is_named(target, err->message) ? NULL : target;
}

int ctl_fault_report(const ctl_session *session, int code,
                     const mcp_error *err) {
  const char *subject = fault_subject(session, err);
  const char *joint = subject != NULL ? ": " : "";
  subject = subject != NULL ? subject : "";
  if (code == 0) {
    ctl_report_aside("%s%s%s", subject, joint, err->message);
    return code;
  }
  return ctl_report(code, "%s%s%s", subject, joint, err->message);
}

/* Whether an MCP server answered. A connection does not prove it in mcp-core
 * over HTTP, where connecting sends no request. A remote error proves it,
 * unless the library made the error from an HTTP status, for an answer without
 * a JSON-RPC error. */
static int has_answered(const ctl_session *session) {
  const ctl_options *options = session->options;
  if (session->status == MCP_ERR_REMOTE) {
    return strncmp(session->error.message, "http", 4) != 0 ||
           strstr(session->error.message, ": HTTP ") == NULL;
  }
  return session->is_connected && (options->dialect == MCP_DIALECT_MCP ||
                                   strncmp(options->url, "http", 4) != 0);
}

/* Whether the server refused the request as wrong. */
static int is_wrong_request(const mcp_error *err) {
  switch (err->status) {
  case MCP_RPC_PARSE_ERROR:
  case MCP_RPC_INVALID_REQUEST:
  case MCP_RPC_METHOD_NOT_FOUND:
  case MCP_RPC_INVALID_PARAMS:
  case MCP_RPC_RESOURCE_NOT_FOUND:
    return 1;
  default:
    return 0;
  }
}

/* Whether something may have gone wrong in the server. Otherwise its standard
 * error does not have the reason. */
static int may_be_servers_fault(const ctl_session *session) {
  switch (session->status) {
  case MCP_ERR_REMOTE:
    return !is_wrong_request(&session->error);
  case MCP_ERR_INVALID:
  case MCP_ERR_NOT_FOUND:
  case MCP_ERR_UNSUPPORTED:
  case MCP_ERR_UNANSWERED:
  case MCP_ERR_CANCELLED:
    return 0;
  default:
    return 1;
  }
}

int ctl_failure_report(const ctl_session *session) {
  if (ctl_interrupt_has_come()) {
    return ctl_report(CTL_INTERRUPTED, "interrupted");
  }
  if (session->is_unanswered) {
    return CTL_UNANSWERED;
  }
  int code = report_status(session);
  if (session->status != MCP_ERR_REMOTE && session->status != MCP_ERR_REFUSED) {
    ctl_http_said_report(&session->said, &session->error);
  }
  if (session->options->url != NULL && session->status != MCP_ERR_REFUSED &&
      !has_answered(session)) {
    ctl_hint_url(session->options, &session->error);
  }
  if (!session->is_connected) {
    ctl_hint_command(session->options, &session->error);
  }
  hint_era(session);
  if (!may_be_servers_fault(session)) {
    return code;
  }
  if (session->last_fault.code != 0 && !session->options->is_verbose &&
      strcmp(session->last_fault.message, session->error.message) != 0) {
    ctl_fault_report(session, code, &session->last_fault);
  }
  if (!session->options->is_verbose) {
    ctl_tail_print(&session->tail);
  }
  return code;
}
