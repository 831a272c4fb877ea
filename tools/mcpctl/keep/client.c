/* SPDX-License-Identifier: MIT */
#include "keep/client.h"
#include "common/json.h"
#include "common/report.h"
#include "connection/listen.h"
#include "keep/ask.h"
#include "keep/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process that does not answer so soon is not used. */
enum { ANSWER_MS = 1000 };

/* Whether these options name a server whose session may be used. */
static int may_join(const ctl_options *options) {
  return options->server != NULL && !options->no_session &&
         !options->verb->is_direct && options->dialect == MCP_DIALECT_MCP;
}

static void say_used(const ctl_options *options, const mcp_json *status) {
  ctl_report_aside("uses the session of %s (process %lld)", options->target,
                   (long long)mcp_json_int(mcp_json_get(status, "pid")));
}

/* Whether the process answers, and has the server with this definition. */
static int is_right(int fd, const ctl_keep_path *path,
                    const ctl_options *options, int says) {
  mcp_doc *doc = ctl_keep_ask(fd, CTL_KEEP_HELLO, ANSWER_MS);
  const mcp_json *status = mcp_doc_root(doc);
  const char *definition = ctl_json_member(status, "definition");
  int is_it = definition != NULL && strcmp(definition, path->definition) == 0;
  if (is_it && says) {
    say_used(options, status);
  }
  mcp_doc_free(doc);
  return is_it;
}

int ctl_keep_join(const ctl_options *options, int says) {
  ctl_keep_path path = {0};
  int fd = -1;
  if (!may_join(options)) {
    return -1;
  }
  if (ctl_keep_path_make(&path, options, NULL) == 0 &&
      ctl_keep_folder_check(path.folder, 0, NULL) == 0) {
    fd = ctl_keep_connect(path.socket);
  }
  if (fd >= 0 && !is_right(fd, &path, options, says)) {
    close(fd);
    fd = -1;
  }
  ctl_keep_path_deinit(&path);
  return fd;
}

int ctl_keep_connect_client(ctl_session *session) {
  int fd = session->kept_fd;
  mcp_transport *transport =
      mcp_transport_fd(session->loop, fd, fd, NULL, &session->error);
  if (transport == NULL) {
    return session->error.code;
  }
  session->kept_fd = 0; /* the transport closes it */
  session->is_kept = 1;
  return mcp_client_connect(session->client, transport, ctl_session_done,
                            session, &session->error);
}

void ctl_keep_take_failure(ctl_session *session, const mcp_json *error_data) {
  const mcp_json *failure = mcp_json_get(error_data, CTL_KEEP_FAILURE);
  int code = (int)mcp_json_int(mcp_json_get(failure, "code"));
  if (session->is_kept && code < 0) {
    session->status = code;
    session->error.code = session->status;
    session->error.status =
        (int32_t)mcp_json_int(mcp_json_get(failure, "status"));
    free(session->error_data);
    session->error_data = NULL;
  }
}

int ctl_keep_take(ctl_session *session, const char *method,
                  const mcp_json *params) {
  const char *text = ctl_json_member(params, "text");
  if (!session->is_kept) {
    return 0;
  }
  if (strcmp(method, CTL_KEEP_STDERR) == 0 && text != NULL) {
    ctl_listen_stderr(NULL, text, strlen(text), session);
    return 1;
  }
  if (strcmp(method, CTL_KEEP_EXIT) == 0) {
    ctl_listen_exit(NULL, mcp_json_int(mcp_json_get(params, "status")),
                    (int)mcp_json_int(mcp_json_get(params, "signal")), session);
    return 1;
  }
  return 0;
}
