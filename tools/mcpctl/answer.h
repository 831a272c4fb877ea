/* SPDX-License-Identifier: MIT */
/* Answers given in advance by --answer, and questions that have none. */
#ifndef CTL_ANSWER_H
#define CTL_ANSWER_H

#include "session.h"

/* The last --answer of that name: its text, or NULL. *is_json (may be NULL)
 * tells name:=JSON from name=value. */
const char *ctl_answer_find(const ctl_options *options, const char *name,
                            int *is_json);

/* What --answer action= says. */
enum {
  CTL_ACTION_NONE, /* nothing */
  CTL_ACTION_ACCEPT,
  CTL_ACTION_DECLINE,
  CTL_ACTION_CANCEL
};
int ctl_answer_action(const ctl_options *options);
/* The one of that name; CTL_ACTION_NONE: there is none. */
int ctl_answer_find_action(const char *name);

/* Answers a question without content. */
void ctl_answer_refuse(mcp_question *question, int action);

/* Nobody answers this one: tells the server, and the user by which --answer it
 * could have been. The run ends with CTL_UNANSWERED. */
void ctl_answer_none(ctl_session *session, mcp_question *question,
                     const char *name, const char *why);

#endif
