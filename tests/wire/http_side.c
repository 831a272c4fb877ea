/* SPDX-License-Identifier: MIT */
/* The HTTP server of transcripts: hands their requests to an endpoint, and
 * writes down what it answers. See transcript.h. */
#include "http_side.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADERS = 32, MAX_EXCHANGES = 64, MAX_SESSIONS = 8 };

static struct side {
  mcp_http *http;
  /* The request whose lines come. */
  char *line; /* its first one */
  char *target;
  mcp_http_header headers[MAX_HEADERS];
  size_t header_count;
  char *body;
  /* All that there were, by their number; NULL: answered. */
  mcp_http_exchange *exchanges[MAX_EXCHANGES];
  size_t exchange_count;
  char *sessions[MAX_SESSIONS]; /* in the order in which they opened */
  size_t session_count;
  size_t random_count;
} side;

/* ---- session ids: {session N} stands for the Nth ----------------------- */

static size_t session_of(const char *id) {
  for (size_t i = 0; i < side.session_count; i++) {
    if (strcmp(side.sessions[i], id) == 0) {
      return i + 1;
    }
  }
  if (side.session_count < MAX_SESSIONS) {
    side.sessions[side.session_count++] = strdup(id);
  }
  return side.session_count;
}

/* At the value's end. */
static char *with_session(const char *value) {
  const char *mark = strstr(value, "{session ");
  size_t number = 0;
  char *whole = NULL;
  if (mark == NULL || sscanf(mark, "{session %zu}", &number) != 1 ||
      number == 0 || number > side.session_count ||
      asprintf(&whole, "%.*s%s", (int)(mark - value), value,
               side.sessions[number - 1]) < 0) {
    return strdup(value);
  }
  return whole;
}

/* ---- answers ----------------------------------------------------------- */

/* The exchange is known by its place in the table. */
static size_t number_of(void *exchange) {
  return (size_t)((mcp_http_exchange **)exchange - side.exchanges) + 1;
}

/* Of HTTP+SSE an event tells the session. */
static void answer_line(size_t number, const char *line, size_t len) {
  static const char name[] = "sessionId=";
  char text[64];
  const char *id = memmem(line, len, name, strlen(name));
  if (id == NULL) {
    transcript_answered("%zu %.*s", number, (int)len, line);
    return;
  }
  id += strlen(name);
  snprintf(text, sizeof(text), "%.*s", (int)(line + len - id), id);
  transcript_answered("%zu %.*s{session %zu}", number, (int)(id - line), line,
                      session_of(text));
}

static void answer_lines(size_t number, const char *bytes, size_t len) {
  while (len > 0) {
    const char *end = memchr(bytes, '\n', len);
    size_t line_len = end != NULL ? (size_t)(end - bytes) : len;
    answer_line(number, bytes, line_len);
    size_t taken = line_len + (end != NULL);
    bytes += taken;
    len -= taken;
  }
}

static void head(void *exchange, int status, const mcp_http_header *headers,
                 size_t header_count) {
  size_t number = number_of(exchange);
  transcript_answered("%zu %d", number, status);
  for (size_t i = 0; i < header_count; i++) {
    if (strcmp(headers[i].name, "Mcp-Session-Id") == 0) {
      transcript_answered("%zu %s: {session %zu}", number, headers[i].name,
                          session_of(headers[i].value));
    } else {
      transcript_answered("%zu %s: %s", number, headers[i].name,
                          headers[i].value);
    }
  }
}

static void ended(void *exchange) {
  *(mcp_http_exchange **)exchange = NULL;
}

static void respond(void *exchange, int status, const mcp_http_header *headers,
                    size_t header_count, const char *body, size_t len) {
  head(exchange, status, headers, header_count);
  if (len > 0) {
    transcript_answered("%zu", number_of(exchange));
    answer_lines(number_of(exchange), body, len);
  }
  ended(exchange);
}

static void begin(void *exchange, int status, const mcp_http_header *headers,
                  size_t header_count) {
  head(exchange, status, headers, header_count);
  transcript_answered("%zu", number_of(exchange));
}

static void write_piece(void *exchange, const char *bytes, size_t len) {
  answer_lines(number_of(exchange), bytes, len);
}

static void end(void *exchange) {
  transcript_answered("%zu end", number_of(exchange));
  ended(exchange);
}

static void break_off(void *exchange) {
  transcript_answered("%zu broken off", number_of(exchange));
  ended(exchange);
}

static const mcp_http_responder responder = {.size = MCP_HTTP_RESPONDER_INIT,
                                             .respond = respond,
                                             .begin = begin,
                                             .write = write_piece,
                                             .end = end,
                                             .abort = break_off};

/* ---- requests ---------------------------------------------------------- */

/* "Name: value", the name one word without punctuation but hyphens. */
static int is_header(const char *line) {
  size_t len = strspn(line, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
  return len > 0 && line[len] == ':';
}

void http_side_line(const char *line) {
  if (side.line == NULL) {
    side.line = strdup(line);
  } else if (side.body == NULL && is_header(line) &&
             side.header_count < MAX_HEADERS) {
    char *name = strdup(line);
    char *value = strchr(name, ':');
    *value++ = '\0';
    side.headers[side.header_count++] =
        (mcp_http_header){name, with_session(value + strspn(value, " "))};
  } else {
    size_t len = side.body != NULL ? strlen(side.body) + 1 : 0;
    side.body = realloc(side.body, len + strlen(line) + 1);
    if (len > 0) {
      side.body[len - 1] = '\n';
    }
    strcpy(side.body + len, line);
  }
}

static void forget_request(void) {
  for (size_t i = 0; i < side.header_count; i++) {
    free((char *)(uintptr_t)side.headers[i].name);
    free((char *)(uintptr_t)side.headers[i].value);
  }
  side.header_count = 0;
  free(side.line);
  free(side.body);
  side.line = NULL;
  side.body = NULL;
}

void http_side_send(void) {
  if (side.line == NULL || side.http == NULL ||
      side.exchange_count == MAX_EXCHANGES) {
    return;
  }
  char *target = strchr(side.line, ' ');
  if (target != NULL) {
    *target++ = '\0';
  }
  char *whole = with_session(target != NULL ? target : "/");
  const mcp_http_request request = {.size = MCP_HTTP_REQUEST_INIT,
                                    .method = side.line,
                                    .target = whole,
                                    .headers = side.headers,
                                    .header_count = side.header_count};
  mcp_http_exchange **place = &side.exchanges[side.exchange_count++];
  mcp_http_exchange *exchange =
      mcp_http_begin(side.http, &request, &responder, place);
  if (exchange != NULL) {
    *place = exchange;
    mcp_http_body(exchange, side.body,
                  side.body != NULL ? strlen(side.body) : 0);
  }
  free(whole);
  forget_request();
}

int http_side_command(const char *line) {
  size_t number = 0;
  if (sscanf(line, "gone %zu", &number) != 1 || number == 0 ||
      number > side.exchange_count) {
    return 0;
  }
  mcp_http_exchange *exchange = side.exchanges[number - 1];
  side.exchanges[number - 1] = NULL;
  if (exchange != NULL) {
    mcp_http_gone(exchange);
  }
  return exchange != NULL;
}

/* ---- life -------------------------------------------------------------- */

/* Unlike that of the fake platform not always the same: each session has an id
 * of its own. */
int http_side_random(void *userdata, void *bytes, size_t len) {
  (void)userdata;
  for (size_t i = 0; i < len; i++) {
    ((unsigned char *)bytes)[i] = (unsigned char)(i + side.random_count);
  }
  side.random_count++;
  return 0;
}

/* With the option `auth`: who has no name is not known, and Eve may not. */
static int check(const mcp_http_request *request, const char **principal,
                 const char **reason, const char **challenge, void *userdata) {
  (void)userdata;
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcmp(request->headers[i].name, "Authorization") == 0) {
      *principal = request->headers[i].value;
      *reason = "not for you";
      return strcmp(*principal, "Bearer eve") == 0 ? 403 : 0;
    }
  }
  *reason = "who are you?";
  *challenge = "Bearer realm=\"wire\"";
  return 401;
}

void http_side_start(mcp_server *server, mcp_loop *loop, char **options,
                     size_t option_count) {
  mcp_http_options config = {.size = MCP_HTTP_OPTIONS_INIT};
  for (size_t i = 0; i < option_count; i++) {
    const char *value = strchr(options[i], '=');
    unsigned number =
        value != NULL ? (unsigned)strtoul(value + 1, NULL, 10) : 0;
    if (strncmp(options[i], "legacy=", 7) == 0) {
      config.legacy = number;
    } else if (strncmp(options[i], "max_sessions=", 13) == 0) {
      config.max_sessions = number;
    } else if (strncmp(options[i], "max_rate=", 9) == 0) {
      config.max_rate = number;
    } else if (strcmp(options[i], "sse") == 0) {
      config.wires = MCP_HTTP_STREAMABLE | MCP_HTTP_SSE;
    } else if (strcmp(options[i], "auth") == 0) {
      config.on_request = check;
    }
  }
  mcp_error err = {0};
  side.http = mcp_http_new(server, loop, &config, &err);
  if (side.http == NULL) {
    transcript_saw("http: %s", err.message);
  }
}

void http_side_stop(void) {
  forget_request();
  mcp_http_free(side.http);
  for (size_t i = 0; i < side.session_count; i++) {
    free(side.sessions[i]);
  }
  memset(&side, 0, sizeof side);
}
