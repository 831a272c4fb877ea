/* SPDX-License-Identifier: MIT */
/* Runs web transcripts, in which the client under test speaks HTTP to a server
 * that the transcript plays. README.md is their manual.
 *
 *     wire-web FILE...            each must match
 *     wire-web --update FILE...   rewrites what was expected
 */
#include "../fuzz/skip_time.h"
#include "client_program.h"
#include "marks.h"
#include "setting.h"
#include "support/failing_alloc.h"
#include "transcript.h"
#include "web_side.h"
#include <mcp/http_client.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  MAX_OPTIONS = 24,
  MAX_HEADERS = 8,
  MAX_EACH = 4, /* lines of a scene */
  MAX_PASS_MS = 86400000,
  /* A deadline that is so near is reached at once. */
  SOON_MS = 25,
  MAX_TURNS = 100000,
  /* How long the runner waits for lines that are expected. */
  PATIENCE_MS = 2000
};

/* The client's wires are not ends of memory pairs. */
int server_program_has_pairs;

static struct run {
  const char *path;
  char scene[100];
  char values[200]; /* of its `each` lines, as " NAME=VALUE" */
  size_t value_counts[MAX_EACH];
  size_t each_count;
  size_t scene_at; /* where it begins in `rewritten` */
  mcp_loop *loop;
  client_self *client; /* NULL: not yet, or no longer */
  int has_started;
  char *options[MAX_OPTIONS];
  size_t option_count;
  text_buf came;
  text_buf expected;
  text_buf rewritten;
  int failures;
  int is_update;
  int is_any; /* whatever comes is right */
  int is_hidden;
  int wants_memory;
  int is_blameless;
  const mcp_allocator *allocator;
} run;

/* All lines that came when the scene had memory. */
static text_buf usual;

/* Which value of each `each` line the scene runs with. */
static size_t choices[MAX_EACH];

/* ---- what comes ---------------------------------------------------------- */

MCP_PRINTF(1, 2)
static void differ(const char *format, ...) {
  va_list args;
  if (run.is_any) {
    return;
  }
  va_start(args, format);
  printf("%s: %s%s: ", run.path, run.scene, run.values);
  vprintf(format, args);
  printf("\n");
  va_end(args);
  run.failures++;
}

/* The query of a URL may be secret, as headers and a user's password are. */
static void check_secrets(const char *line) {
  if (strstr(line, "secret") != NULL) {
    differ("the client reports a secret: %s", line);
  }
}

/* With `memory blameless`: without memory the client says nothing of the server
 * that it does not say with memory. */
static void check_blame(const char *line) {
  int is_blame = strstr(line, "HTTP ") != NULL || strstr(line, "endpoint");
  if (run.is_any && run.is_blameless && is_blame &&
      strstr(usual.bytes, line) == NULL) {
    fprintf(stderr, "%s: without memory: %s\n", run.scene, line);
    abort();
  }
}

/* The text with `to` in the place of each `from`. Takes the text; owned. */
static char *swap(char *text, const char *from, const char *to) {
  text_buf whole = {NULL, 0, 0};
  text_adds(&whole, "");
  for (const char *at = text, *next; at != NULL; at = next) {
    next = strstr(at, from);
    text_add(&whole, at, next != NULL ? (size_t)(next - at) : strlen(at));
    if (next != NULL) {
      text_adds(&whole, to);
      next += strlen(from);
    }
  }
  free(text);
  return whole.bytes;
}

/* The server's address without its host, such as ":8080". */
static const char *port(void) {
  return strrchr(web_side_host(), ':');
}

/* Notes a line that came. The server's address is {host} there; with another
 * name of the host it is, for example, localhost{port}. */
static void note(const char *prefix, const char *line) {
  size_t len = strlen(line);
  while (len > 0 && line[len - 1] == ' ') {
    len--;
  }
  if (run.is_hidden) {
    return;
  }
  char *marked = marks_came(line, len);
  size_t came_len = run.came.len;
  text_adds(&run.came, prefix);
  marked = swap(marked, web_side_host(), "{host}");
  marked = swap(marked, port(), "{port}");
  text_adds(&run.came, marked);
  text_adds(&run.came, "\n");
  free(marked);
  if (*prefix == '=') {
    check_blame(run.came.bytes + came_len);
    check_secrets(run.came.bytes + came_len);
  }
  if (!run.is_any) {
    text_adds(&usual, run.came.bytes + came_len);
  }
}

void transcript_saw(const char *format, ...) {
  char *line = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&line, format, args) >= 0) {
    note("= ", line);
    free(line);
  }
  va_end(args);
}

void web_side_asked(size_t number, const char *line) {
  char prefix[24];
  snprintf(prefix, sizeof prefix, "> %zu ", number);
  note(prefix, line);
}

/* What is sent: marks, {host} and {port} are replaced. Owned. */
static char *expand(const char *text) {
  char *whole = swap(marks_send(text), "{host}", web_side_host());
  return swap(whole, "{port}", port());
}

/* ---- time ---------------------------------------------------------------- */

/* Lets everything happen that can happen now. */
static void settle(void) {
  for (int turns = 0; turns < MAX_TURNS; turns++) {
    int rests = loop_rests(run.loop);
    int wait_ms = mcp_loop_timeout_ms(run.loop);
    if (web_side_work() || !rests) {
      continue;
    }
    if (wait_ms < 0 || wait_ms > SOON_MS) {
      return;
    }
    skip_time(run.loop, SOON_MS);
  }
  differ("this does not come to an end");
}

static void pass(int64_t ms) {
  while (ms > 0) {
    int wait_ms = mcp_loop_timeout_ms(run.loop);
    int step_ms = wait_ms > 0 && wait_ms < ms ? wait_ms : (int)ms;
    skip_time(run.loop, step_ms);
    ms -= step_ms;
    settle();
  }
}

static int64_t real_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now); /* it is not skipped */
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the client ---------------------------------------------------------- */

/* The last option NAME=VALUE; else what is given. */
static const char *option_of(const char *name, const char *otherwise) {
  const char *value = otherwise;
  size_t len = strlen(name);
  for (size_t i = 0; i < run.option_count; i++) {
    if (strncmp(run.options[i], name, len) == 0 && run.options[i][len] == '=') {
      value = run.options[i] + len + 1;
    }
  }
  return value;
}

#define SETTING(member) SETTING_OF(mcp_http_client_options, #member, member)

/* How to connect; the headers must stay. */
static void set_http(mcp_http_client_options *http, const char **headers) {
  static const setting settings[] = {SETTING(connect_timeout_ms),
                                     SETTING(notify_timeout_ms),
                                     SETTING(request_timeout_ms),
                                     SETTING(close_wait_ms),
                                     SETTING(max_retries),
                                     SETTING(skip_stream),
                                     SETTING(dialect),
                                     SETTING(max_message),
                                     SETTING(max_queue),
                                     SETTING(silence_timeout_ms),
                                     SETTING(ping_ms),
                                     SETTING(pong_ms)};
  size_t count = 0;
  for (size_t i = 0; i < run.option_count; i++) {
    if (strncmp(run.options[i], "header=", 7) == 0 && count < MAX_HEADERS) {
      headers[count++] = run.options[i] + 7;
    } else if (strncmp(run.options[i], "http.", 5) == 0) {
      setting_apply(settings, sizeof settings / sizeof settings[0], http,
                    run.options[i] + 5);
    }
  }
  http->headers = headers;
}

static int connect_to_url(mcp_client *client, mcp_done_cb on_done,
                          void *userdata, const void *how, mcp_error *err) {
  const char *headers[MAX_HEADERS + 1] = {NULL};
  char *proxy = expand(option_of("proxy", ""));
  mcp_http_client_options http = {.size = sizeof(mcp_http_client_options),
                                  .proxy = proxy};
  int rc;
  set_http(&http, headers);
  const char *transport = option_of("transport", NULL);
  if (transport != NULL) {
    mcp_transport *wire = strcmp(transport, "post") == 0
                              ? mcp_transport_post(run.loop, how, &http, err)
                              : mcp_transport_sse(run.loop, how, &http, err);
    for (size_t i = 0; i < run.option_count; i++) {
      wire = transcript_wrap(run.loop, wire, run.options[i], 0);
    }
    rc = mcp_client_connect(client, wire, on_done, userdata, err);
  } else {
    rc = mcp_client_connect_url(client, how, &http, on_done, userdata, err);
  }
  free(proxy);
  return rc;
}

static web_manner manner_of(const char *name) {
  static const char *const names[] = {"",        "legacy", "modern",
                                      "streams", "sse",    "plain"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(name, names[i]) == 0) {
      return (web_manner)i;
    }
  }
  differ("no such manner: %s", name);
  return WEB_SILENT;
}

static void begin_client(void) {
  const char *opened = option_of("opened", "");
  web_manner manner = manner_of(opened);
  int with_headers = option_of("headers", NULL) != NULL;
  char *url = expand(option_of("url", manner == WEB_SSE
                                          ? "sse+http://{host}/mcp?key=secret"
                                          : "http://{host}/mcp?key=secret"));
  run.is_hidden = manner != WEB_SILENT;
  web_side_behave(manner, with_headers);
  run.client = client_begin(run.loop, NULL, run.options, run.option_count);
  if (run.client->client != NULL) {
    client_connect_by(run.client, connect_to_url, url);
  }
  settle();
  if (run.is_hidden) {
    web_side_behave(WEB_SILENT, with_headers);
  }
  run.is_hidden = 0;
  free(url);
}

static void start(void) {
  if (run.has_started) {
    return;
  }
  const mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                                    .allocator = run.allocator};
  run.has_started = 1;
  web_side_start();
  run.loop = mcp_loop_new(&options, NULL);
  if (run.loop != NULL) {
    begin_client();
  }
}

static void free_client(void) {
  if (run.client != NULL) {
    client_program.stop(run.client);
    run.client = NULL;
    settle();
  }
}

/* ---- lines --------------------------------------------------------------- */

/* Whether what came is what was expected, where {any} is the rest of a line. */
static int is_as_expected(const char *expected) {
  static const char any[] = "{any}\n";
  const char *came = run.came.len > 0 ? run.came.bytes : "";
  while (*expected != '\0' || *came != '\0') {
    if (strncmp(expected, any, strlen(any)) == 0) {
      expected += strlen(any);
      came += strcspn(came, "\n");
      came += *came == '\n';
    } else if (*expected++ != *came++) {
      return 0;
    }
  }
  return 1;
}

/* The expected lines since the last input must be what came. */
static void compare(void) {
  if (!run.has_started || run.loop == NULL) {
    return;
  }
  char *expected = marks_expand(run.expected.len > 0 ? run.expected.bytes : "");
  settle();
  for (int64_t began_ms = real_ms(); !run.is_any && !run.is_update &&
                                     !is_as_expected(expected) &&
                                     real_ms() - began_ms < PATIENCE_MS;) {
    poll(NULL, 0, 1);
    settle();
  }
  if (!is_as_expected(expected) && !run.is_update) {
    differ("\n--- expected\n%s--- came\n%s---", expected,
           run.came.len > 0 ? run.came.bytes : "");
  }
  if (is_as_expected(expected)) {
    text_adds(&run.rewritten, run.expected.len > 0 ? run.expected.bytes : "");
  } else {
    char *shortened = marks_shorten(run.came.len > 0 ? run.came.bytes : "");
    text_adds(&run.rewritten, shortened);
    free(shortened);
  }
  free(expected);
  run.expected.len = 0;
  run.came.len = 0;
}

/* "client OPTIONS": the next client of the same loop, with these options too;
 * "free": frees the client; "connections": shows how many are open. */
static int runner_command(char *line) {
  if (strcmp(line, "free") == 0) {
    free_client();
    return 1;
  }
  if (strcmp(line, "connections") == 0) {
    transcript_saw("connections %zu", web_side_connection_count());
    return 1;
  }
  if (strncmp(line, "client", 6) != 0 || (line[6] != ' ' && line[6] != '\0')) {
    return 0;
  }
  free_client();
  for (char *word = strtok(line + 6, " ");
       word != NULL && run.option_count < MAX_OPTIONS;
       word = strtok(NULL, " ")) {
    run.options[run.option_count++] = strdup(word);
  }
  begin_client();
  return 1;
}

/* "ONE && ANOTHER": the client does both before anything else happens. */
static void command(const char *text) {
  char *lines = expand(text);
  for (char *line = lines, *next; line != NULL; line = next) {
    next = strstr(line, " && ");
    if (next != NULL) {
      *next = '\0';
      next += strlen(" && ");
    }
    if (!runner_command(line) &&
        (run.client == NULL || run.client->client == NULL ||
         !client_program.command(run.client, line))) {
      differ("unknown command, or no client: %s", text);
    }
  }
  free(lines);
}

static void answer(const char *text) {
  char *end;
  size_t number = strtoul(text, &end, 10);
  char *lines = expand(end + (*end == ' '));
  for (char *line = lines, *next; line != NULL; line = next) {
    next = strchr(line, '\n');
    if (next != NULL) {
      *next++ = '\0';
    }
    if (!web_side_answer(number, line)) {
      differ("nothing waits for this answer: %s", text);
    }
  }
  free(lines);
}

static void input(const char *line) {
  start();
  compare();
  text_adds(&run.rewritten, line);
  text_adds(&run.rewritten, "\n");
  if (run.loop == NULL) {
    return; /* there was no memory for it */
  }
  if (line[0] == '@') {
    pass((int64_t)(strtoul(line + 2, NULL, 10) % MAX_PASS_MS));
  } else if (line[0] == '!') {
    command(line + 2);
  } else {
    answer(line + 2);
  }
  settle();
}

/* Lets one of the names stand for its part of the values: both are separated
 * by commas. */
static int let_each(const char *names, const char *values, size_t len) {
  int is_known = 1;
  while (is_known && *names != ' ') {
    char definition[300];
    int name_len = (int)strcspn(names, ", ");
    int is_last = names[name_len] == ' ';
    const char *comma = is_last ? NULL : memchr(values, ',', len);
    size_t part = comma != NULL ? (size_t)(comma - values) : len;
    snprintf(definition, sizeof definition, "%.*s %.*s", name_len, names,
             (int)part, values);
    is_known = marks_let(definition);
    size_t used = strlen(run.values);
    snprintf(run.values + used, sizeof run.values - used, " %s", definition);
    names += name_len + !is_last;
    values += part + (comma != NULL);
    len -= part + (comma != NULL);
  }
  return is_known;
}

/* "NAMES A // B // C": the scene runs once with each of the values. */
static int each(const char *line) {
  const char *value = strchr(line, ' ');
  const char *chosen = NULL;
  size_t count = 0;
  size_t len = 0;
  if (run.each_count == MAX_EACH || value == NULL) {
    return 0;
  }
  for (const char *bar = value; bar != NULL; count++) {
    value = bar + (count > 0 ? strlen(" // ") : 1);
    bar = strstr(value, " // ");
    if (count == choices[run.each_count]) {
      chosen = value;
      len = bar != NULL ? (size_t)(bar - value) : strlen(value);
    }
  }
  run.value_counts[run.each_count++] = count;
  return chosen != NULL && let_each(line, chosen, len);
}

static void heading(const char *line) {
  compare();
  if (strncmp(line, "scene ", 6) == 0) {
    run.scene_at = run.rewritten.len;
    snprintf(run.scene, sizeof run.scene, "%s", line + 6);
  } else if (strncmp(line, "option ", 7) == 0 && !run.has_started &&
             run.option_count < MAX_OPTIONS) {
    run.options[run.option_count++] = marks_expand(line + 7);
  } else if (strncmp(line, "memory", 6) == 0) {
    run.wants_memory = 1;
    run.is_blameless = strcmp(line, "memory blameless") == 0;
  } else if (strncmp(line, "let ", 4) == 0 && marks_let(line + 4)) {
    /* a name is known from here on */
  } else if (strncmp(line, "each ", 5) == 0 && each(line + 5)) {
    /* likewise, with one of its values */
  } else if (strcmp(line, "side web") != 0 && *line != '#' && *line != '\0') {
    differ("not a transcript's line: %s", line);
  }
  text_adds(&run.rewritten, line);
  text_adds(&run.rewritten, "\n");
}

static void one_line(const char *line) {
  if (line[0] == '\0' || line[1] != ' ' || strchr("<>!=@", line[0]) == NULL) {
    heading(line);
  } else if (line[0] == '>' || line[0] == '=') {
    start();
    text_adds(&run.expected, line);
    text_adds(&run.expected, "\n");
  } else {
    input(line);
  }
}

/* ---- transcripts --------------------------------------------------------- */

static void finish(void) {
  start();
  compare();
  run.is_hidden = 1; /* how it ends is not looked at */
  if (run.loop != NULL) {
    if (run.client != NULL && run.client->client != NULL) {
      mcp_client_close(run.client->client);
    }
    free_client();
    pass(10000); /* longer than a close may take */
  }
  mcp_loop_free(run.loop);
  while (web_side_work()) {
  }
  if (web_side_hang_up() > 0) {
    differ("a connection is left");
  }
  web_side_stop();
  for (size_t i = 0; i < run.option_count; i++) {
    free(run.options[i]);
  }
  free(run.came.bytes);
  free(run.expected.bytes);
  marks_end();
}

static void run_text(const char *content) {
  marks_begin(0);
  for (const char *line = content; *line != '\0';) {
    size_t len = strcspn(line, "\n");
    char *copy = strndup(line, len);
    one_line(copy);
    free(copy);
    line += len + (line[len] == '\n');
  }
  finish();
}

/* The same once more, with an allocation that fails. */
static int run_again(const mcp_allocator *allocator, void *content) {
  run = (struct run){.is_any = 1, .allocator = allocator};
  run_text(content);
  free(run.rewritten.bytes);
  return 0;
}

/* What precedes a scene is part of it. */
static int run_scene(const char *path, char *content, text_buf *rewritten) {
  run = (struct run){.path = path, .is_update = rewritten != NULL};
  run_text(content);
  int failures = run.failures;
  if (rewritten != NULL) {
    text_adds(rewritten,
              run.rewritten.bytes + (rewritten->len > 0 ? run.scene_at : 0));
  }
  free(run.rewritten.bytes);
  if (rewritten == NULL && run.wants_memory && failures == 0) {
    failing_alloc_rerun_least(30, run_again, content);
  }
  free(usual.bytes);
  usual = (text_buf){NULL, 0, 0};
  return failures;
}

/* Takes the next combination of values. 0: there was none left. */
static int next_choice(void) {
  for (size_t i = run.each_count; i > 0; i--) {
    if (++choices[i - 1] < run.value_counts[i - 1]) {
      return 1;
    }
    choices[i - 1] = 0;
  }
  return 0;
}

/* Runs the scene once for each combination of the values of its `each` lines,
 * and rewrites it with the first. */
static int run_each(const char *path, char *content, text_buf *rewritten) {
  int failures = 0;
  memset(choices, 0, sizeof choices);
  do {
    failures += run_scene(path, content, rewritten);
  } while (rewritten == NULL && next_choice());
  return failures;
}

static int run_file(const char *path, const char *content,
                    text_buf *rewritten) {
  static const char mark[] = "\nscene ";
  const char *scene = strstr(content, mark);
  int failures = 0;
  int head_len = scene != NULL ? (int)(scene + 1 - content) : 0;
  if (scene == NULL) {
    fprintf(stderr, "%s: has no scene\n", path);
    return 1;
  }
  while (scene != NULL) {
    const char *next = strstr(scene + 1, mark);
    int len = (int)(next != NULL ? next - scene : (ptrdiff_t)strlen(scene + 1));
    char *text = NULL;
    if (asprintf(&text, "%.*s%.*s", head_len, content, len, scene + 1) >= 0) {
      failures += run_each(path, text, rewritten);
      free(text);
    }
    scene = next;
  }
  return failures;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *content = NULL;
  size_t size = 0;
  if (file == NULL || getdelim(&content, &size, '\0', file) < 0) {
    perror(path);
    exit(2);
  }
  fclose(file);
  return content;
}

static void write_file(const char *path, const char *content) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fputs(content, file) < 0 || fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

int main(int argc, char **argv) {
  int is_update = argc > 1 && strcmp(argv[1], "--update") == 0;
  int failures = 0;
  if (argc <= 1 + is_update) {
    fprintf(stderr, "usage: wire-web [--update] FILE...\n");
    return 2;
  }
  stop_time();
  for (int i = 1 + is_update; i < argc; i++) {
    char *content = read_file(argv[i]);
    text_buf rewritten = {NULL, 0, 0};
    failures += run_file(argv[i], content, is_update ? &rewritten : NULL);
    if (is_update) {
      write_file(argv[i], rewritten.bytes);
    }
    free(rewritten.bytes);
    free(content);
  }
  printf("%d transcripts, %d differences\n", argc - 1 - is_update, failures);
  return failures != 0;
}
