/* SPDX-License-Identifier: MIT */
/* Answers given in advance by --answer, and questions without an answer. */
#include "connection/answer.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/nearest.h"
#include "common/report.h"
#include "line/args.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the name if the answer may be meant for it, more than for an earlier
 * one. */
static void answer_note_name(const ctl_options *options, size_t i,
                             const ctl_pair *pair, const char *name) {
  char **meant = &options->meant_answers[i];
  ctl_nearest nearest;
  ctl_nearest_begin(&nearest, pair->key, pair->key_len);
  if (*meant != NULL) {
    ctl_nearest_offer(&nearest, *meant);
  }
  ctl_nearest_offer(&nearest, name);
  if (nearest.name == name) {
    free(*meant);
    *meant = strdup(name);
  }
}

void ctl_answer_forget(ctl_options *options) {
  for (size_t i = 0;
       options->answers != NULL && options->meant_answers != NULL &&
       options->answers[i] != NULL;
       i++) {
    free(options->meant_answers[i]);
    options->meant_answers[i] = NULL;
  }
}

const char *ctl_answer_find(const ctl_options *options, const char *name,
                            int *is_json) {
  const char *found = NULL;
  for (size_t i = 0; options->answers[i] != NULL; i++) {
    ctl_pair pair;
    if (ctl_pair_split(options->answers[i], &pair) != 0) {
      continue;
    }
    if (!ctl_pair_is(&pair, name)) {
      answer_note_name(options, i, &pair, name);
      continue;
    }
    options->used_answers[i] = 1;
    found = pair.value;
    if (is_json != NULL) {
      *is_json = pair.is_json;
    }
  }
  return found;
}

void ctl_answer_report_unused(const ctl_options *options) {
  for (size_t i = 0; options->answers[i] != NULL; i++) {
    ctl_pair pair;
    if (!options->used_answers[i] &&
        ctl_pair_split(options->answers[i], &pair) == 0) {
      ctl_nearest nearest;
      char ending[CTL_ENDING_SIZE];
      ctl_nearest_begin(&nearest, pair.key, pair.key_len);
      if (options->meant_answers[i] != NULL) {
        ctl_nearest_offer(&nearest, options->meant_answers[i]);
      }
      ctl_report(0, "--answer %.*s was not used: no question asked for it%s",
                 (int)pair.key_len, pair.key,
                 ctl_nearest_ending(&nearest, "", ending));
    }
  }
}

int ctl_answer_find_action(const char *name) {
  static const char *const names[] = {
      [CTL_ACTION_ACCEPT] = "accept",
      [CTL_ACTION_DECLINE] = "decline",
      [CTL_ACTION_CANCEL] = "cancel",
  };
  for (int i = CTL_ACTION_ACCEPT; i <= CTL_ACTION_CANCEL; i++) {
    if (strcmp(name, names[i]) == 0) {
      return i;
    }
  }
  return CTL_ACTION_NONE;
}

int ctl_answer_action(const ctl_options *options) {
  int is_json = 0;
  const char *action = ctl_answer_find(options, "action", &is_json);
  return action != NULL && !is_json ? ctl_answer_find_action(action)
                                    : CTL_ACTION_NONE;
}

void ctl_answer_refuse(mcp_question *question, int action) {
  if (action == CTL_ACTION_DECLINE) {
    mcp_question_decline(question);
  } else {
    mcp_question_cancel(question);
  }
}

void ctl_answer_none(ctl_session *session, mcp_question *question,
                     const char *name, const char *why) {
  const char *message =
      ctl_json_member(mcp_question_params(question), "message");
  if (message != NULL) {
    ctl_report(0, "%s asks: %s", ctl_session_server_name(session), message);
  }
  ctl_report(CTL_UNANSWERED,
             "unanswered: %s%s%s; answer on a terminal or "
             "with --answer %s=VALUE",
             name, why != NULL ? ": " : "", why != NULL ? why : "", name);
  session->is_unanswered = 1;
  mcp_question_fail(question, MCP_RPC_INTERNAL_ERROR,
                    "the user gave no answer");
}
