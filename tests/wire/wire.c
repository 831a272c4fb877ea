/* SPDX-License-Identifier: MIT */
/* Runs wire transcripts: see transcript.h.
 *
 *     wire FILE...            each must match
 *     wire --update FILE...   rewrites what was expected
 */
#include "http_side.h"
#include "transcript.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  char *options[16];
  size_t option_count;
  int64_t now_ms;
  text came;      /* lines that the program sent or has seen, since the input */
  text rewritten; /* the whole file with what came in place of the expected */
  text expected;  /* lines that were expected since the input */
  int failures;
  int is_update; /* differences are what is wanted */
} run;

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

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  (void)transport;
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
  for (int i = 0; i < 100; i++) {
    mcp_loop_advance(run.loop, run.now_ms, 1790000000000 + run.now_ms);
  }
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
    printf("%s\n--- expected\n%s--- came\n%s---\n", run.path, expected, came);
    run.failures++;
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
  if (mark != NULL && sscanf(mark, "{*%lu}", &fill) == 1) {
    const char *after = strchr(mark, '}') + 1;
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
    run.now_ms += strtol(rest, NULL, 10);
  } else if (kind == '!') {
    int is_known = run.side == '<' && http_side_command(rest);
    if (!is_known && !run.program->command(run.self, rest)) {
      printf("%s: unknown command: %s\n", run.path, rest);
      run.failures++;
    }
  } else if (run.is_open) {
    send_line(rest);
  }
  settle();
}

static void heading(char *line) {
  if (strncmp(line, "revision ", 9) == 0) {
    snprintf(run.revision, sizeof run.revision, "%s", line + 9);
  } else if (strcmp(line, "side client") == 0) {
    run.side = 'C';
  } else if (strcmp(line, "side http") == 0) {
    run.side = '<';
  } else if (strncmp(line, "option ", 7) == 0 && run.option_count < 16) {
    run.options[run.option_count++] = strdup(line + 7);
  } else if (strcmp(line, "side server") != 0 && *line != '#' &&
             *line != '\0') {
    printf("%s: not a transcript's line: %s\n", run.path, line);
    run.failures++;
  }
  if (run.program != NULL) {
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

static text read_file(const char *path) {
  text content = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  char chunk[4096];
  size_t got;
  text_add(&content, "", 0);
  while ((got = fread(chunk, 1, sizeof chunk, file)) > 0) {
    text_add(&content, chunk, got);
  }
  fclose(file);
  return content;
}

static void write_file(const char *path, const text *content) {
  FILE *file = fopen(path, "wb");
  if (file == NULL ||
      fwrite(content->bytes, 1, content->len, file) != content->len ||
      fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

static int run_file(const char *path, int update) {
  run = (struct run){
      .path = path, .side = 'S', .now_ms = 1000, .is_update = update};
  text content = read_file(path);
  for (char *line = content.bytes; *line != '\0';) {
    char *end = strchr(line, '\n');
    if (end != NULL) {
      *end = '\0';
    }
    one_line(line);
    line = end != NULL ? end + 1 : line + strlen(line);
  }
  finish();
  if (update && run.rewritten.len > 0) {
    write_file(path, &run.rewritten);
  }
  free(run.rewritten.bytes);
  free(content.bytes);
  return run.failures;
}

int main(int argc, char **argv) {
  int update = argc > 1 && strcmp(argv[1], "--update") == 0;
  int failures = 0;
  int files = 0;
  for (int i = 1 + update; i < argc; i++) {
    failures += run_file(argv[i], update);
    files++;
  }
  if (files == 0) {
    fprintf(stderr, "usage: wire [--update] FILE...\n");
    return 2;
  }
  if (update) {
    return 0;
  }
  printf("%d transcripts, %d differences\n", files, failures);
  return failures != 0;
}
