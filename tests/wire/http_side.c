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
  char *peer; /* where it comes from; NULL: not known */
  /* All that there were, by their number; NULL: answered. */
  mcp_http_exchange *exchanges[MAX_EXCHANGES];
  size_t queued[MAX_EXCHANGES];
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

static char *with_session(const char *value) {
  const char *mark = strstr(value, "{session ");
  size_t number = 0;
  char *whole = NULL;
  if (mark == NULL || sscanf(mark, "{session %zu}", &number) != 1 ||
      number == 0 || number > side.session_count ||
      asprintf(&whole, "%.*s%s%s", (int)(mark - value), value,
               side.sessions[number - 1], mark + strcspn(mark, "}") + 1) < 0) {
    return strdup(value);
  }
  return whole;
}

/* ---- answers ----------------------------------------------------------- */

/* The exchange is known by its place in the table. */
static size_t number_of(void *exchange) {
  return (size_t)((mcp_http_exchange **)exchange - side.exchanges) + 1;
}

static void answer_line(size_t number, const char *line, size_t len) {
  static const char name[] = "sessionId="; /* of HTTP+SSE */
  const char *id = memmem(line, len, name, strlen(name));
  if (id != NULL) {
    char text[64];
    id += strlen(name);
    snprintf(text, sizeof(text), "%.*s", (int)(line + len - id), id);
    session_of(text);
  }
  for (size_t i = 0; i < side.session_count; i++) {
    size_t id_len = strlen(side.sessions[i]);
    id = memmem(line, len, side.sessions[i], id_len);
    if (id != NULL) {
      transcript_answered("%zu %.*s{session %zu}%.*s", number, (int)(id - line),
                          line, i + 1, (int)(line + len - id - id_len),
                          id + id_len);
      return;
    }
  }
  transcript_answered("%zu %.*s", number, (int)len, line);
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

static size_t queued(void *exchange) {
  return side.queued[number_of(exchange) - 1];
}

static const mcp_http_responder responder = {.size = sizeof(mcp_http_responder),
                                             .respond = respond,
                                             .begin = begin,
                                             .write = write_piece,
                                             .end = end,
                                             .abort = break_off,
                                             .queued = queued};

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
  } else if (side.body == NULL && strncmp(line, "Peer: ", 6) == 0 &&
             side.peer == NULL) {
    side.peer = strdup(line + 6);
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
  free(side.peer);
  side.line = NULL;
  side.body = NULL;
  side.peer = NULL;
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
  const mcp_http_request request = {.size = sizeof(mcp_http_request),
                                    .method = side.line,
                                    .target = whole,
                                    .peer = side.peer,
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

static void post(const char *body, size_t session) {
  char header[64];
  snprintf(header, sizeof header, "Mcp-Session-Id: {session %zu}", session);
  http_side_line("POST /mcp");
  http_side_line("Host: localhost");
  http_side_line("Content-Type: application/json");
  http_side_line("Accept: application/json, text/event-stream");
  if (session > 0) {
    http_side_line(header);
  }
  http_side_line(body);
  http_side_send();
}

void http_side_open(const char *initialize, const char *initialized) {
  size_t count = side.session_count;
  size_t first = side.exchange_count;
  post(initialize, 0);
  if (side.session_count > count) {
    post(initialized, side.session_count);
  }
  side.exchange_count = first;
}

int http_side_command(const char *line) {
  size_t number = 0;
  size_t bytes = 0;
  if (strcmp(line, "free_http") == 0) {
    mcp_http *http = side.http;
    side.http = NULL;
    mcp_http_free(http);
    return 1;
  }
  if (sscanf(line, "queued %zu %zu", &number, &bytes) == 2 && number > 0 &&
      number <= MAX_EXCHANGES) {
    side.queued[number - 1] = bytes;
    return 1;
  }
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

/* The value of a request's header, or NULL. */
static const char *header_of(const mcp_http_request *request,
                             const char *name) {
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcmp(request->headers[i].name, name) == 0) {
      return request->headers[i].value;
    }
  }
  return NULL;
}

/* With the option `known`: the header Authorization is who it is. */
static int know(mcp_server *server, const mcp_http_request *request,
                mcp_http_decision *decision, void *userdata) {
  (void)server;
  (void)userdata;
  decision->principal = header_of(request, "Authorization");
  return 0;
}

/* With the option `auth`: nobody without a name, and Eve neither. */
static int check(mcp_server *server, const mcp_http_request *request,
                 mcp_http_decision *decision, void *userdata) {
  know(server, request, decision, userdata);
  if (decision->principal != NULL) {
    decision->reason = "not for you";
    return strcmp(decision->principal, "Bearer eve") == 0 ? 403 : 0;
  }
  decision->reason = "who are you?";
  decision->challenge = "Bearer realm=\"wire\"";
  return 401;
}

static void on_trace(mcp_server *server, const mcp_traced_message *message,
                     void *userdata) {
  (void)server;
  (void)userdata;
  transcript_saw("%s %s %s: %.*s", message->is_sent ? "to" : "from",
                 message->peer != NULL ? message->peer : "nowhere",
                 message->session != NULL ? message->session : "none",
                 (int)message->len, message->text);
}

/* An option http.NAME=VALUE sets the member of that name. */
#define SETTING(member)                                                        \
  { #member, offsetof(mcp_http_options, member) }

typedef struct setting {
  const char *name;
  size_t offset;
} setting;

static const setting numbers[] = {
    SETTING(legacy),       SETTING(wires),           SETTING(max_sessions),
    SETTING(max_calls),    SETTING(session_idle_ms), SETTING(session_max_ms),
    SETTING(replay_bytes), SETTING(keepalive_ms),    SETTING(retry_ms),
    SETTING(max_rate),     SETTING(dialect),         SETTING(initialized_ms)};
static const setting texts[] = {SETTING(path),          SETTING(health_path),
                                SETTING(sse_path),      SETTING(messages_path),
                                SETTING(path_setting),  SETTING(host_setting),
                                SETTING(origin_setting)};
/* Their values are separated by commas. */
static const setting lists[] = {SETTING(allowed_hosts),
                                SETTING(allowed_origins)};

/* The member that an option names, in config; else NULL. */
static void *member_of(mcp_http_options *config, const setting *settings,
                       size_t count, const char *name, size_t len) {
  for (size_t i = 0; i < count; i++) {
    if (strncmp(settings[i].name, name, len) == 0 &&
        settings[i].name[len] == '\0') {
      return (char *)config + settings[i].offset;
    }
  }
  return NULL;
}

#define MEMBER_OF(settings)                                                    \
  member_of(config, settings, sizeof settings / sizeof settings[0], option, len)

static void set_option(mcp_http_options *config, const char *option) {
  static const char *items[2][8];
  static char copies[2][200];
  size_t len = strcspn(option, "=");
  const char *value = option + len + (option[len] == '=');
  uint32_t number = (uint32_t)strtoul(value, NULL, 10);
  void *member = MEMBER_OF(numbers);
  if (member != NULL) {
    memcpy(member, &number, sizeof number);
  } else if ((member = MEMBER_OF(texts)) != NULL) {
    memcpy(member, &value, sizeof value);
  } else if ((member = MEMBER_OF(lists)) != NULL) {
    size_t which = member == (void *)&config->allowed_origins;
    const char *const *list = items[which];
    size_t count = 0;
    snprintf(copies[which], sizeof copies[which], "%s", value);
    for (char *rest = copies[which]; *rest != '\0' && count < 7;) {
      items[which][count++] = rest;
      rest += strcspn(rest, ",");
      if (*rest != '\0') {
        *rest++ = '\0';
      }
    }
    items[which][count] = NULL;
    memcpy(member, &list, sizeof list);
  }
}

#define PROTECT(member)                                                        \
  { #member, offsetof(mcp_protect_options, member) }

static const setting protect_texts[] = {PROTECT(resource), PROTECT(scopes),
                                        PROTECT(resource_name), PROTECT(issuer),
                                        PROTECT(jwks)};

/* An option protect.NAME=VALUE sets the member of that name. In `tokens` a
 * comma ends a line. */
static void set_protection(mcp_protect_options *protect, const char *option) {
  static char tokens[400];
  size_t len = strcspn(option, "=");
  const char *value = option + len + (option[len] == '=');
  for (size_t i = 0; i < sizeof protect_texts / sizeof protect_texts[0]; i++) {
    if (strncmp(protect_texts[i].name, option, len) == 0 &&
        protect_texts[i].name[len] == '\0') {
      memcpy((char *)protect + protect_texts[i].offset, &value, sizeof value);
    }
  }
  if (strncmp(option, "tokens=", 7) == 0) {
    snprintf(tokens, sizeof tokens, "%s", value);
    for (char *at = tokens; (at = strchr(at, ',')) != NULL;) {
      *at = '\n';
    }
    protect->tokens = tokens;
  } else if (strcmp(option, "hides_forbidden") == 0) {
    protect->hides_forbidden = 1;
  }
}

void http_side_start(mcp_server *server, mcp_loop *loop, char **options,
                     size_t option_count) {
  mcp_http_options config = {.size = sizeof(mcp_http_options)};
  mcp_protect_options protect = {.size = sizeof(mcp_protect_options)};
  for (size_t i = 0; i < option_count; i++) {
    if (strncmp(options[i], "protect.", 8) == 0) {
      config.protect = &protect;
      set_protection(&protect, options[i] + 8);
    } else if (strncmp(options[i], "http.", 5) == 0) {
      set_option(&config, options[i] + 5);
    } else if (strcmp(options[i], "sse") == 0) {
      config.wires = MCP_HTTP_STREAMABLE | MCP_HTTP_SSE;
    } else if (strcmp(options[i], "auth") == 0) {
      config.on_request = check;
    } else if (strcmp(options[i], "known") == 0) {
      config.on_request = know;
    } else if (strcmp(options[i], "http_trace") == 0) {
      config.on_trace = on_trace;
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
