/* SPDX-License-Identifier: MIT */
#include "record/tape.h"
#include "common/json.h"
#include "common/redactor.h"
#include "config/masked.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "platform/memory.h"

#include <errno.h>
#include <mcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ctl_tape {
  char *path;
  int fd;
  int error; /* the errno of the first write that failed; 0: none has */
  int64_t started_ns;
  ctl_redactor *redactor;
  mcp_builder *line;
};

/* ---- lines ------------------------------------------------------------- */

/* Writes a line at once: a recording is complete up to the end, also if a
 * signal ends mcpctl. */
static void write_bytes(ctl_tape *tape, const char *bytes, size_t len) {
  if (tape->error == 0 && ctl_file_write(tape->fd, bytes, len) != 0) {
    tape->error = errno;
  }
}

static void begin_line(ctl_tape *tape, const char *from) {
  int64_t at_ms = (ctl_now_ns() - tape->started_ns) / 1000000;
  mcp_builder_clear(tape->line);
  mcp_builder_object(tape->line, NULL);
  mcp_builder_int(tape->line, "at", at_ms);
  mcp_builder_string(tape->line, "from", from);
}

/* Writes the line without its secrets. Returns 0 if they cannot be hidden: the
 * line is then too deep or too large, and is not written. */
static int end_line(ctl_tape *tape) {
  size_t len = 0;
  mcp_builder_end(tape->line);
  const char *text = mcp_builder_text(tape->line, &len);
  const char *shown =
      text != NULL ? ctl_redact(tape->redactor, text, len) : NULL;
  if (shown == NULL) {
    return 0;
  }
  write_bytes(tape, shown, strlen(shown));
  write_bytes(tape, "\n", 1);
  return 1;
}

/* Writes a line with one text. */
static void add_text(ctl_tape *tape, const char *from, const char *name,
                     const char *text) {
  begin_line(tape, from);
  ctl_json_put_typed(tape->line, name, text);
  if (!end_line(tape) && tape->error == 0) {
    tape->error = ENOMEM;
  }
}

/* A copy that shows each NUL as \x00, in the form that other bytes get which
 * are not UTF-8. Owned; NULL: out of memory. */
static char *copy_without_nul(const char *text, size_t len) {
  const char *end = text + len;
  char *copy = NULL;
  size_t size = 0;
  FILE *out = ctl_memory_open(&copy, &size);
  if (out == NULL) {
    return NULL;
  }
  while (text < end) {
    size_t part = strnlen(text, (size_t)(end - text));
    fwrite(text, 1, part, out);
    text += part;
    if (text < end) {
      fputs("\\x00", out);
      text++;
    }
  }
  if (ctl_memory_close(out, &copy, &size) != 0) {
    free(copy);
    return NULL;
  }
  return copy;
}

void ctl_tape_add_junk(ctl_tape *tape, const char *from, const char *text,
                       size_t len) {
  char *copy = copy_without_nul(text, len);
  add_text(tape, from, "junk", copy != NULL ? copy : "");
  free(copy);
}

void ctl_tape_add(ctl_tape *tape, const char *from, const char *text,
                  size_t len, int is_made) {
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, &err);
  if (doc == NULL && err.code == MCP_ERR_PARSE) {
    ctl_tape_add_junk(tape, from, text, len);
    return;
  }
  begin_line(tape, from);
  if (is_made) {
    mcp_builder_string(tape->line, "by", "mcpctl");
  }
  mcp_builder_value(tape->line, "message", mcp_doc_root(doc));
  if (doc == NULL || !end_line(tape)) {
    add_text(tape, from, "unreadable",
             doc == NULL ? err.message : "too deep or too large");
  }
  mcp_doc_free(doc);
}

/* ---- the first line ---------------------------------------------------- */

/* The command with its arguments, without what may be secret. Owned; NULL: out
 * of memory. */
static char *command_shown(char *const *command) {
  char *text = NULL;
  size_t len = 0;
  int is_secret = 0;
  FILE *out = ctl_memory_open(&text, &len);
  if (out == NULL) {
    return NULL;
  }
  for (const char *blank = ""; *command != NULL; command++) {
    char *shown = ctl_masked_arg(*command, is_secret);
    fprintf(out, "%s%s", blank, shown != NULL ? shown : "***");
    blank = " ";
    is_secret = ctl_masked_announces(*command);
    free(shown);
  }
  if (ctl_memory_close(out, &text, &len) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

static void write_first_line(ctl_tape *tape, const ctl_options *options) {
  char now[40];
  time_t seconds = time(NULL);
  struct tm parts;
  char *command =
      options->command != NULL ? command_shown(options->command) : NULL;
  strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ",
           ctl_time_utc(seconds, &parts));
  mcp_builder_object(tape->line, NULL);
  mcp_builder_string(tape->line, "mcpctl", mcp_version());
  mcp_builder_int(tape->line, "format", 1);
  mcp_builder_string(tape->line, "started", now);
  ctl_json_put_typed(tape->line, "target",
                     command != NULL ? command : options->target);
  if (!end_line(tape)) {
    tape->error = ENOMEM;
  }
  free(command);
}

/* ---- life -------------------------------------------------------------- */

static int open_file(const char *path, int overwrites, mcp_error *err) {
  int fd = ctl_file_create_private(path, overwrites ? CTL_FILE_OLD_EMPTIED
                                                    : CTL_FILE_OLD_FAILS);
  if (fd < 0) {
    mcp_error_set(err, MCP_ERR_IO, "cannot write %s: %s%s", path,
                  strerror(errno),
                  errno == EEXIST ? "; --overwrite replaces it" : "");
  }
  return fd;
}

ctl_tape *ctl_tape_new(mcp_loop *loop, const ctl_options *options,
                       const char *path, mcp_error *err) {
  ctl_tape *tape = calloc(1, sizeof(*tape));
  if (tape == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  tape->fd = -1;
  tape->started_ns = ctl_now_ns();
  tape->path = strdup(path);
  tape->line = mcp_builder_new(NULL, err);
  tape->redactor = tape->line != NULL ? ctl_redactor_new(loop, err) : NULL;
  if (tape->redactor != NULL) {
    tape->fd = open_file(path, options->overwrites, err);
  }
  if (tape->fd < 0) {
    ctl_tape_free(tape, NULL);
    return NULL;
  }
  write_first_line(tape, options);
  return tape;
}

int ctl_tape_free(ctl_tape *tape, mcp_error *err) {
  int rc = 0;
  if (tape == NULL) {
    return 0;
  }
  if (tape->fd >= 0 && ctl_file_close(tape->fd) != 0 && tape->error == 0) {
    tape->error = errno;
  }
  if (tape->error != 0) {
    rc = mcp_error_set(err, MCP_ERR_IO, "cannot write all of %s: %s",
                       tape->path != NULL ? tape->path : "the recording",
                       strerror(tape->error));
  }
  ctl_redactor_free(tape->redactor);
  mcp_builder_free(tape->line);
  free(tape->path);
  free(tape);
  return rc;
}
