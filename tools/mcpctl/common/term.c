/* SPDX-License-Identifier: MIT */
/* Properties of the output streams: terminals, colour, width. */
#include "common/term.h"
#include "common/text.h"
#include "platform/environment.h"
#include "platform/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The choice is for the whole process, as its streams are. */
static int color_choice = CTL_COLOR_NEVER;

static int wants_no_color(void) {
  const char *no_color = ctl_env("NO_COLOR");
  const char *term = ctl_env("TERM");
  return (no_color != NULL && no_color[0] != '\0') ||
         (term != NULL && strcmp(term, "dumb") == 0);
}

void ctl_term_setup(int color) {
  ctl_terminal_setup();
  if (color == CTL_COLOR_AUTO && wants_no_color()) {
    color = CTL_COLOR_NEVER;
  }
  color_choice = color;
}

int ctl_term_is_terminal(FILE *stream) {
  int fd = fileno(stream); /* -1: a memory stream */
  return fd >= 0 && ctl_terminal_is(fd);
}

size_t ctl_term_width(FILE *stream) {
  if (!ctl_term_is_terminal(stream)) {
    return SIZE_MAX;
  }
  size_t columns = ctl_terminal_columns(fileno(stream));
  return columns != 0 ? columns : 80;
}

void ctl_term_style(FILE *stream, int style) {
  static const char *const codes[] = {"0", "1", "2", "31", "32"};
  if (color_choice == CTL_COLOR_ALWAYS ||
      (color_choice == CTL_COLOR_AUTO && fileno(stream) >= 0 &&
       ctl_terminal_has_escapes(fileno(stream)))) {
    fprintf(stream, "\x1b[%sm", codes[style]);
  }
}

void ctl_term_put(const char *text, size_t len) {
  if (ctl_term_is_terminal(stdout)) {
    ctl_text_put_block(stdout, text, len);
  } else {
    fwrite(text, 1, len, stdout);
  }
}
