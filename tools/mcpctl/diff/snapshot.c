/* SPDX-License-Identifier: MIT */
#include "diff/snapshot.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/replace.h"
#include "common/report.h"
#include "connection/requests.h"
#include "connection/session.h"
#include "diff/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking ------------------------------------------------------------ */

/* Puts the entries of all pages, in order. */
static int put_entries(mcp_builder *out, const mcp_result *result,
                       const ctl_listing_list *list) {
  size_t count = mcp_result_count(result);
  const mcp_json **entries = calloc(count + 1, sizeof(void *));
  if (entries == NULL) {
    return MCP_ERR_NOMEM;
  }
  for (size_t i = 0; i < count; i++) {
    entries[i] = mcp_result_item(result, i);
  }
  int rc = ctl_listing_sort(entries, count, list->key);
  mcp_builder_array(out, list->name);
  for (size_t i = 0; rc == 0 && i < count; i++) {
    mcp_builder_value(out, NULL, entries[i]);
  }
  mcp_builder_end(out);
  free(entries);
  return rc;
}

/* Some servers of resources do not know resources/templates/list. */
static int ask_list(ctl_session *session, mcp_builder *out, size_t index) {
  static const struct {
    const char *capability; /* of a server that has the list */
    ctl_starter *start;
  } requests[CTL_LISTING_LISTS] = {{"tools", ctl_request_tools},
                                   {"prompts", ctl_request_prompts},
                                   {"resources", ctl_request_resources},
                                   {"resources", ctl_request_templates}};
  const ctl_listing_list *list = &ctl_listing_lists[index];
  const mcp_json *can = mcp_client_server_capabilities(session->client);
  if (mcp_json_get(can, requests[index].capability) == NULL) {
    return 0;
  }
  int status = ctl_session_request(session, requests[index].start);
  if (ctl_session_is_lacking(session)) {
    return 0;
  }
  if (status == 0 && put_entries(out, session->result, list) != 0) {
    status = mcp_error_set(&session->error, MCP_ERR_NOMEM, "out of memory");
  }
  return status;
}

static void put_server(mcp_builder *out, const mcp_client *client) {
  const mcp_json *info = mcp_client_server_info(client);
  const char *instructions = mcp_client_instructions(client);
  if (info != NULL) {
    mcp_builder_value(out, "server", info);
  } else {
    mcp_builder_object(out, "server");
    mcp_builder_end(out);
  }
  mcp_builder_string(out, "protocolVersion", mcp_client_revision(client));
  if (instructions != NULL) {
    mcp_builder_string(out, "instructions", instructions);
  }
}

/* Makes the session's listing of it. */
static int listing_finish(ctl_session *session, mcp_builder *out) {
  size_t len = 0;
  mcp_error why = {0};
  const char *text = mcp_builder_text(out, &len);
  if (text == NULL) {
    session->error = *mcp_builder_error(out);
    return session->error.code;
  }
  session->listing = mcp_doc_parse(text, len, NULL, NULL, &session->error);
  if (session->listing == NULL) {
    return session->error.code;
  }
  return ctl_listing_check(mcp_doc_root(session->listing), &why) == 0
             ? 0
             : mcp_error_set(&session->error, MCP_ERR_PROTOCOL,
                             "the server's lists are not valid: %s",
                             why.message);
}

int ctl_snapshot_follow(ctl_session *session) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  int status = 0;
  mcp_builder_object(builder, NULL);
  put_server(builder, session->client);
  for (size_t i = 0; status == 0 && i < CTL_LISTING_LISTS; i++) {
    status = ask_list(session, builder, i);
  }
  mcp_builder_end(builder);
  if (status == 0) {
    status = listing_finish(session, builder);
  }
  mcp_builder_free(builder);
  session->status = status;
  return status;
}

/* ---- saving ------------------------------------------------------------ */

static int snapshot_write(const char *path, const char *text, int overwrites) {
  if (strcmp(path, "-") == 0) {
    ctl_json_write(stdout, text);
    return CTL_OK;
  }
  if (ctl_replace_json(path, text, overwrites ? CTL_REPLACE_OLD : 0) == 0) {
    return CTL_OK;
  }
  return errno == EEXIST
             ? ctl_report(CTL_USAGE,
                          "%s is there already: --overwrite replaces it", path)
             : ctl_report(CTL_USAGE, "cannot write %s: %s", path,
                          strerror(errno));
}

int ctl_snapshot_show(ctl_session *session, const mcp_result *result) {
  const ctl_options *options = session->options;
  char *text = ctl_json_text(mcp_doc_root(session->listing));
  (void)result;
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  int code = snapshot_write(options->args[0], text, options->overwrites);
  free(text);
  return code;
}
