/* SPDX-License-Identifier: MIT */
#include "connection/caller.h"
#include "platform/wait.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard input and output, while a test uses them for a client. */
typedef struct streams {
  int in;
  int out;
  int client; /* reads what the caller gets */
} streams;

static void replace(int fd, int with) {
  assert_int_equal(dup2(with, fd), fd);
  close(with);
}

static streams begin_streams(const char *text, size_t len) {
  int in[2];
  int out[2];
  streams kept = {dup(STDIN_FILENO), dup(STDOUT_FILENO), -1};
  assert_int_equal(pipe(in), 0);
  assert_int_equal(pipe(out), 0);
  assert_int_equal(write(in[1], text, len), len);
  close(in[1]);
  fflush(stdout);
  replace(STDIN_FILENO, in[0]);
  replace(STDOUT_FILENO, out[1]);
  kept.client = out[0];
  return kept;
}

static void end_streams(const streams *kept) {
  replace(STDIN_FILENO, kept->in);
  replace(STDOUT_FILENO, kept->out);
}

typedef struct seen {
  ctl_caller *caller;
  char lines[200]; /* each with "+" if it is JSON, else "-" */
  int ends;
  int closed;
  int after_close; /* the status of a message that is sent then */
} seen;

static void on_line(const char *text, size_t len, const mcp_json *message,
                    void *userdata) {
  seen *self = userdata;
  strcat(self->lines, message != NULL ? "+" : "-");
  strncat(self->lines, text, len);
  ctl_caller_send(self->caller, "{\"ok\":1}", 8);
}

static void on_end(void *userdata) {
  seen *self = userdata;
  self->ends++;
  ctl_caller_close(self->caller);
}

static void on_closed(const mcp_error *err, void *userdata) {
  seen *self = userdata;
  assert_non_null(err);
  self->closed++;
}

/* Runs until the client's end. Returns what the client got, in `got`. */
static seen run(const char *text, size_t len, char got[100]) {
  seen self = {0};
  mcp_error err = {0};
  const ctl_caller_events events = {on_line, on_end, on_closed, &self};
  streams kept = begin_streams(text, len);
  mcp_loop *loop = mcp_loop_new(NULL, &err);
  self.caller = ctl_caller_open(loop, &events, &err);
  assert_non_null(self.caller);
  while (!self.closed) {
    mcp_loop_step(loop);
    if (!self.closed) {
      ctl_wait(loop, -1, -1);
    }
  }
  self.after_close = ctl_caller_send(self.caller, "{}", 2);
  ctl_caller_close(self.caller);
  ctl_caller_free(self.caller);
  mcp_loop_free(loop);
  end_streams(&kept); /* no descriptor is left through which more may come */
  ssize_t got_len = read(kept.client, got, 99);
  got[got_len > 0 ? got_len : 0] = '\0';
  close(kept.client);
  return self;
}

TEST(lines_and_answers) {
  static const char lines[] = "{\"a\":1}\nno json\n[1]\n";
  char got[100];
  seen self = run(lines, sizeof(lines) - 1, got);
  assert_string_equal(self.lines, "+{\"a\":1}-no json+[1]");
  assert_string_equal(got, "{\"ok\":1}\n{\"ok\":1}\n{\"ok\":1}\n");
}

TEST(the_end_comes_once) {
  char got[100];
  seen self = run("", 0, got);
  assert_int_equal(self.ends, 1);
  assert_int_equal(self.closed, 1);
  assert_int_equal(self.after_close, MCP_ERR_CLOSED);
  assert_string_equal(got, "");
}

TEST(lines_with_nul_are_not_json) {
  char got[100];
  seen self = run("{}\0\n\xff\n", 6, got);
  assert_string_equal(self.lines, "-{}-\xff");
}
