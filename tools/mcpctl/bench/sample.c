/* SPDX-License-Identifier: MIT */
/* Answers a question that asks for a model's answer (MCP, Sampling). The user
 * sees the whole request and types the answer. */
#include "common/json.h"
#include "common/term.h"
#include "common/text.h"
#include "connection/answer.h"
#include "connection/ask.h"
#include "connection/tty.h"
#include "platform/memory.h"
#include "show/content.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- the request ------------------------------------------------------- */

static void put_block(ctl_tty *tty, const mcp_json *block) {
  const char *text = ctl_json_member(block, "text");
  char *description = text == NULL ? ctl_content_describe(block) : NULL;
  text = text != NULL ? text : description;
  if (text != NULL) {
    ctl_text_put_block(tty->out, text, strlen(text));
  }
  fputc('\n', tty->out);
  free(description);
}

/* Content is one block, or since 2025-11-25 an array of them. */
static void put_message(ctl_tty *tty, const mcp_json *message) {
  const char *role = ctl_json_member(message, "role");
  const mcp_json *content = mcp_json_get(message, "content");
  ctl_tty_put(tty, CTL_BOLD, role != NULL ? role : "?");
  fputs(":\n", tty->out);
  if (mcp_json_type(content) != MCP_JSON_ARRAY) {
    put_block(tty, content);
    return;
  }
  mcp_json_iter iter;
  const mcp_json *block = NULL;
  mcp_json_iter_init(&iter, content);
  while ((block = mcp_json_iter_next(&iter, NULL)) != NULL) {
    put_block(tty, block);
  }
}

static void put_request(ctl_tty *tty, const mcp_json *params) {
  const char *system = ctl_json_member(params, "systemPrompt");
  mcp_json_iter iter;
  const mcp_json *message = NULL;
  ctl_tty_put(tty, CTL_BOLD, ctl_session_server_name(tty->session));
  fprintf(tty->out, " asks a model, for at most %lld tokens:\n",
          (long long)mcp_json_int(mcp_json_get(params, "maxTokens")));
  if (system != NULL) {
    ctl_tty_put(tty, CTL_BOLD, "system");
    fputs(":\n", tty->out);
    ctl_text_put_block(tty->out, system, strlen(system));
    fputc('\n', tty->out);
  }
  mcp_json_iter_init(&iter, mcp_json_get(params, "messages"));
  while ((message = mcp_json_iter_next(&iter, NULL)) != NULL) {
    put_message(tty, message);
  }
}

/* ---- the answer -------------------------------------------------------- */

static int answer(mcp_question *question, const char *text, const char *model) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "role", "assistant");
  mcp_builder_object(builder, "content");
  mcp_builder_string(builder, "type", "text");
  mcp_builder_string(builder, "text", text);
  mcp_builder_end(builder);
  mcp_builder_string(builder, "model", model != NULL ? model : "human");
  mcp_builder_string(builder, "stopReason", "endTurn");
  mcp_builder_end(builder);
  const char *result = mcp_builder_text(builder, NULL);
  int error = result != NULL ? mcp_question_answer(question, result, NULL)
                             : MCP_ERR_INVALID;
  mcp_builder_free(builder);
  return error;
}

/* Reads lines up to a line with only a dot. Owned; NULL at the end of input, or
 * when there are no lines. */
static char *read_lines(ctl_tty *tty) {
  char line[CTL_TTY_LINE];
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  int status = out != NULL ? 0 : -1;
  const char *before = "";
  while (status == 0 && (status = ctl_tty_read(tty, "", line)) == 0 &&
         strcmp(line, ".") != 0) {
    fprintf(out, "%s%s", before, line);
    before = "\n";
  }
  if (out == NULL || ctl_memory_close(out, &text, &len) != 0 || status != 0 ||
      before[0] == '\0') {
    free(text);
    return NULL;
  }
  return text;
}

static void sample_ask_on_terminal(ctl_tty *tty, mcp_question *question) {
  put_request(tty, mcp_question_params(question));
  fputs("Type the model's answer; a line with only a dot sends it. To refuse, "
        "type only\nthe dot.\n",
        tty->out);
  char *text = read_lines(tty);
  if (text == NULL || answer(question, text, NULL) != 0) {
    mcp_question_decline(question);
  }
  free(text);
}

void ctl_ask_sample(ctl_session *session, mcp_question *question) {
  const ctl_options *options = session->options;
  const char *text = ctl_answer_find(options, "text", NULL);
  int action = ctl_answer_action(options);
  ctl_tty tty;
  if (action == CTL_ACTION_DECLINE || action == CTL_ACTION_CANCEL) {
    mcp_question_decline(question);
  } else if (text != NULL) {
    if (answer(question, text, ctl_answer_find(options, "model", NULL)) != 0) {
      ctl_answer_none(session, question, "text", "not UTF-8");
    }
  } else if (ctl_tty_open(&tty, session, question) == 0) {
    sample_ask_on_terminal(&tty, question);
    ctl_tty_close(&tty);
  } else {
    ctl_answer_none(session, question, "text",
                    "the server wants a model's answer");
  }
}
