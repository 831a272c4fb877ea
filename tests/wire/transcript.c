/* SPDX-License-Identifier: MIT */
/* Runs a wire transcript: see transcript.h. */
#include "transcript.h"
#include "http_side.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_OPTIONS = 16,
  /* A day: a step passes less. */
  MAX_PASS_MS = 86400000
};

/* A growing text. */
typedef struct text {
  char *bytes;
  size_t len;
} text;

static void text_add(text *to, const char *bytes, size_t len) {
  to->bytes = realloc(to->bytes, to->len + len + 1);
  memcpy(to->bytes + to->len, bytes, len);
  to->len += len;
  to->bytes[to->len] = '\0';
}

static void text_line(text *to, char kind, const char *bytes, size_t len) {
  const char prefix[2] = {kind, ' '};
  text_add(to, prefix, 2);
  text_add(to, bytes, len);
  text_add(to, "\n", 1);
}

/* One transcript while it runs. There is one at a time. */
static struct run {
  const char *path;
  mcp_loop *loop;
  mcp_transport *far_end; /* the script's end of the pair */
  int is_open;
  const program *program;
  void *self;
  char revision[16];
  char side;         /* 'S', 'C' or '<': what the program under test sends */
  int is_in_request; /* the last line was one of a request */
  char *options[MAX_OPTIONS];
  size_t option_count;
  int64_t now_ms;
  text came;      /* lines that the program sent or has seen, since the input */
  text rewritten; /* the whole file with what came in place of the expected */
  text expected;  /* lines that were expected since the input */
  int failures;
  int is_update; /* differences are what is wanted */
  int is_any;    /* whatever comes is right, if it is a message */
} run;

MCP_PRINTF(1, 2)
static void differ(const char *format, ...) {
  va_list args;
  if (run.is_any) {
    return;
  }
  va_start(args, format);
  printf("%s: ", run.path);
  vprintf(format, args);
  printf("\n");
  va_end(args);
  run.failures++;
}

MCP_PRINTF(2, 0)
static void came(char kind, const char *format, va_list args) {
  char line[65536];
  int len = vsnprintf(line, sizeof line, format, args);
  if (len >= (int)sizeof line) {
    len = sizeof line - 1;
  }
  while (len > 0 && line[len - 1] == ' ') {
    len--;
  }
  text_line(&run.came, kind, line, (size_t)len);
}

void transcript_saw(const char *format, ...) {
  va_list args;
  va_start(args, format);
  came('=', format, args);
  va_end(args);
}

void transcript_answered(const char *format, ...) {
  va_list args;
  va_start(args, format);
  came('<', format, args);
  va_end(args);
}

/* Both sides say JSON, in one line. */
static void check_message(const char *message, size_t len) {
  mcp_doc *doc = NULL;
  if (memchr(message, '\n', len) != NULL ||
      mcp_doc_parse(&doc, message, len, NULL, NULL, NULL) != 0) {
    fprintf(stderr, "not a message: %.*s\n", (int)len, message);
    abort();
  }
  mcp_doc_free(doc);
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  (void)transport;
  check_message(message, len);
  text_line(&run.came, run.side, message, len);
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
  run.is_open = 0;
  transcript_saw("end of stream");
}

/* Lets everything happen that can happen without time passing. */
static void settle(void) {
  do {
    mcp_loop_advance(run.loop, run.now_ms, 1790000000000 + run.now_ms);
  } while (mcp_loop_next_deadline(run.loop) <= run.now_ms);
}

static void start_program(void) {
  if (run.program != NULL) {
    return;
  }
  mcp_platform platform;
  fake_platform(&platform);
  if (run.side == '<') {
    platform.random = http_side_random;
  }
  run.loop = mcp_loop_new_manual(&platform, NULL);
  if (run.side == '<') {
    run.program = &server_program;
    run.self = run.program->start(run.loop, NULL, run.revision, run.options,
                                  run.option_count);
    http_side_start(server_program_server(run.self), run.loop, run.options,
                    run.option_count);
    settle();
    return;
  }
  mcp_transport *near_end;
  mcp_memory_pair(run.loop, &near_end, &run.far_end);
  run.far_end->on_message = on_message;
  run.far_end->on_error = on_error;
  run.far_end->on_close = on_close;
  mcp_error err;
  run.is_open = run.far_end->start(run.far_end, &err) == 0;
  run.program = run.side == 'S' ? &server_program : &client_program;
  run.self = run.program->start(run.loop, near_end, run.revision, run.options,
                                run.option_count);
  settle();
}

/* The expected lines since the last input must be what came. */
static void compare(void) {
  const char *expected = run.expected.len > 0 ? run.expected.bytes : "";
  const char *came = run.came.len > 0 ? run.came.bytes : "";
  if (strcmp(expected, came) != 0 && !run.is_update) {
    differ("\n--- expected\n%s--- came\n%s---", expected, came);
  }
  text_add(&run.rewritten, came, strlen(came));
  run.expected.len = 0;
  run.came.len = 0;
}

static void send_line(const char *line) {
  size_t len = strlen(line);
  /* A number in braces stands for so many blanks: long lines stay short. */
  unsigned long fill = 0;
  const char *mark = strstr(line, "{*");
  int mark_len = 0;
  if (mark != NULL && sscanf(mark, "{*%4lu}%n", &fill, &mark_len) == 1 &&
      mark_len > 0) {
    const char *after = mark + mark_len;
    text whole = {NULL, 0};
    text_add(&whole, line, (size_t)(mark - line));
    for (unsigned long i = 0; i < fill; i++) {
      text_add(&whole, "x", 1);
    }
    text_add(&whole, after, strlen(after));
    run.far_end->send(run.far_end, whole.bytes, whole.len, NULL);
    free(whole.bytes);
    return;
  }
  run.far_end->send(run.far_end, line, len, NULL);
}

/* A request is whole when another line follows. */
static void end_of_request(void) {
  if (run.is_in_request) {
    run.is_in_request = 0;
    http_side_send();
    settle();
  }
}

static void request_line(const char *rest) {
  start_program();
  if (!run.is_in_request) {
    compare();
  }
  run.is_in_request = 1;
  text_line(&run.rewritten, '>', rest, strlen(rest));
  http_side_line(rest);
}

static void input(char kind, char *rest) {
  start_program();
  compare();
  text_line(&run.rewritten, kind, rest, strlen(rest));
  if (kind == '@') {
    run.now_ms += (int64_t)(strtoul(rest, NULL, 10) % MAX_PASS_MS);
  } else if (kind == '!') {
    int is_known = run.side == '<' && http_side_command(rest);
    if (!is_known && !run.program->command(run.self, rest)) {
      differ("unknown command: %s", rest);
    }
  } else if (run.is_open) {
    send_line(rest);
  }
  settle();
}

static void heading(char *line) {
  int is_early = run.program == NULL;
  if (is_early && strncmp(line, "revision ", 9) == 0) {
    snprintf(run.revision, sizeof run.revision, "%s", line + 9);
  } else if (is_early && strcmp(line, "side client") == 0) {
    run.side = 'C';
  } else if (is_early && strcmp(line, "side http") == 0) {
    run.side = '<';
  } else if (is_early && strncmp(line, "option ", 7) == 0 &&
             run.option_count < MAX_OPTIONS) {
    run.options[run.option_count++] = strdup(line + 7);
  } else if (strcmp(line, "side server") != 0 && *line != '#' &&
             *line != '\0') {
    differ("not a transcript's line: %s", line);
  }
  if (!is_early) {
    compare();
  }
  text_add(&run.rewritten, line, strlen(line));
  text_add(&run.rewritten, "\n", 1);
}

static void one_line(char *line) {
  const char *marks = run.side == '<' ? "<>!=@" : "CS!=@";
  int is_marked =
      line[0] != '\0' && line[1] == ' ' && strchr(marks, line[0]) != NULL;
  if (is_marked && line[0] == '>') {
    request_line(line + 2);
    return;
  }
  end_of_request();
  if (!is_marked) {
    heading(line);
  } else if (line[0] == run.side || line[0] == '=') {
    start_program();
    text_add(&run.expected, line, strlen(line));
    text_add(&run.expected, "\n", 1);
  } else {
    input(line[0], line + 2);
  }
}

static void stop_program(void) {
  if (run.side == '<') {
    http_side_stop();
  }
  run.program->stop(run.self);
  settle();
  if (run.is_open) {
    run.far_end->close(run.far_end);
    settle();
  }
  if (run.far_end != NULL) {
    run.far_end->release(run.far_end);
  }
}

static void finish(void) {
  start_program();
  end_of_request();
  compare();
  stop_program();
  mcp_loop_free(run.loop);
  for (size_t i = 0; i < run.option_count; i++) {
    free(run.options[i]);
  }
  free(run.came.bytes);
  free(run.expected.bytes);
}

static int run_text(char *content, char **rewritten) {
  for (char *line = content; *line != '\0';) {
    char *end = strchr(line, '\n');
    if (end != NULL) {
      *end = '\0';
    }
    one_line(line);
    line = end != NULL ? end + 1 : line + strlen(line);
  }
  finish();
  if (rewritten != NULL) {
    *rewritten = run.rewritten.bytes;
  } else {
    free(run.rewritten.bytes);
  }
  return run.failures;
}

int transcript_run(const char *path, char *content, char **rewritten) {
  run = (struct run){.path = path,
                     .side = 'S',
                     .now_ms = 1000,
                     .is_update = rewritten != NULL};
  return run_text(content, rewritten);
}

void transcript_try(char *content) {
  run = (struct run){.side = 'S', .now_ms = 1000, .is_any = 1};
  run_text(content, NULL);
}
