/* SPDX-License-Identifier: MIT */
/* A build without libedit. */
#include "common/term.h"
#include "platform/interrupt.h"
#include "shell/reader.h"
#include "shell/reader_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ctl_reader {
  ctl_session *session;
  char *prompt;
  ctl_input input;
};

ctl_reader *ctl_reader_new(ctl_session *session,
                           const ctl_reader_options *options) {
  ctl_reader *reader = calloc(1, sizeof(*reader));
  if (reader != NULL) {
    reader->session = session;
    reader->prompt = strdup(options->prompt);
  }
  return reader;
}

void ctl_reader_free(ctl_reader *reader) {
  if (reader != NULL) {
    ctl_input_deinit(&reader->input);
    free(reader->prompt);
    free(reader);
  }
}

char *ctl_reader_next(ctl_reader *reader) {
  int is_terminal = ctl_term_is_terminal(stdin);
  char *line = NULL;
  do {
    if (ctl_interrupt_reset() != 0) {
      return NULL;
    }
    if (is_terminal && reader->prompt != NULL) {
      fputs(reader->prompt, stdout);
      fflush(stdout);
    }
    line = ctl_input_next(&reader->input, reader->session);
  } while (line == NULL && is_terminal && ctl_interrupt_has_come());
  return line;
}
