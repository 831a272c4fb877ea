/* SPDX-License-Identifier: MIT */
#include "shell/shell.h"
#include "common/exit.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/term.h"
#include "common/words.h"
#include "connection/error_json.h"
#include "connection/listen.h"
#include "connection/session.h"
#include "platform/interrupt.h"
#include "shell/complete.h"
#include "shell/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shell {
  const ctl_options *options;
  ctl_session session;
  ctl_names names;
  int code;     /* of the last line */
  int has_left; /* the user wrote exit */
} shell;

/* ---- what the server says ---------------------------------------------- */

/* The progress of a task is shown as that of the call. */
static int is_about_task(const ctl_event *event) {
  return event->kind == CTL_EVENT_OTHER &&
         strncmp(event->name, "notifications/tasks", 19) == 0;
}

static void shell_on_event(ctl_session *session, const ctl_event *event) {
  if (is_about_task(event)) {
    return;
  }
  fflush(stdout);
  ctl_progress_clear();
  ctl_term_style(stderr, CTL_DIM);
  ctl_event_print(stderr, event);
  ctl_term_style(stderr, CTL_PLAIN);
  if (event->kind == CTL_EVENT_LIST) {
    ctl_names_forget(session->event_userdata, event->name);
  }
}

/* ---- a line ------------------------------------------------------------ */

static int line_wants_json(const ctl_words *words) {
  for (size_t i = 0; i < words->count; i++) {
    if (strcmp(words->list[i], "--json") == 0) {
      return 1;
    }
  }
  return 0;
}

static int run_words(shell *self, ctl_words *words) {
  static char name[] = "mcpctl";
  ctl_options line;
  /* The first word stands for the program's name. */
  char **argv = calloc(words->count + 2, sizeof(*argv));
  if (argv == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }

  argv[0] = name;
  memcpy(argv + 1, words->list, words->count * sizeof(*argv));
  int argc = (int)words->count + 1;
  int code = ctl_options_parse_line(&line, self->options, argc, argv);
  if (code == CTL_GO_ON) {
    code = line.verb->run != NULL ? line.verb->run(&line)
                                  : ctl_session_do(&self->session, &line);
  }
  ctl_options_deinit(&line);
  free(argv);
  if (self->options->is_json || line_wants_json(words)) {
    ctl_error_json_print(code);
  }
  return code;
}

static int is_exit(const ctl_words *words) {
  return words->count == 1 && (strcmp(words->list[0], "exit") == 0 ||
                               strcmp(words->list[0], "quit") == 0);
}

/* An empty line, and a comment, leave the code as it is. */
static void run_line(shell *self, const char *text) {
  ctl_words words;
  if (ctl_words_split(&words, text, strlen(text)) != 0) {
    self->code = ctl_report(CTL_USAGE, "out of memory");
  } else if (words.quote != '\0') {
    self->code = ctl_report(CTL_USAGE, "a quote (%c) is not closed: %s",
                            words.quote, text);
  } else if (words.count == 0 || words.list[0][0] == '#') {
    /* nothing to do */
  } else if (is_exit(&words)) {
    self->has_left = 1;
  } else {
    ctl_interrupt_reset();
    ctl_error_json_forget();
    self->code = run_words(self, &words);
    ctl_progress_clear();
    fflush(stdout);
  }
  ctl_words_deinit(&words);
}

/* ---- all --------------------------------------------------------------- */

/* Returns NULL when out of memory. The prompt is the server's own name for
 * itself, without what could control the terminal. */
static ctl_reader *make_reader(shell *self) {
  char prompt[64];
  const char *name = ctl_session_server_name(&self->session);
  size_t len = 0;
  for (; *name != '\0' && len < 40; name++) {
    if (*name > ' ' && *name < 0x7f) {
      prompt[len++] = *name;
    }
  }
  snprintf(prompt + len, sizeof(prompt) - len, "> ");
  const ctl_reader_options options = {
      .prompt = prompt, .complete = ctl_complete, .userdata = &self->names};
  return ctl_reader_new(&self->session, &options);
}

static void run_lines(shell *self, ctl_reader *reader) {
  char *line;
  while (!self->has_left && !self->session.is_closed &&
         !(self->options->stops_at_once && self->code != CTL_OK) &&
         (line = ctl_reader_next(reader)) != NULL) {
    run_line(self, line);
    free(line);
  }
}

static int report_lost_server(const shell *self) {
  const ctl_session *session = &self->session;
  if (session->has_exited) {
    return ctl_report(CTL_FAILED, "%s has ended with status %lld",
                      self->options->target, (long long)session->exit_status);
  }
  return ctl_report(CTL_FAILED, "%s has closed the connection",
                    self->options->target);
}

int ctl_shell_run(const ctl_options *options) {
  shell self = {.options = options};
  self.names.session = &self.session;
  self.session.on_event = shell_on_event;
  self.session.event_userdata = &self.names;
  int code = ctl_session_open(&self.session, options);
  if (code == CTL_OK) {
    ctl_reader *reader = make_reader(&self);
    ctl_listen_changes(&self.session);
    if (reader != NULL) {
      run_lines(&self, reader);
    }
    ctl_reader_free(reader);
    code = self.code;
    if (self.session.is_closed && !self.has_left) {
      code = report_lost_server(&self);
    }
  }
  ctl_names_forget(&self.names, NULL);
  ctl_session_close(&self.session);
  return code;
}
