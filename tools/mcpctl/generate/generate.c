/* SPDX-License-Identifier: MIT */
#include "generate/generate.h"

#include "common/exit.h"
#include "common/format.h"
#include "common/json.h"
#include "common/report.h"
#include "connection/session.h"
#include "generate/write_c.h"
#include "platform/files.h"
#include "platform/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The name and the version of the server. Owned; NULL: out of memory. */
static char *server_words(const ctl_session *session) {
  const mcp_json *info = mcp_client_server_info(session->client);
  const char *name = ctl_json_member(info, "name");
  const char *version = ctl_json_member(info, "version");
  return ctl_format("%s%s%s", name != NULL ? name : "without a name",
                    version != NULL ? ", version " : "",
                    version != NULL ? version : "");
}

static void choose_prefix(char prefix[CTL_NAME_SIZE],
                          const ctl_session *session) {
  const char *given = session->options->prefix;
  const mcp_json *info = mcp_client_server_info(session->client);
  const char *name = ctl_json_member(info, "name");
  if (given != NULL) {
    snprintf(prefix, CTL_NAME_SIZE, "%s", given);
  } else {
    ctl_model_prefix(prefix, name != NULL ? name : "");
  }
}

/* ---- writing ----------------------------------------------------------- */

static int write_file(const char *path, const char *text, size_t len) {
  int is_stdout = path == NULL || strcmp(path, "-") == 0;
  FILE *out = is_stdout ? stdout : ctl_stream_to_write(path);
  if (out == NULL) {
    return ctl_report(CTL_USAGE, "cannot write %s: %s", path, strerror(errno));
  }
  int is_whole = fwrite(text, 1, len, out) == len;
  is_whole = (is_stdout ? fflush(out) : fclose(out)) == 0 && is_whole;
  return is_whole ? CTL_OK
                  : ctl_report(CTL_USAGE, "cannot write %s: %s",
                               is_stdout ? "standard output" : path,
                               strerror(errno));
}

/* The text is whole before the file is opened: a file that is there stays as it
 * is if something fails. */
static int write_model(const ctl_session *session, const ctl_model *model) {
  char *text = NULL;
  size_t len = 0;
  char *server = server_words(session);
  FILE *out = ctl_memory_open(&text, &len);
  int rc = MCP_ERR_NOMEM;
  if (server != NULL && out != NULL) {
    rc = ctl_write_c(out, model, server);
  }
  if (out != NULL && ctl_memory_close(out, &text, &len) != 0) {
    rc = MCP_ERR_NOMEM;
  }
  int code = rc == 0 ? write_file(session->options->output, text, len)
                     : ctl_report(CTL_USAGE, "out of memory");
  free(text);
  free(server);
  return code;
}

int ctl_generate_show(ctl_session *session, const mcp_result *result) {
  size_t count = mcp_result_count(result);
  const mcp_json **tools = calloc(count + 1, sizeof(void *));
  char prefix[CTL_NAME_SIZE];
  ctl_model model;
  if (tools == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  for (size_t i = 0; i < count; i++) {
    tools[i] = mcp_result_item(result, i);
  }
  choose_prefix(prefix, session);
  int code = ctl_model_init(&model, prefix, tools, count) == 0
                 ? write_model(session, &model)
                 : ctl_report(CTL_USAGE, "out of memory");
  if (code == CTL_OK && model.left_out > 0) {
    ctl_report_aside("%zu tools are left out: they are too many, or their "
                     "names are too long",
                     model.left_out);
  }
  ctl_model_deinit(&model);
  free(tools);
  return code;
}
