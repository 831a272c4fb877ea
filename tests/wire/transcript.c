/* SPDX-License-Identifier: MIT */
/* Runs a wire transcript: see transcript.h. */
#include "transcript.h"
#include "http_side.h"
#include "marks.h"
#include "support/failing_alloc.h"
#include "support/revisions.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_OPTIONS = 16,
  MAX_CLIENTS = 9,
  /* A day: a step passes less. */
  MAX_PASS_MS = 86400000
};

/* The script's end of a connection to the program. */
typedef struct peer {
  mcp_transport *end;
  int number; /* from 1 */
  int is_open;
} peer;

/* One transcript while it runs. There is one at a time. */
static struct run {
  const char *path;
  char scene[64];                 /* its name; "": the file has none */
  size_t scene_at;                /* where it begins in `rewritten` */
  const mcp_allocator *allocator; /* of the program under test; NULL: plain */
  mcp_loop *loop;
  peer peers[MAX_CLIENTS];
  size_t peer_count;
  const program *program;
  void *self;
  char revision[16];
  char side;         /* 'S', 'C' or '<': what the program under test sends */
  int is_in_request; /* the last line was one of a request */
  char *options[MAX_OPTIONS];
  size_t option_count;
  int has_scenes;
  size_t known_count; /* options that were read before their lines */
  int64_t now_ms;
  text_buf came; /* lines that the program sent or has seen, since the input */
  text_buf
      rewritten; /* the whole file with what came in place of the expected */
  text_buf expected; /* lines that were expected since the input */
  int failures;
  int is_update;    /* differences are what is wanted */
  int is_any;       /* whatever comes is right, if it is a message */
  int is_hidden;    /* what comes is not looked at */
  int wants_memory; /* to be run again with each allocation failing */
} run;

/* The file that is run has {state N} in it. */
static int uses_states;

MCP_PRINTF(1, 2)
static void differ(const char *format, ...) {
  va_list args;
  if (run.is_any) {
    return;
  }
  va_start(args, format);
  printf("%s: %s%s", run.path, run.scene, run.scene[0] != '\0' ? ": " : "");
  vprintf(format, args);
  printf("\n");
  va_end(args);
  run.failures++;
}

/* Notes a line that came; number 1 is not written. */
static void note(char kind, int number, const char *bytes, size_t len) {
  char prefix[16];
  if (run.is_hidden) {
    return;
  }
  char *line = marks_came(bytes, len);
  if (number > 1) {
    snprintf(prefix, sizeof prefix, "%c%d ", kind, number);
  } else {
    snprintf(prefix, sizeof prefix, "%c ", kind);
  }
  text_adds(&run.came, prefix);
  text_adds(&run.came, line);
  text_adds(&run.came, "\n");
  free(line);
}

MCP_PRINTF(2, 0)
static void came(char kind, const char *format, va_list args) {
  char *line = NULL;
  int len = vasprintf(&line, format, args);
  while (len > 0 && line[len - 1] == ' ') {
    len--;
  }
  if (len >= 0) {
    note(kind, 1, line, (size_t)len);
    free(line);
  }
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
      (doc = mcp_doc_parse(message, len, NULL, NULL, NULL)) == NULL) {
    fprintf(stderr, "not a message: %.*s\n", (int)len, message);
    abort();
  }
  mcp_doc_free(doc);
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  const peer *from = transport->owner;
  check_message(message, len);
  note(run.side, from->number, message, len);
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  peer *of = transport->owner;
  (void)err;
  of->is_open = 0;
  if (of->number > 1) {
    transcript_saw("end of stream %d", of->number);
  } else {
    transcript_saw("end of stream");
  }
}

static void advance(void) {
  mcp_loop_advance(run.loop, run.now_ms, 1790000000000 + run.now_ms);
}

/* Lets everything happen that can happen without time passing. */
static void settle(void) {
  if (run.self == NULL) {
    return;
  }
  do {
    advance();
  } while (mcp_loop_next_deadline(run.loop) <= run.now_ms);
}

/* Opens the next peer's end. Returns the program's end; NULL: no memory. */
static mcp_transport *open_peer(void) {
  mcp_transport *near_end = NULL;
  peer *p = &run.peers[run.peer_count];
  if (mcp_memory_pair(run.loop, &near_end, &p->end, NULL) != 0) {
    return NULL;
  }
  p->number = (int)++run.peer_count;
  p->end->owner = p;
  p->end->on_message = on_message;
  p->end->on_error = on_error;
  p->end->on_close = on_close;
  p->is_open = p->end->start(p->end, NULL) == 0;
  return near_end;
}

static int has_option(const char *name) {
  for (size_t i = 0; i < run.option_count; i++) {
    if (strcmp(run.options[i], name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Sends a message of the script's. */
static void peer_send(const peer *from, const char *message) {
  from->end->send(from->end, message, strlen(message), NULL);
}

/* Answers a client's handshake, whose bytes are not shown, as a server that has
 * everything. */
static void answer_handshake(void) {
  static const char can[] =
      "{\"tools\":{\"listChanged\":true},\"prompts\":{},\"resources\":"
      "{\"subscribe\":true},\"completions\":{},\"logging\":{}}";
  const char *revision =
      run.revision[0] != '\0' ? run.revision : NEWEST_REVISION;
  char hello[512];
  if (strcmp(revision, "2026") > 0) {
    snprintf(hello, sizeof hello,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":"
             "\"complete\",\"supportedVersions\":[\"%s\"],\"capabilities\":%s,"
             "\"ttlMs\":0,\"cacheScope\":\"private\"}}",
             revision, can);
  } else {
    snprintf(hello, sizeof hello,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
             "\"%s\",\"capabilities\":%s,\"serverInfo\":{\"name\":\"s\","
             "\"version\":\"2\"}}}",
             revision, can);
  }
  if (run.peer_count > 0 && run.peers[0].is_open) {
    peer_send(&run.peers[0], hello);
  }
}

static void start_program(void) {
  if (run.program != NULL) {
    return;
  }
  mcp_platform platform;
  fake_platform(&platform);
  for (size_t i = 0; i < run.option_count; i++) {
    if (strncmp(run.options[i], "pool=", 5) == 0 &&
        strcmp(run.options[i] + 5, "none") != 0) {
      fake_platform_pool(&platform, strtoul(run.options[i] + 5, NULL, 10));
    }
  }
  if (run.side == '<') {
    platform.random = http_side_random;
  }
  run.loop = mcp_loop_new_manual(&platform, run.allocator, NULL);
  run.program = run.side == 'C' ? &client_program : &server_program;
  server_program_allocator = run.allocator;
  server_program_has_pairs = 1;
  if (run.loop == NULL) {
    return;
  }
  advance(); /* what begins at the start has the time of the start */
  run.is_hidden = run.side == 'C' && has_option("opened");
  mcp_transport *near_end = run.side == '<' ? NULL : open_peer();
  run.self = run.program->start(run.loop, near_end, run.revision, run.options,
                                run.option_count);
  if (run.side == '<') {
    http_side_start(server_program_server(run.self), run.loop, run.options,
                    run.option_count);
  }
  settle();
  if (run.is_hidden) {
    answer_handshake();
    settle();
    run.is_hidden = 0;
  }
}

/* The expected lines since the last input must be what came. */
static void compare(void) {
  const char *came = run.came.len > 0 ? run.came.bytes : "";
  char *expected = marks_expand(run.expected.len > 0 ? run.expected.bytes : "");
  if (strcmp(expected, came) != 0 && !run.is_update) {
    differ("\n--- expected\n%s--- came\n%s---", expected, came);
  }
  char *shortened = marks_shorten(came);
  text_adds(&run.rewritten, shortened);
  free(shortened);
  free(expected);
  run.expected.len = 0;
  run.came.len = 0;
}

/* The peer that a line or command names; NULL: there is no such. */
static peer *peer_of(size_t number) {
  return number > 0 && number <= run.peer_count ? &run.peers[number - 1] : NULL;
}

static void send_line(size_t number, const char *line) {
  peer *from = peer_of(number);
  if (from != NULL && from->is_open) {
    char *whole = marks_send(line);
    peer_send(from, whole);
    free(whole);
  }
}

/* A request is whole when a line follows that does not belong to it. */
static void end_of_request(void) {
  if (run.is_in_request) {
    run.is_in_request = 0;
    http_side_send();
    settle();
  }
}

/* "POST /mcp", which neither a header nor a body looks like. */
static int begins_request(const char *line) {
  const char *rest = line;
  while (isalpha((unsigned char)*rest)) {
    rest++;
  }
  return rest > line && strncmp(rest, " /", 2) == 0;
}

static void request_line(const char *line) {
  char *expanded = marks_send(line + 2);
  start_program();
  if (begins_request(expanded)) {
    end_of_request();
  }
  if (!run.is_in_request) {
    compare();
  }
  run.is_in_request = 1;
  text_adds(&run.rewritten, line);
  text_adds(&run.rewritten, "\n");
  for (char *at = expanded, *next; at != NULL; at = next) {
    next = strchr(at, '\n');
    if (next != NULL) {
      *next++ = '\0';
    }
    http_side_line(at);
  }
  free(expanded);
}

/* ---- commands of the runner's own --------------------------------------- */

/* "N rest": the number, else 1, and *rest is what follows. */
static size_t take_number(const char *line, const char **rest) {
  size_t len = strspn(line, "0123456789");
  if (len == 0 || (line[len] != ' ' && line[len] != '\0')) {
    *rest = line;
    return 1;
  }
  *rest = line + len + (line[len] == ' ');
  return strtoul(line, NULL, 10);
}

/* Connects another client: "principal=P peer=P drain_ms=N", each optional. With
 * `side client`: connects the client anew. */
static int connect_peer(const char *line) {
  if (run.side == '<' || run.peer_count == MAX_CLIENTS) {
    return 0;
  }
  mcp_transport *near_end = open_peer();
  if (near_end != NULL) {
    run.program->connect(run.self, near_end, run.peer_count, line);
  }
  return 1;
}

/* "N REVISION CAPABILITIES": a client's handshake, whose answers are not
 * looked at. Over HTTP there is no N. */
static int open_session(const char *line) {
  static const char initialized[] =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
  char *hello = NULL;
  const char *rest;
  size_t number = take_number(line, &rest);
  int len = (int)strcspn(rest, " ");
  const char *capabilities = rest[len] == ' ' ? rest + len + 1 : "{}";
  if (run.side == 'C' ||
      asprintf(&hello,
               "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
               "\"params\":{\"protocolVersion\":\"%.*s\",\"capabilities\":%s,"
               "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}",
               len, rest, capabilities) < 0) {
    return 0;
  }
  run.is_hidden = 1;
  if (run.side == '<') {
    http_side_open(hello, initialized);
  } else {
    send_line(number, hello);
    send_line(number, initialized);
  }
  settle();
  run.is_hidden = 0;
  free(hello);
  return 1;
}

/* "N": a client leaves. */
static int leave(const char *line) {
  const char *rest;
  peer *p = peer_of(take_number(line, &rest));
  if (p != NULL && p->is_open) {
    p->end->close(p->end);
  }
  return p != NULL;
}

/* Runs one of the tasks that wait for the pool. */
static int run_work(const char *line) {
  (void)line;
  return fake_platform_work();
}

static int runner_command(const char *line) {
  static const struct {
    const char *name;
    int (*run)(const char *rest);
  } commands[] = {{"connect", connect_peer},
                  {"open", open_session},
                  {"leave", leave},
                  {"work", run_work}};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    size_t len = strlen(commands[i].name);
    if (strncmp(line, commands[i].name, len) == 0 &&
        (line[len] == ' ' || line[len] == '\0')) {
      return commands[i].run(line + len + (line[len] == ' '));
    }
  }
  return 0;
}

static void command(const char *rest) {
  char *line = marks_send(rest);
  int is_known =
      (run.side == '<' && http_side_command(line)) || runner_command(line);
  if (!is_known && !run.program->command(run.self, line)) {
    differ("unknown command: %s", rest);
  }
  free(line);
}

/* A line that is not expected: kind is its first letter, and rest what follows
 * the client's number. */
static void input(char *line, size_t number, const char *rest) {
  start_program();
  compare();
  text_adds(&run.rewritten, line);
  text_adds(&run.rewritten, "\n");
  if (line[0] == '@') {
    run.now_ms += (int64_t)(strtoul(rest, NULL, 10) % MAX_PASS_MS);
  } else if (run.self == NULL) {
    return; /* there was no memory for it */
  } else if (line[0] == '!') {
    command(rest);
  } else {
    send_line(number, rest);
  }
  settle();
}

static void heading(char *line) {
  int is_early = run.program == NULL;
  if (strncmp(line, "scene ", 6) == 0) {
    compare();
    run.scene_at = run.rewritten.len;
    snprintf(run.scene, sizeof run.scene, "%s", line + 6);
  } else if (is_early && strncmp(line, "revision ", 9) == 0) {
    snprintf(run.revision, sizeof run.revision, "%s", line + 9);
  } else if (is_early && strcmp(line, "side client") == 0) {
    run.side = 'C';
  } else if (is_early && strcmp(line, "side http") == 0) {
    run.side = '<';
  } else if (strncmp(line, "option ", 7) == 0 && run.known_count > 0) {
    run.known_count--;
  } else if (is_early && strncmp(line, "option ", 7) == 0 &&
             run.option_count < MAX_OPTIONS) {
    run.options[run.option_count++] = strdup(line + 7);
  } else if (strcmp(line, "memory") == 0) {
    run.wants_memory = 1;
  } else if (strncmp(line, "let ", 4) == 0 && marks_let(line + 4)) {
    /* a name is known from here on */
  } else if (strcmp(line, "side server") != 0 && *line != '#' &&
             *line != '\0') {
    differ("not a transcript's line: %s", line);
  }
  if (run.program != NULL) {
    compare();
  }
  text_adds(&run.rewritten, line);
  text_adds(&run.rewritten, "\n");
}

static void one_line(char *line) {
  const char *marks = run.side == '<' ? "<>!=@" : "CS!=@";
  size_t number = 1;
  size_t rest = 0;
  if (line[0] != '\0' && strchr(marks, line[0]) != NULL) {
    int has_number = line[1] >= '1' && line[1] <= '9';
    number = has_number ? (size_t)(line[1] - '0') : 1;
    rest = line[1 + has_number] == ' ' ? 2 + (size_t)has_number : 0;
  }
  if (rest > 0 && line[0] == '>') {
    request_line(line);
    return;
  }
  end_of_request();
  if (rest == 0) {
    heading(line);
  } else if (line[0] == run.side || line[0] == '=') {
    start_program();
    text_adds(&run.expected, line);
    text_adds(&run.expected, "\n");
  } else {
    input(line, number, line + rest);
  }
}

static void stop_program(void) {
  if (run.side == '<') {
    http_side_stop();
  }
  while (fake_platform_work()) {
    settle();
  }
  run.program->stop(run.self);
  settle();
  for (size_t i = 0; i < run.peer_count; i++) {
    if (run.peers[i].is_open) {
      run.peers[i].end->close(run.peers[i].end);
    }
  }
  settle();
  for (size_t i = 0; i < run.peer_count; i++) {
    run.peers[i].end->release(run.peers[i].end);
  }
}

static void finish(void) {
  start_program();
  end_of_request();
  compare();
  if (run.self != NULL) {
    stop_program();
  }
  mcp_loop_free(run.loop);
  for (size_t i = 0; i < run.option_count; i++) {
    free(run.options[i]);
  }
  free(run.came.bytes);
  free(run.expected.bytes);
  marks_end();
}

/* The options of a scene hold from the start: what precedes it may start the
 * program. */
static void read_options(const char *content) {
  const char *line = content;
  while (line != NULL && run.has_scenes) {
    if (strncmp(line, "option ", 7) == 0 && run.option_count < MAX_OPTIONS) {
      run.options[run.option_count++] =
          strndup(line + 7, strcspn(line + 7, "\n"));
      run.known_count++;
    }
    run.wants_memory |= strncmp(line, "memory\n", 7) == 0;
    line = strchr(line, '\n');
    line = line != NULL ? line + 1 : NULL;
  }
}

static int run_text(char *content, char **rewritten) {
  marks_begin(uses_states);
  read_options(content);
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

/* The same once more, with an allocation that fails. */
static int run_again(const mcp_allocator *allocator, void *userdata) {
  char *content = strdup(userdata);
  run = (struct run){.side = 'S',
                     .now_ms = 1000,
                     .is_any = 1,
                     .has_scenes = run.has_scenes,
                     .allocator = allocator};
  run_text(content, NULL);
  free(content);
  return 0;
}

/* With WIRE_MEMORY=0 no allocation fails on purpose. */
static int is_memory_spared(void) {
  const char *value = getenv("WIRE_MEMORY");
  return value != NULL && strcmp(value, "0") == 0;
}

/* What precedes a scene is part of it. */
static int run_scene(const char *path, const char *content,
                     text_buf *rewritten) {
  char *copy = strdup(content);
  char *own = NULL;
  run = (struct run){.path = path,
                     .side = 'S',
                     .now_ms = 1000,
                     .has_scenes = strstr(content, "\nscene ") != NULL,
                     .is_update = rewritten != NULL};
  int failures = run_text(copy, rewritten != NULL ? &own : NULL);
  free(copy);
  if (rewritten != NULL) {
    text_adds(rewritten, own + (rewritten->len > 0 ? run.scene_at : 0));
    free(own);
  } else if (run.wants_memory && failures == 0 && !is_memory_spared()) {
    copy = strdup(content);
    failing_alloc_rerun_least(5, run_again, copy);
    free(copy);
  }
  return failures;
}

int transcript_run(const char *path, const char *content, char **rewritten) {
  static const char mark[] = "\nscene ";
  uses_states = strstr(content, "{state ") != NULL;
  text_buf out = {NULL, 0, 0};
  text_buf *to = rewritten != NULL ? &out : NULL;
  const char *scene = strstr(content, mark);
  size_t head_len = scene != NULL ? (size_t)(scene + 1 - content) : 0;
  int failures = scene == NULL ? run_scene(path, content, to) : 0;
  while (scene != NULL) {
    const char *next = strstr(scene + 1, mark);
    text_buf text = {NULL, 0, 0};
    text_add(&text, content, head_len);
    text_add(&text, scene + 1,
             next != NULL ? (size_t)(next - scene) : strlen(scene + 1));
    failures += run_scene(path, text.bytes, to);
    free(text.bytes);
    scene = next;
  }
  if (rewritten != NULL) {
    *rewritten = out.bytes;
  }
  return failures;
}

void transcript_try(char *content) {
  uses_states = strstr(content, "{state ") != NULL;
  run = (struct run){.side = 'S', .now_ms = 1000, .is_any = 1};
  run_text(content, NULL);
}
