/* SPDX-License-Identifier: MIT */
#include "connection/trace.h"
#include "common/exit.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"
#include "platform/files.h"

#include <errno.h>
#include <string.h>

/* ---- the file ---------------------------------------------------------- */

/* NULL with errno. */
static FILE *trace_open_private(const char *path) {
  int fd = ctl_file_create_private(path, CTL_FILE_OLD_EMPTIED);
  return fd >= 0 ? ctl_stream_of(fd) : NULL;
}

int ctl_trace_open(ctl_trace *trace, const ctl_options *options) {
  *trace = (ctl_trace){.is_shown = options->is_trace};
  if (options->trace_file == NULL) {
    return CTL_OK;
  }
  trace->file = trace_open_private(options->trace_file);
  if (trace->file == NULL) {
    return ctl_report(CTL_USAGE, "cannot write %s: %s", options->trace_file,
                      strerror(errno));
  }
  setvbuf(trace->file, NULL, _IOLBF, BUFSIZ); /* it is read while it grows */
  return CTL_OK;
}

int ctl_trace_close(ctl_trace *trace) {
  int is_broken = trace->file != NULL && ferror(trace->file);
  if (trace->file != NULL && fclose(trace->file) != 0) {
    is_broken = 1;
  }
  trace->file = NULL;
  return is_broken ? ctl_report(CTL_USAGE, "cannot write the whole trace")
                   : CTL_OK;
}

int ctl_trace_is_on(const ctl_trace *trace) {
  return trace->is_shown || trace->file != NULL;
}

/* ---- what is shown ----------------------------------------------------- */

static void put_arrow(FILE *out, int is_sent) {
  ctl_term_style(out, is_sent ? CTL_BOLD : CTL_GREEN);
  fputs(is_sent ? "--> " : "<-- ", out);
  ctl_term_style(out, CTL_PLAIN);
}

static void trace_put_message(FILE *out, const mcp_traced_message *message) {
  put_arrow(out, message->is_sent);
  ctl_text_put_block(out, message->text, message->len);
  fputc('\n', out);
}

/* Puts `first` before the first line, and `before` before the others. */
static void put_lines(FILE *out, const char *text, size_t len,
                      const char *first, const char *before) {
  const char *sign = first;
  while (len > 0) {
    const char *end = memchr(text, '\n', len);
    size_t line = end != NULL ? (size_t)(end - text) : len;
    size_t used = end != NULL ? line + 1 : len;
    fputs(sign, out);
    ctl_text_put_block(out, text, line);
    fputc('\n', out);
    text += used;
    len -= used;
    sign = before;
  }
}

static void trace_put_answer(FILE *out, const mcp_http_answer *answer) {
  put_arrow(out, 0);
  put_lines(out, answer->head, answer->head_len, "", "    ");
  put_lines(out, answer->body, answer->body_len, "    | ", "    | ");
}

void ctl_trace_message(const ctl_trace *trace,
                       const mcp_traced_message *message) {
  if (trace->is_shown) {
    ctl_progress_clear();
    trace_put_message(stderr, message);
  }
  if (trace->file != NULL) {
    trace_put_message(trace->file, message);
  }
}

void ctl_trace_answer(const ctl_trace *trace, const mcp_http_answer *answer) {
  if (trace->is_shown) {
    ctl_progress_clear();
    trace_put_answer(stderr, answer);
  }
  if (trace->file != NULL) {
    trace_put_answer(trace->file, answer);
  }
}
