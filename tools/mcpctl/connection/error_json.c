/* SPDX-License-Identifier: MIT */
#include "connection/error_json.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"

#include <stdlib.h>
#include <string.h>

/* The error that the server answered with in this run. */
static struct {
  int is_set;
  int code;
  char *message; /* owned */
  char *data;    /* owned; NULL: none */
} remote;

void ctl_error_json_set_remote(int code, const char *message,
                               const char *data) {
  free(remote.message);
  free(remote.data);
  remote.is_set = 1;
  remote.code = code;
  remote.message = strdup(message);
  remote.data = data != NULL ? strdup(data) : NULL;
}

void ctl_error_json_forget(void) {
  free(remote.message);
  free(remote.data);
  remote.is_set = 0;
  remote.message = NULL;
  remote.data = NULL;
  ctl_report_forget();
  ctl_json_forget();
}

static const char *exit_code_name(int exit_code) {
  switch (exit_code) {
  case CTL_USAGE:
    return "usage";
  case CTL_AUTHORIZATION:
    return "authorization";
  case CTL_TOOL_ERROR:
    return "tool";
  case CTL_UNANSWERED:
    return "unanswered";
  case CTL_TIMEOUT:
    return "timeout";
  case CTL_INTERRUPTED:
    return "interrupted";
  default:
    return "failed";
  }
}

static void put_error(mcp_builder *builder, int exit_code) {
  const char *message = remote.is_set ? remote.message : ctl_report_error();
  const char *hint = ctl_report_notes();
  mcp_builder_object(builder, NULL);
  mcp_builder_object(builder, "error");
  if (remote.is_set) {
    mcp_builder_int(builder, "code", remote.code);
  } else {
    mcp_builder_string(builder, "code", exit_code_name(exit_code));
  }
  ctl_json_put_typed(builder, "message", message != NULL ? message : "");
  if (remote.data != NULL) {
    mcp_builder_json(builder, "data", remote.data);
  }
  if (hint != NULL) {
    ctl_json_put_typed(builder, "hint", hint);
  }
  mcp_builder_end(builder);
  mcp_builder_end(builder);
}

void ctl_error_json_print(int exit_code) {
  if (exit_code == CTL_OK || ctl_json_has_printed()) {
    return;
  }
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  put_error(builder, exit_code);
  const char *text = mcp_builder_text(builder, NULL);
  if (text != NULL) {
    ctl_json_print_text(text);
  }
  mcp_builder_free(builder);
}
