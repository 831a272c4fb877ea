/* SPDX-License-Identifier: MIT */
/* Asks the user on the terminal. */
#include "connection/tty.h"
#include "common/progress.h"
#include "common/term.h"
#include "common/text.h"
#include "platform/interrupt.h"
#include "platform/terminal.h"
#include "platform/wait.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

int ctl_tty_open(ctl_tty *tty, ctl_session *session,
                 const mcp_question *question) {
  tty->session = session;
  tty->question = question;
  tty->fd = ctl_terminal_open(&tty->out);
  if (tty->fd < 0) {
    return -1;
  }
  ctl_progress_clear();
  return 0;
}

void ctl_tty_close(ctl_tty *tty) {
  ctl_terminal_close(tty->fd, tty->out);
}

void ctl_tty_put(ctl_tty *tty, int style, const char *text) {
  if (style != CTL_PLAIN) {
    ctl_term_style(tty->out, style);
  }
  ctl_text_put_line(tty->out, text, SIZE_MAX);
  if (style != CTL_PLAIN) {
    ctl_term_style(tty->out, CTL_PLAIN);
  }
}

/* Waits until the terminal can be read. */
static int wait_for_input(const ctl_tty *tty) {
  ctl_session *session = tty->session;
  while (!ctl_interrupt_has_come() && !session->is_done &&
         (tty->question == NULL || !mcp_question_is_cancelled(tty->question))) {
    if (ctl_session_turn(session, tty->fd)) {
      return 0;
    }
  }
  return -1;
}

/* A terminal returns whole lines; it cuts lines that are longer than its own
 * buffer. */
int ctl_tty_read(ctl_tty *tty, const char *prompt, char line[CTL_TTY_LINE]) {
  fputs(prompt, tty->out);
  fflush(tty->out);
  long len = wait_for_input(tty) == 0
                 ? ctl_input_read(tty->fd, line, CTL_TTY_LINE - 1)
                 : -1;
  if (len <= 0) {
    fputc('\n', tty->out);
    fflush(tty->out);
    return -1;
  }
  line[len] = '\0';
  line[strcspn(line, "\r\n")] = '\0';
  return 0;
}

int ctl_tty_choose(ctl_tty *tty, const char *prompt, const char *const *words) {
  char line[CTL_TTY_LINE];
  while (ctl_tty_read(tty, prompt, line) == 0) {
    size_t len = strlen(line);
    for (int i = 0; len > 0 && words[i] != NULL; i++) {
      if (strncasecmp(line, words[i], len) == 0) {
        return i;
      }
    }
    if (len > 0) {
      ctl_tty_put(tty, CTL_PLAIN, "Type one of these words, or its beginning.");
      ctl_tty_put(tty, CTL_PLAIN, "\n");
    }
  }
  return -1;
}
