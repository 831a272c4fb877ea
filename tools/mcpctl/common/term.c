/* SPDX-License-Identifier: MIT */
/* Properties of the output streams: terminals, colour, width. */
#include "common/term.h"
#include "common/text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The choice is for the whole process, as its streams are. */
static int color_choice = CTL_COLOR_NEVER;

static int wants_no_color(void) {
  const char *no_color = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  return (no_color != NULL && no_color[0] != '\0') ||
         (term != NULL && strcmp(term, "dumb") == 0);
}

void ctl_term_setup(int color) {
  /* Only LC_CTYPE: a decimal comma would break the JSON that is printed.
   * wcwidth needs a UTF-8 locale, and what servers send is UTF-8 anyway. */
  if (setlocale(LC_CTYPE, "") == NULL ||
      strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
    setlocale(LC_CTYPE, "C.UTF-8");
  }
  if (color == CTL_COLOR_AUTO && wants_no_color()) {
    color = CTL_COLOR_NEVER;
  }
  color_choice = color;
}

int ctl_term_is_terminal(FILE *stream) {
  int fd = fileno(stream); /* -1: a memory stream */
  return fd >= 0 && isatty(fd);
}

size_t ctl_term_width(FILE *stream) {
  struct winsize size;
  if (!ctl_term_is_terminal(stream)) {
    return SIZE_MAX;
  }
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return 80;
  }
  return size.ws_col;
}

void ctl_term_style(FILE *stream, int style) {
  static const char *const codes[] = {"0", "1", "2", "31", "32"};
  if (color_choice == CTL_COLOR_ALWAYS ||
      (color_choice == CTL_COLOR_AUTO && ctl_term_is_terminal(stream))) {
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
