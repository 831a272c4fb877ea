/* SPDX-License-Identifier: MIT */
/* Questions from the server, put to the user. */
#ifndef CTL_ASK_H
#define CTL_ASK_H

#include "session.h"

/* Answers a question, one way or another. Not inside a callback. */
void ctl_ask(ctl_session *session, mcp_question *question);

/* The kinds of questions: form.c, consent.c, sample.c. */
void ctl_ask_form(ctl_session *session, mcp_question *question);
void ctl_ask_consent(ctl_session *session, mcp_question *question);
void ctl_ask_sample(ctl_session *session, mcp_question *question);

#endif
