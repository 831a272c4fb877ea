/* SPDX-License-Identifier: MIT */
/* Answers given in advance by --answer, and questions that have none. */
#ifndef CTL_ANSWER_H
#define CTL_ANSWER_H

#include "connection/session.h"

/* The text of the last --answer with that name, or NULL. Sets *is_json (may be
 * NULL) to 1 for name:=JSON and to 0 for name=value. Each --answer with that
 * name counts as used. */
const char *ctl_answer_find(const ctl_options *options, const char *name,
                            int *is_json);
/* Frees what the search for names keeps in the options. */
void ctl_answer_forget(ctl_options *options);
/* Names each --answer that was not used: its name may be misspelt. */
void ctl_answer_report_unused(const ctl_options *options);

/* What --answer action= says. */
enum {
  CTL_ACTION_NONE, /* nothing */
  CTL_ACTION_ACCEPT,
  CTL_ACTION_DECLINE,
  CTL_ACTION_CANCEL
};
int ctl_answer_action(const ctl_options *options);
/* The action of that name; CTL_ACTION_NONE: there is none. */
int ctl_answer_find_action(const char *name);

/* Answers a question without content. */
void ctl_answer_refuse(mcp_question *question, int action);

/* Fails a question that has no answer. Reports to the user which --answer would
 * have answered it. The run ends with CTL_UNANSWERED.
 *
 * @param name what --answer needs a value for
 * @param why what is wrong with the answer that was given; NULL: --answer
 *     gave no answer */
void ctl_answer_none(ctl_session *session, mcp_question *question,
                     const char *name, const char *why);

#endif
