/* SPDX-License-Identifier: MIT */
/* Chooses how to answer a question from the server. */
#include "connection/ask.h"
#include "common/json.h"

#include <string.h>

void ctl_ask(ctl_session *session, mcp_question *question) {
  const char *mode = ctl_json_member(mcp_question_params(question), "mode");
  if (strcmp(mcp_question_method(question), "elicitation/create") != 0) {
    ctl_ask_sample(session, question);
  } else if (mode != NULL && strcmp(mode, "url") == 0) {
    ctl_ask_consent(session, question);
  } else {
    ctl_ask_form(session, question);
  }
}
