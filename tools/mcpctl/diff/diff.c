/* SPDX-License-Identifier: MIT */
#include "diff/diff.h"
#include "bundle/bundle.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "config/server.h"
#include "connection/session.h"
#include "diff/changes.h"
#include "diff/listing.h"
#include "diff/listing_diff.h"
#include "diff/snapshot.h"
#include "line/target.h"
#include "platform/files.h"

#include <stdlib.h>
#include <string.h>

/* One of the two. The session is the first member: side_keep finds the side by
 * it. */
typedef struct side {
  ctl_session session;
  ctl_options options; /* of a server */
  const char *file;    /* NULL: it is a server */
  mcp_doc *listing;
} side;

/* ---- what it is -------------------------------------------------------- */

/* A pipe is a file, too: <(...) of a shell is one. */
static int is_file(const char *word) {
  ctl_path_kind is = ctl_path_is(word);
  return strcmp(word, "-") == 0 ||
         (is != CTL_PATH_NOTHING && is != CTL_PATH_FOLDER);
}

static int refuse_word(const ctl_options *given, const char *word) {
  int is_path = strchr(word, '/') != NULL || strchr(word, '.') != NULL;
  return is_path ? ctl_report(CTL_USAGE,
                              "'%s' is not a file that exists, a URL, or the "
                              "name of a server",
                              word)
                 : ctl_server_refuse(given, word);
}

static int side_set_name(side *self, const ctl_options *given,
                         const char *word) {
  int is_known = 0;
  int code = ctl_server_use(&self->options, word, &is_known);
  return is_known ? code : refuse_word(given, word);
}

static int side_set_url(side *self, char *word) {
  if (!ctl_target_is_known(word)) {
    return ctl_report(CTL_USAGE,
                      "unknown scheme '%.*s': a server's URL begins "
                      "with " CTL_TARGETS,
                      (int)strcspn(word, "/"), word);
  }
  self->options.url = word;
  self->options.socket = ctl_target_socket(word);
  return CTL_GO_ON;
}

/* `word` is NULL for the command after "--". */
static int side_set(side *self, const ctl_options *given, char *word) {
  if (word != NULL && is_file(word) && !ctl_bundle_is_named(word)) {
    self->file = word;
    return CTL_GO_ON;
  }
  if (ctl_options_copy(&self->options, given) != 0) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  int code = CTL_GO_ON;
  if (word == NULL) {
    self->options.command = given->command;
  } else {
    self->options.command = NULL;
    code = ctl_target_read(word) ? side_set_url(self, word)
                                 : side_set_name(self, given, word);
  }
  return code == CTL_GO_ON ? ctl_options_name_target(&self->options) : code;
}

/* ---- what it lists ----------------------------------------------------- */

static int side_keep(ctl_session *session, const mcp_result *result) {
  side *self = (side *)session;
  (void)result;
  self->listing = session->listing;
  session->listing = NULL;
  return CTL_OK;
}

static const ctl_verb side_verb = {.name = "diff",
                                   .synopsis = "diff A B",
                                   .follow = ctl_snapshot_follow,
                                   .show = side_keep};

static int side_list(side *self) {
  if (self->file != NULL) {
    return ctl_listing_read(&self->listing, self->file);
  }
  self->options.verb = &side_verb;
  self->options.is_json = 0; /* that is for the differences */
  int code = ctl_session_open(&self->session, &self->options);
  if (code == CTL_OK) {
    code = ctl_session_do(&self->session, &self->options);
  }
  ctl_session_close(&self->session);
  return code;
}

static void side_deinit(side *self) {
  mcp_doc_free(self->listing);
  ctl_options_copy_deinit(&self->options);
}

/* ---- both -------------------------------------------------------------- */

/* Options for one server would also go to the other one: a token, for
 * example. */
static int check_given(const side sides[2], const ctl_options *given) {
  int servers = (sides[0].file == NULL) + (sides[1].file == NULL);
  if (servers == 1) {
    return ctl_options_check_target(sides[0].file == NULL ? &sides[0].options
                                                          : &sides[1].options);
  }
  if (!ctl_options_are_for_server(given)) {
    return CTL_GO_ON;
  }
  return servers == 0
             ? ctl_report(CTL_USAGE, "options for a server, such as --header "
                                     "and --env, have no effect on two files")
             : ctl_report(CTL_USAGE,
                          "options for a server, such as --header and --env, "
                          "would go to both: put the servers into a "
                          "configuration, or compare a snapshot of one");
}

/* Servers list less in older revisions. */
static void report_revisions(const side sides[2]) {
  const char *before =
      ctl_json_member(mcp_doc_root(sides[0].listing), "protocolVersion");
  const char *after =
      ctl_json_member(mcp_doc_root(sides[1].listing), "protocolVersion");
  if (before != NULL && after != NULL && strcmp(before, after) != 0) {
    ctl_report(0,
               "the listings are of the revisions %s and %s, which may be why "
               "they differ: --era chooses one",
               before, after);
  }
}

static int diff_report(const side sides[2], int is_json) {
  ctl_changes changes = {0};
  const ctl_values listings = {mcp_doc_root(sides[0].listing),
                               mcp_doc_root(sides[1].listing)};
  ctl_listing_diff(&changes, listings);
  int code = ctl_changes_worst(&changes);
  if (changes.is_broken) {
    code = ctl_report(CTL_USAGE, "out of memory");
  } else if (is_json) {
    int printed = ctl_changes_print_json(&changes);
    code = printed != CTL_OK ? printed : code;
  } else {
    ctl_changes_print(stdout, &changes);
    ctl_changes_print_summary(stdout, &changes);
  }
  if (code >= CTL_COMPATIBLE) {
    report_revisions(sides);
  }
  ctl_changes_deinit(&changes);
  return code;
}

static int diff_sides(side sides[2], const ctl_options *options) {
  int code = side_set(&sides[0], options, options->args[0]);
  if (code == CTL_GO_ON) {
    code = side_set(&sides[1], options,
                    options->arg_count > 1 ? options->args[1] : NULL);
  }
  if (code == CTL_GO_ON) {
    code = check_given(sides, options);
  }
  if (code != CTL_GO_ON) {
    return code;
  }
  code = side_list(&sides[0]);
  if (code == CTL_OK) {
    code = side_list(&sides[1]);
  }
  return code == CTL_OK ? diff_report(sides, options->is_json) : code;
}

int ctl_diff_run(const ctl_options *options) {
  side *sides = calloc(2, sizeof(*sides));
  if (sides == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  int code = diff_sides(sides, options);
  side_deinit(&sides[0]);
  side_deinit(&sides[1]);
  free(sides);
  return code;
}
