/* SPDX-License-Identifier: MIT */
/* Lines that the user edits, with libedit.
 *
 * libedit reads each character by a function of ours, which runs the loop until
 * there is one. A message that is printed meanwhile erases the line that the
 * user edits (ctl_progress_clear); then it is drawn again below. */
#include "common/folder.h"
#include "common/progress.h"
#include "common/term.h"
#include "platform/environment.h"
#include "platform/interrupt.h"
#include "shell/reader.h"
#include "shell/reader_input.h"

#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_LINES = 1000, CHOICES_SHOWN = 100, CTRL_D = 4 };

struct ctl_reader {
  ctl_session *session;
  ctl_reader_options options;
  char *prompt;
  ctl_input input; /* if standard input is not a terminal */
  EditLine *edit;  /* NULL: it is not */
  History *history;
  char *history_file; /* NULL: there is no place for one */
  mbstate_t decoding;
};

static ctl_reader *reader_of(EditLine *edit) {
  void *reader = NULL;
  el_get(edit, EL_CLIENTDATA, &reader);
  return reader;
}

static char *prompt_of(EditLine *edit) {
  return reader_of(edit)->prompt;
}

/* ---- completion -------------------------------------------------------- */

/* How many bytes all choices begin with. */
static size_t common_len(const ctl_choices *choices) {
  size_t len = strlen(choices->list[0]);
  for (size_t i = 1; i < choices->count; i++) {
    size_t same = 0;
    while (same < len && choices->list[i][same] == choices->list[0][same]) {
      same++;
    }
    len = same;
  }
  return len;
}

static void show_choices(const ctl_choices *choices) {
  size_t shown =
      choices->count < CHOICES_SHOWN ? choices->count : CHOICES_SHOWN;
  fputc('\n', stdout);
  for (size_t i = 0; i < shown; i++) {
    ctl_term_put(choices->list[i], strlen(choices->list[i]));
    fputs(i + 1 < shown ? "  " : "", stdout);
  }
  if (shown < choices->count) {
    printf("  ... and %zu more", choices->count - shown);
  }
  fputc('\n', stdout);
}

/* Inserts what all choices have in common after the `typed` bytes of the word.
 * Whether there was something to insert. */
static int insert_common(EditLine *edit, const ctl_choices *choices,
                         size_t typed) {
  size_t len = common_len(choices);
  const char *first = choices->list[0];
  char last = len > 0 ? first[len - 1] : '\0';
  int is_whole = choices->count == 1 && last != '=' && last != ':';
  if (len <= typed && !is_whole) {
    return 0;
  }
  char *inserted = NULL;
  if (asprintf(&inserted, "%.*s%s", (int)(len - typed), first + typed,
               is_whole ? " " : "") < 0) {
    return 0;
  }
  el_insertstr(edit, inserted);
  free(inserted);
  return 1;
}

static size_t word_len(const char *line, size_t len) {
  size_t word = 0;
  while (word < len && strchr(" \t", line[len - word - 1]) == NULL) {
    word++;
  }
  return word;
}

/* Completes the word at the cursor, or shows how it can go on. */
static void complete_word(ctl_reader *reader) {
  const LineInfo *info = el_line(reader->edit);
  size_t len = (size_t)(info->cursor - info->buffer);
  ctl_choices choices = {0};
  reader->options.complete(&choices, info->buffer, len,
                           reader->options.userdata);
  if (choices.count > 0 &&
      !insert_common(reader->edit, &choices, word_len(info->buffer, len))) {
    show_choices(&choices);
  }
  ctl_choices_deinit(&choices);
  ctl_progress_clear(); /* it is drawn from its beginning */
  el_set(reader->edit, EL_REFRESH);
}

/* ---- characters -------------------------------------------------------- */

/* Waits for a byte of the terminal. Returns 0 if there will be none. */
static int wait_for_byte(ctl_reader *reader) {
  ctl_session *session = reader->session;
  while (!session->is_closed && !ctl_interrupt_has_come()) {
    ctl_progress_mark();
    int can_read = ctl_session_turn(session, STDIN_FILENO);
    while (session->question_count > 0) {
      ctl_session_answer(session);
    }
    if (!ctl_progress_is_shown()) {
      el_set(reader->edit, EL_REFRESH);
    }
    if (can_read) {
      return 1;
    }
  }
  return 0;
}

/* For EL_GETCFN. Bytes that are not a character of the locale are left out. A
 * tab is taken here: a function of ours that is bound to it (EL_ADDFN) would
 * leak in libedit 3.1. */
static int read_character(EditLine *edit, wchar_t *out) {
  ctl_reader *reader = reader_of(edit);
  char byte;
  while (wait_for_byte(reader) && read(STDIN_FILENO, &byte, 1) == 1) {
    if (byte == '\t') {
      complete_word(reader);
      continue;
    }
    if (byte == '\0') {
      byte = CTRL_D; /* as Linux gives one that came before a line was edited */
    }
    size_t len = mbrtowc(out, &byte, 1, &reader->decoding);
    if (len == 1 || len == 0) {
      return 1;
    }
    if (len == (size_t)-1) {
      reader->decoding = (mbstate_t){0};
    }
  }
  return 0;
}

/* ---- history ----------------------------------------------------------- */

static char *find_history_file(void) {
  const char *state = ctl_env("XDG_STATE_HOME");
  const char *home = ctl_env_home();
  char *path = NULL;
  int len = -1;
  if (state != NULL && state[0] == '/') {
    len = asprintf(&path, "%s/mcpctl/history", state);
  } else if (home != NULL && home[0] == '/') {
    len = asprintf(&path, "%s/.local/state/mcpctl/history", home);
  }
  return len >= 0 ? path : NULL;
}

static void history_begin(ctl_reader *reader) {
  HistEvent event;
  reader->history = history_init();
  if (reader->history == NULL) {
    return;
  }
  history(reader->history, &event, H_SETSIZE, HISTORY_LINES);
  history(reader->history, &event, H_SETUNIQUE, 1);
  reader->history_file = find_history_file();
  if (reader->history_file != NULL) {
    history(reader->history, &event, H_LOAD, reader->history_file);
  }
  el_set(reader->edit, EL_HIST, history, reader->history);
}

/* As in a shell, a line that begins with a blank is not kept. */
static void history_add(ctl_reader *reader, const char *line) {
  HistEvent event;
  if (reader->history != NULL && strchr(" \t\n", line[0]) == NULL) {
    history(reader->history, &event, H_ENTER, line);
  }
}

/* Only the user may read what the user has typed. */
static void history_end_with(ctl_reader *reader) {
  HistEvent event;
  if (reader->history == NULL) {
    return;
  }
  if (reader->history_file != NULL &&
      ctl_folder_make_for(reader->history_file) == 0) {
    mode_t mask = umask(077);
    history(reader->history, &event, H_SAVE, reader->history_file);
    umask(mask);
  }
  history_end(reader->history);
  free(reader->history_file);
}

/* ------------------------------------------------------------------------ */

static void edit_begin(ctl_reader *reader) {
  EditLine *edit = el_init("mcpctl", stdin, stdout, stderr);
  reader->edit = edit;
  if (edit == NULL) {
    return;
  }
  el_set(edit, EL_CLIENTDATA, reader);
  el_set(edit, EL_PROMPT, prompt_of);
  el_set(edit, EL_EDITOR, "emacs");
  el_set(edit, EL_GETCFN, read_character);
  el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
  history_begin(reader);
}

ctl_reader *ctl_reader_new(ctl_session *session,
                           const ctl_reader_options *options) {
  ctl_reader *reader = calloc(1, sizeof(*reader));
  if (reader == NULL) {
    return NULL;
  }
  reader->session = session;
  reader->options = *options;
  reader->prompt = strdup(options->prompt);
  if (ctl_term_is_terminal(stdin) && ctl_term_is_terminal(stdout) &&
      reader->prompt != NULL) {
    edit_begin(reader);
  }
  return reader;
}

void ctl_reader_free(ctl_reader *reader) {
  if (reader == NULL) {
    return;
  }
  if (reader->edit != NULL) {
    history_end_with(reader);
    el_end(reader->edit);
  }
  ctl_input_deinit(&reader->input);
  free(reader->prompt);
  free(reader);
}

/* Returns NULL at the end of the input, and after an interrupt. */
static char *edit_next(ctl_reader *reader) {
  int len = 0;
  const char *line = el_gets(reader->edit, &len);
  ctl_progress_clear();
  if (line == NULL || len <= 0) {
    fputc('\n', stdout);
    return NULL;
  }
  history_add(reader, line);
  return strndup(line, strcspn(line, "\n"));
}

char *ctl_reader_next(ctl_reader *reader) {
  char *line = NULL;
  if (reader->edit == NULL) {
    return ctl_input_next(&reader->input, reader->session);
  }
  do {
    if (ctl_interrupt_reset() != 0) {
      return NULL;
    }
    line = edit_next(reader);
  } while (line == NULL && ctl_interrupt_has_come());
  return line;
}
