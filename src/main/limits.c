/* SPDX-License-Identifier: MIT */
/* The limits of the server and of its transports, as options of mcp_main. Each
 * option has the name of the structure's member that it sets. */
#include "main/options.h"

#include "server/limits.h"
#include "json/json.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Members of mcpi_main_settings, by their offsets; `also_at` is for a transport
 * with the same limit. */
typedef struct limit {
  const char *option;
  const char *description;
  /* The size of the member: that of uint32_t, size_t or uint64_t. */
  size_t size;
  size_t at;
  size_t also_at; /* 0: there is none */
} limit;

#define SIZE_OF(member) sizeof(((mcpi_main_settings *)NULL)->member)
#define ONE(option, member, text)                                              \
  { option, text, SIZE_OF(member), offsetof(mcpi_main_settings, member), 0 }
/* The size of both; members of different sizes do not compile. */
#define SIZE_OF_BOTH(member, other)                                            \
  sizeof(char[SIZE_OF(member) == SIZE_OF(other) ? (int)SIZE_OF(member) : -1])
#define TWO(option, member, other, text)                                       \
  {                                                                            \
    option, text, SIZE_OF_BOTH(member, other),                                 \
        offsetof(mcpi_main_settings, member),                                  \
        offsetof(mcpi_main_settings, other)                                    \
  }

static const limit limits[] = {
    ONE("max-message", server.max_message, "bytes of one message"),
    ONE("max-depth", server.max_depth,
        "depth of one message, at most 128 (the default)"),
    ONE("max-values", server.max_values, "values in one message"),
    ONE("max-batch", server.max_batch, "messages in one batch"),
    TWO("max-calls", server.max_calls, http.max_calls,
        "requests at once on one connection; over HTTP, of all clients"),
    ONE("max-total-calls", server.max_total_calls,
        "requests at once of all clients, except over HTTP (--max-calls)"),
    ONE("max-kept-bytes", server.max_kept_bytes,
        "bytes that clients make the server keep"),
    ONE("max-subscriptions", server.max_subscriptions,
        "subscriptions on one connection"),
    ONE("max-rounds", server.max_rounds, "rounds of questions for one call"),
    ONE("ask-timeout-ms", server.ask_timeout_ms,
        "how long a client has to answer a question"),
    ONE("max-reports", server.max_reports,
        "log lines about one connection in a second"),
    ONE("pool-threads", loop.pool_threads,
        "threads for blocking handlers, at most 1000"),
    ONE("pool-queue", loop.pool_queue, "blocking calls that wait for a thread"),
    ONE("max-unreadable", server.max_unreadable,
        "unreadable messages in a row before a connection is closed"),
    ONE("max-sessions", http.max_sessions, "sessions over HTTP at once"),
    ONE("max-rate", http.max_rate, "HTTP requests of one client in a second"),
    ONE("session-idle-ms", http.session_idle_ms,
        "how long a session may be idle"),
    ONE("session-max-ms", http.session_max_ms, "how long a session may last"),
    ONE("initialized-ms", http.initialized_ms,
        "how long a session may have no request after initialize"),
    TWO("max-connections", listen.max_connections, socket.max_connections,
        "connections at once at one address"),
    TWO("max-waiting", listen.max_waiting, socket.max_waiting,
        "bytes that wait in all connections of an address together"),
    ONE("max-head", listen.max_head, "bytes of an HTTP request's head"),
    ONE("max-headers", listen.max_headers, "headers of an HTTP request"),
    ONE("max-body", listen.max_body,
        "bytes of an HTTP body, or of a WebSocket's message"),
    TWO("max-queue", listen.max_queue, stream.max_queue,
        "bytes of answers that wait for one client"),
    ONE("max-line", stream.max_line, "bytes of a line over a socket"),
    ONE("head-ms", listen.head_ms, "how long an HTTP head may take"),
    ONE("body-ms", listen.body_ms, "how long an HTTP body may take"),
    TWO("idle-ms", listen.idle_ms, socket.first_message_ms,
        "how long a connection may be idle; over a socket, how long until its "
        "first message"),
    ONE("line-ms", socket.line_ms, "how long a line over a socket may take"),
    TWO("write-ms", listen.write_ms, socket.write_ms,
        "how long a client may read nothing while bytes wait for it"),
    ONE("ping-interval-ms", server.ping_interval_ms,
        "silence before the server sends a legacy client a ping, except over "
        "HTTP (default: it sends none)"),
    ONE("ping-timeout-ms", server.ping_timeout_ms,
        "how long its answer may take"),
    ONE("ping-ms", listen.ping_ms,
        "silence before the server sends a WebSocket a ping"),
    ONE("pong-ms", listen.pong_ms, "how long its answer may take"),
};

_Static_assert(sizeof(limits) / sizeof(limits[0]) == MCPI_MAIN_LIMIT_COUNT, "");
/* transports_at relies on this order. */
_Static_assert(offsetof(mcpi_main_settings, http) <
                       offsetof(mcpi_main_settings, server) &&
                   offsetof(mcpi_main_settings, listen) <
                       offsetof(mcpi_main_settings, server) &&
                   offsetof(mcpi_main_settings, server) <
                       offsetof(mcpi_main_settings, loop) &&
                   offsetof(mcpi_main_settings, loop) <
                       offsetof(mcpi_main_settings, socket) &&
                   offsetof(mcpi_main_settings, socket) <
                       offsetof(mcpi_main_settings, stream),
               "");

enum { MAX_POOL_THREADS = 1000 };

static uint64_t smallest(const limit *what) {
  return what->at == offsetof(mcpi_main_settings, server.max_kept_bytes)
             ? MCPI_MIN_KEPT_BYTES
             : 1;
}

static uint64_t largest(const limit *what) {
  if (what->at == offsetof(mcpi_main_settings, server.max_depth)) {
    return MCPI_JSON_MAX_DEPTH;
  }
  if (what->at == offsetof(mcpi_main_settings, loop.pool_threads)) {
    return MAX_POOL_THREADS;
  }
  return what->size == sizeof(uint32_t) ? UINT32_MAX : SIZE_MAX;
}

static void store(mcpi_main_settings *settings, size_t at, size_t size,
                  uint64_t number) {
  char *to = (char *)settings + at;
  uint32_t small = (uint32_t)number;
  memcpy(to, size == sizeof(small) ? (void *)&small : (void *)&number, size);
}

static int on_limit(const mcp_main_option *option, const char *value,
                    void *userdata) {
  const mcpi_main_limit *self = userdata;
  const limit *what = &limits[self->index];
  uint64_t least = smallest(what);
  uint64_t most = largest(what);
  char *end = NULL;
  errno = 0;
  unsigned long long number = strtoull(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
      number < least || number > most) {
    fprintf(stderr, "%s: --%s: \"%s\" is not a number from %llu to %llu\n",
            self->settings->program, option->name, value,
            (unsigned long long)least, (unsigned long long)most);
    return -1;
  }
  store(self->settings, what->at, what->size, number);
  if (what->also_at != 0) {
    store(self->settings, what->also_at, what->size, number);
  }
  return 0;
}

void mcpi_main_limit_options(mcp_main_option *out,
                             mcpi_main_settings *settings) {
  for (uint32_t i = 0; i < MCPI_MAIN_LIMIT_COUNT; i++) {
    settings->limits[i] = (mcpi_main_limit){settings, i};
    out[i] = (mcp_main_option){.name = limits[i].option,
                               .value_name = "N",
                               .description = limits[i].description,
                               .on_value = on_limit,
                               .userdata = &settings->limits[i]};
  }
}

/* The number that was given for a limit; 0: none was. */
static uint64_t given_number(const void *from, size_t size) {
  uint32_t small = 0;
  uint64_t number = 0;
  memcpy(size == sizeof(small) ? (void *)&small : (void *)&number, from, size);
  return size == sizeof(small) ? small : number;
}

/* The transports (MCP_MAIN_*) of the structure that has the member. */
static uint32_t transports_at(size_t at) {
  if (at >= offsetof(mcpi_main_settings, socket)) {
    return MCP_MAIN_TCP | MCP_MAIN_UNIX; /* and `stream`, which follows it */
  }
  return at >= offsetof(mcpi_main_settings, server) ? MCPI_MAIN_ALL
                                                    : MCP_MAIN_HTTP;
}

const char *mcpi_main_find_unused_limit(const mcpi_main_settings *settings,
                                        uint32_t served, uint32_t *transports) {
  for (size_t i = 0; i < MCPI_MAIN_LIMIT_COUNT; i++) {
    const limit *what = &limits[i];
    uint32_t all = transports_at(what->at);
    if (what->also_at != 0) {
      all |= transports_at(what->also_at);
    }
    if ((all & served) == 0 &&
        given_number((const char *)settings + what->at, what->size) != 0) {
      *transports = all;
      return what->option;
    }
  }
  return NULL;
}

/* Puts the numbers that were given for a member of the settings, a structure of
 * `size` bytes at `first`, into another structure of its type. */
static void put_given(const mcpi_main_settings *settings, size_t first,
                      size_t size, void *out) {
  for (size_t i = 0; i < (size_t)2 * MCPI_MAIN_LIMIT_COUNT; i++) {
    const limit *what = &limits[i / 2];
    size_t at = i % 2 == 0 ? what->at : what->also_at;
    const char *from = (const char *)settings + at;
    if (at >= first && at - first < size &&
        given_number(from, what->size) != 0) {
      memcpy((char *)out + (at - first), from, what->size);
    }
  }
}

/* A message that is let in must have room to be kept. */
static void keep_longer_messages(const mcp_limits *given, mcp_limits *out) {
  if (given->max_kept_bytes == 0 && out->max_kept_bytes < given->max_message) {
    out->max_kept_bytes = given->max_message;
  }
}

void mcpi_main_limit_server(const mcpi_main_settings *settings,
                            mcp_limits *out) {
  put_given(settings, offsetof(mcpi_main_settings, server), sizeof(*out), out);
  keep_longer_messages(&settings->server, out);
}

void mcpi_main_limit_loop(const mcpi_main_settings *settings,
                          mcp_loop_options *out) {
  put_given(settings, offsetof(mcpi_main_settings, loop), sizeof(*out), out);
}

void mcpi_main_limit_http(const mcpi_main_settings *settings,
                          mcpi_main_http *out) {
  put_given(settings, offsetof(mcpi_main_settings, listen), sizeof(out->listen),
            &out->listen);
  put_given(settings, offsetof(mcpi_main_settings, http), sizeof(out->endpoint),
            &out->endpoint);
}
