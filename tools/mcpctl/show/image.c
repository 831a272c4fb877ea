/* SPDX-License-Identifier: MIT */
/* Only the terminal's own variables count: a terminal that is asked by escape
 * sequences answers on standard input, which may be for somebody else. Inside
 * of tmux and screen those variables are inherited from the terminal outside,
 * which does not get the sequences. */
#include "show/image.h"
#include "common/base64.h"
#include "common/term.h"
#include "platform/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_TEXT = 16 * 1024 * 1024,
  KITTY_CHUNK = 4096 /* the longest part that kitty takes at once */
};

typedef enum image_terminal {
  IMAGE_NONE,
  IMAGE_KITTY, /* PNG only */
  IMAGE_ITERM
} image_terminal;

static int variable_is(const char *name, const char *value) {
  const char *found = ctl_env(name);
  return found != NULL && strcmp(found, value) == 0;
}

static int is_multiplexed(void) {
  const char *term = ctl_env("TERM");
  return ctl_env("TMUX") != NULL || ctl_env("STY") != NULL || term == NULL ||
         strncmp(term, "screen", 6) == 0 || strncmp(term, "tmux", 4) == 0 ||
         strcmp(term, "dumb") == 0;
}

static image_terminal find_terminal(void) {
  if (!ctl_term_is_terminal(stdout) || is_multiplexed()) {
    return IMAGE_NONE;
  }
  if (variable_is("TERM_PROGRAM", "iTerm.app") ||
      variable_is("TERM_PROGRAM", "WezTerm")) {
    return IMAGE_ITERM;
  }
  return ctl_env("KITTY_WINDOW_ID") != NULL ||
                 variable_is("TERM", "xterm-kitty")
             ? IMAGE_KITTY
             : IMAGE_NONE;
}

/* ---- what the data is -------------------------------------------------- */

static int has_bytes(const char *bytes, size_t len, const char *begin,
                     size_t begin_len) {
  return len >= begin_len && memcmp(bytes, begin, begin_len) == 0;
}

static int is_png(const char *bytes, size_t len) {
  return has_bytes(bytes, len, "\x89PNG\r\n\x1a\n", 8);
}

static int is_image(const char *bytes, size_t len) {
  return is_png(bytes, len) || has_bytes(bytes, len, "\xff\xd8\xff", 3) ||
         has_bytes(bytes, len, "GIF8", 4) ||
         (has_bytes(bytes, len, "RIFF", 4) && len >= 12 &&
          memcmp(bytes + 8, "WEBP", 4) == 0);
}

/* The data is what the terminal expects. Its type is what the server claims, so
 * it does not count. What is base64 cannot end an escape sequence. */
static int is_fit(image_terminal terminal, const char *text, size_t len) {
  size_t bytes_len = ctl_base64_len(text, len);
  char *bytes = malloc(bytes_len + 1);
  int fits = bytes != NULL && ctl_base64_decode(text, len, bytes) == 0 &&
             (terminal == IMAGE_KITTY ? is_png(bytes, bytes_len)
                                      : is_image(bytes, bytes_len));
  free(bytes);
  return fits;
}

/* ---- showing it -------------------------------------------------------- */

/* a=T: show it at once; f=100: PNG; q=2: the terminal answers nothing. */
static void put_kitty(const char *text, size_t len) {
  const char *settings = "a=T,f=100,q=2,";
  for (size_t at = 0; at < len; at += KITTY_CHUNK) {
    size_t rest = len - at;
    size_t part = rest < KITTY_CHUNK ? rest : KITTY_CHUNK;
    printf("\x1b_G%sm=%d;%.*s\x1b\\", settings, part < rest, (int)part,
           text + at);
    settings = "";
  }
}

static void put_iterm(const char *text, size_t len) {
  printf("\x1b]1337;File=inline=1;size=%zu:%.*s\a", ctl_base64_len(text, len),
         (int)len, text);
}

int ctl_image_show(const mcp_json *data) {
  image_terminal terminal = find_terminal();
  size_t len = 0;
  const char *text = mcp_json_string_n(data, &len);
  if (terminal == IMAGE_NONE || text == NULL || len > MAX_TEXT ||
      !is_fit(terminal, text, len)) {
    return 0;
  }
  if (terminal == IMAGE_KITTY) {
    put_kitty(text, len);
  } else {
    put_iterm(text, len);
  }
  fputc('\n', stdout);
  return 1;
}
