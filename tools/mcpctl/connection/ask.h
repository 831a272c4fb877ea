/* SPDX-License-Identifier: MIT */
/* Answers questions from the server: asks the user, or uses --answer. */
#ifndef CTL_ASK_H
#define CTL_ASK_H

#include "connection/session.h"

/* Answers a question, or fails it. Illegal inside a callback. */
void ctl_ask(ctl_session *session, mcp_question *question);

/* The kinds of questions: form.c, consent.c, sample.c. */
void ctl_ask_form(ctl_session *session, mcp_question *question);
void ctl_ask_consent(ctl_session *session, mcp_question *question);
void ctl_ask_sample(ctl_session *session, mcp_question *question);

#endif
