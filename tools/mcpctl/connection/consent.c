/* SPDX-License-Identifier: MIT */
/* Answers a question that asks the user to visit a page (MCP 2025-11-25,
 * Elicitation).
 *
 * mcpctl shows the whole address and its host. It never fetches or opens the
 * page: the user copies the address to a browser. */
#include "common/json.h"
#include "common/report.h"
#include "common/term.h"
#include "connection/answer.h"
#include "connection/ask.h"
#include "connection/tty.h"

#include <stdlib.h>
#include <string.h>

/* The host of an address: the part between "//" and the path, without a user
 * name, which may deceive ("https://bank.example@evil.example/"). Owned; NULL
 * when out of memory. */
static char *host_of(const char *url) {
  const char *start = strstr(url, "//");
  if (start == NULL) {
    return strdup("none");
  }
  start += 2;
  size_t len = strcspn(start, "/?#\\");
  for (size_t i = len; i > 0; i--) {
    if (start[i - 1] == '@') {
      return strndup(start + i, len - i);
    }
  }
  return strndup(start, len);
}

static void consent_put_line(ctl_tty *tty, const char *label, int style,
                             const char *text) {
  fprintf(tty->out, "  %-6s", label);
  ctl_tty_put(tty, style, text);
  fputc('\n', tty->out);
}

static void warn(ctl_tty *tty, const char *url, const char *host) {
  if (strncasecmp(url, "https://", 8) != 0) {
    consent_put_line(tty, "", CTL_RED, "Careful: this address is not https.");
  }
  if (strstr(host, "xn--") != NULL) {
    consent_put_line(tty, "", CTL_RED,
                     "Careful: the host's name has letters that may look like "
                     "others.");
  }
}

static void show(ctl_tty *tty, mcp_question *question, const char *url) {
  const char *message =
      ctl_json_member(mcp_question_params(question), "message");
  char *host = host_of(url);
  ctl_tty_put(tty, CTL_BOLD, ctl_session_server_name(tty->session));
  fputs(" asks you to visit a page:\n  ", tty->out);
  ctl_tty_put(tty, CTL_PLAIN, message != NULL ? message : "");
  fputc('\n', tty->out);
  consent_put_line(tty, "Host", CTL_BOLD, host != NULL ? host : "?");
  consent_put_line(tty, "Page", CTL_PLAIN, url);
  warn(tty, url, host != NULL ? host : "");
  free(host);
}

static int consent_ask_on_terminal(ctl_tty *tty, mcp_question *question,
                                   const char *url) {
  static const char *const words[] = {"yes", "no", NULL};
  show(tty, question, url);
  int answer = ctl_tty_choose(
      tty, "Do you consent, and open it in your browser? (yes/no) ", words);
  if (answer < 0) {
    return CTL_ACTION_CANCEL;
  }
  return answer == 0 ? CTL_ACTION_ACCEPT : CTL_ACTION_DECLINE;
}

/* Shows the page to a user who consented on the command line (MCP 2025-11-25,
 * Elicitation: the client shows the whole address before it consents). */
static void report_page(const ctl_session *session, const char *url) {
  char *host = host_of(url);
  ctl_report(0, "%s asks you to visit a page; --answer action=accept consents",
             ctl_session_server_name(session));
  ctl_report(0, "its host: %s", host != NULL ? host : "?");
  ctl_report(0, "its address: %s", url);
  free(host);
}

void ctl_ask_consent(ctl_session *session, mcp_question *question) {
  const char *url = ctl_json_member(mcp_question_params(question), "url");
  int action = ctl_answer_action(session->options);
  int is_advance = action != CTL_ACTION_NONE; /* answered by --answer */
  ctl_tty tty;
  if (action == CTL_ACTION_NONE && url != NULL &&
      ctl_tty_open(&tty, session, question) == 0) {
    action = consent_ask_on_terminal(&tty, question, url);
    ctl_tty_close(&tty);
  }
  if (is_advance && action == CTL_ACTION_ACCEPT && url != NULL) {
    report_page(session, url);
  }
  if (action == CTL_ACTION_ACCEPT) {
    mcp_question_accept(question, NULL, NULL);
  } else if (action != CTL_ACTION_NONE) {
    ctl_answer_refuse(question, action);
  } else {
    ctl_answer_none(session, question, "action", url);
  }
}
