/* SPDX-License-Identifier: MIT */
#include "diff/pin.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/list.h"
#include "common/report.h"
#include "diff/listing.h"
#include "diff/listing_diff.h"

#include <string.h>

int ctl_pin_read(ctl_session *session) {
  const char *path = session->options->pin;
  return path == NULL ? CTL_OK : ctl_listing_read(&session->pinned, path);
}

/* The tool of that name in a list. Sets *count to how many there are: a second
 * one could be the one that the server calls. */
static const mcp_json *pinned_find(const mcp_json *list, const char *name,
                                   size_t *count) {
  mcp_json_iter iter;
  const mcp_json *entry;
  const mcp_json *found = NULL;
  *count = 0;
  mcp_json_iter_init(&iter, list);
  while ((entry = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *other = ctl_json_member(entry, "name");
    if (other != NULL && strcmp(other, name) == 0) {
      found = found != NULL ? found : entry;
      ++*count;
    }
  }
  return found;
}

static size_t listed_count(const mcp_result *result, const char *name) {
  size_t count = 0;
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    const char *other = ctl_json_member(mcp_result_item(result, i), "name");
    count += other != NULL && strcmp(other, name) == 0;
  }
  return count;
}

/* Says how to take the snapshot again. */
static void advise(const ctl_options *options) {
  if (options->command != NULL && options->server == NULL) {
    ctl_report(0,
               "to accept the tool as it is now, run mcpctl snapshot %s "
               "--overwrite -- %s%s",
               options->pin, options->command[0],
               options->command[1] != NULL ? " ..." : "");
  } else {
    ctl_report(0,
               "to accept the tool as it is now, run mcpctl %s snapshot %s "
               "--overwrite",
               options->target, options->pin);
  }
}

/* Prints on standard error: standard output is for the tool's result. */
static int refuse_changed(ctl_session *session, ctl_values tools) {
  ctl_changes changes = {0};
  ctl_listing_diff_tool(&changes, tools);
  fflush(stdout);
  ctl_changes_print(stderr, &changes);
  ctl_changes_deinit(&changes);
  advise(session->options);
  return mcp_error_set(&session->error, MCP_ERR_INVALID,
                       "%s was not called: it is not as in %s",
                       session->options->args[0], session->options->pin);
}

static int refuse_unknown(ctl_session *session, const char *where) {
  return mcp_error_set(&session->error, MCP_ERR_INVALID,
                       "%s was not called: %s (--pin %s)",
                       session->options->args[0], where, session->options->pin);
}

int ctl_pin_check(ctl_session *session) {
  const char *name = session->options->args[0];
  const mcp_json *listing = mcp_doc_root(session->pinned);
  size_t count = 0;
  if (session->pinned == NULL) {
    return 0;
  }
  const ctl_values tools = {
      pinned_find(mcp_json_get(listing, "tools"), name, &count),
      ctl_list_find(session->result, name)};
  if (tools.before == NULL) {
    return refuse_unknown(session, "the snapshot has no such tool");
  }
  if (tools.after == NULL) {
    return refuse_unknown(session, "the server no longer lists it");
  }
  if (count > 1 || listed_count(session->result, name) > 1) {
    return refuse_unknown(session, "several tools have this name");
  }
  return mcp_json_equal(tools.before, tools.after)
             ? 0
             : refuse_changed(session, tools);
}
