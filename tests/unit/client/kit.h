/* SPDX-License-Identifier: MIT */
/* What the tests of the client share: a client on one end of a memory pair on a
 * manual loop, and a server that says what the test says. What the client sends
 * is compared byte by byte. */
#ifndef MCP_TESTS_CLIENT_KIT_H
#define MCP_TESTS_CLIENT_KIT_H

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/known.h"
#include "support/revisions.h"
#include <mcp/client.h>
#include <mcp/server.h>
#include <mcp/transport.h>
#include <mcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a request ended, and how often. */
typedef struct ending {
  int count;
  int status;
  int was_sent;
  char message[MCP_ERROR_TEXT_SIZE];
  char result[4096]; /* JSON text; empty: none */
  char data[512];
} ending;

typedef struct kit {
  mcp_loop *loop;
  mcp_client *client;
  const char *roots;    /* of clients that are made anew; NULL: none */
  mcp_transport *far;   /* the server's end */
  mcp_transport *inner; /* the client's, without what is around it */
  int64_t now_ms;
  uint32_t dialect; /* what the server speaks */
  char got[131072]; /* from the client: lines */
  char log[4096];   /* the calls of the handlers */
  ending connected;
  ending endings[8]; /* of the test: what is pending ends with the kit */
  size_t ending_count;
  mcp_question *question; /* the last one that was asked */
  int question_count;
  mcp_result *kept; /* by the test; freed with the kit */
} kit;

#define META_FOR(capabilities)                                                 \
  "\"io.modelcontextprotocol/protocolVersion\":\"" NEWEST_REVISION "\","       \
  "\"io.modelcontextprotocol/clientCapabilities\":" capabilities ","           \
  "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":\"1\"}"
#define PROBE_FOR(id, capabilities)                                            \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"server/discover\","         \
  "\"params\":{\"_meta\":{" META_FOR(capabilities) "}}}"
#define PROBE PROBE_FOR("1", "{}")
#define INITIALIZE_FOR(id, version, capabilities)                              \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"initialize\",\"params\":{"  \
  "\"protocolVersion\":\"" version "\",\"capabilities\":" capabilities ","     \
  "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"
#define INITIALIZE(id, version) INITIALIZE_FOR(id, version, "{}")
#define INITIALIZED                                                            \
  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define SERVER_CAN                                                             \
  "{\"tools\":{\"listChanged\":true},\"prompts\":{},\"resources\":"            \
  "{\"subscribe\":true},\"completions\":{},\"logging\":{}}"
#define RESULT(id, json)                                                       \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" json "}"
#define ERROR(id, code, data)                                                  \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code               \
  ",\"message\":\"no\"" data "}}"
#define HELLO_MODERN(id)                                                       \
  RESULT(id, "{\"resultType\":\"complete\",\"supportedVersions\":"             \
             "[" MODERN_NAMES "],\"capabilities\":" SERVER_CAN                 \
             ",\"instructions\":\"be kind\",\"ttlMs\":0,\"cacheScope\":"       \
             "\"private\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"  \
             "{\"name\":\"s\",\"version\":\"2\"}}}")
#define HELLO_LEGACY(id, version)                                              \
  RESULT(id,                                                                   \
         "{\"protocolVersion\":\"" version "\",\"capabilities\":" SERVER_CAN   \
         ",\"serverInfo\":{\"name\":\"s\",\"version\":\"2\"},"                 \
         "\"instructions\":\"be kind\"}")
#define REQUEST(id, method, params)                                            \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method                    \
  "\",\"params\":" params "}"
#define NOTE(method, params)                                                   \
  "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}"

/* --- noting what happened ----------------------------------------------- */

static inline void put_json(const mcp_json *value, char *out, size_t size) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_value(builder, NULL, value);
  snprintf(out, size, "%s", mcp_builder_text(builder, NULL));
  mcp_builder_free(builder);
}

static inline void on_done(mcp_client *client, const mcp_outcome *outcome,
                           void *userdata) {
  ending *e = userdata;
  e->count++;
  e->status = outcome->status;
  e->was_sent = outcome->was_sent;
  assert_int_equal(outcome->error->code, outcome->status);
  assert_true((outcome->result != NULL) == (outcome->status == 0));
  snprintf(e->message, sizeof(e->message), "%s", outcome->error->message);
  e->result[0] = '\0';
  e->data[0] = '\0';
  if (outcome->result != NULL) {
    put_json(mcp_result_json(outcome->result), e->result, sizeof(e->result));
  }
  if (outcome->error_data != NULL) {
    put_json(outcome->error_data, e->data, sizeof(e->data));
  }
}

static inline ending *new_ending(kit *k) {
  assert_true(k->ending_count < sizeof(k->endings) / sizeof(k->endings[0]));
  return &k->endings[k->ending_count++];
}

static inline void note(kit *k, const char *what, const char *detail) {
  size_t used = strlen(k->log);
  snprintf(k->log + used, sizeof(k->log) - used, "%s %s\n", what, detail);
}

static inline void log_message(mcp_client *client, int level,
                               const char *logger, const mcp_json *data,
                               void *userdata) {
  char text[256];
  char json[128];
  put_json(data, json, sizeof(json));
  snprintf(text, sizeof(text), "%d %s %s", level, logger ? logger : "-", json);
  note(userdata, "log", text);
}

static inline void log_list(mcp_client *client, const char *list,
                            void *userdata) {
  note(userdata, "changed", list);
}

static inline void log_updated(mcp_client *client, const char *uri,
                               void *userdata) {
  note(userdata, "updated", uri);
}

static inline void log_elicited(mcp_client *client, const char *id,
                                void *userdata) {
  note(userdata, "elicited", id);
}

static inline void log_other(mcp_client *client, const char *method,
                             const mcp_json *params, void *userdata) {
  char text[512];
  char json[256];
  put_json(params, json, sizeof(json));
  snprintf(text, sizeof(text), "%s %s", method, json);
  note(userdata, "other", text);
}

static inline void log_error(mcp_client *client, const mcp_error *err,
                             void *userdata) {
  note(userdata, "error", err->message);
}

static inline void log_closed(mcp_client *client, const mcp_error *err,
                              void *userdata) {
  note(userdata, "closed", mcp_error_name(err->code));
}

static inline void keep_question(mcp_question *question, void *userdata) {
  kit *k = userdata;
  k->question = question;
  k->question_count++;
}

static inline mcp_client_options options_of(kit *k) {
  return (mcp_client_options){.size = sizeof(mcp_client_options),
                              .userdata = k,
                              .on_log = log_message,
                              .on_list_changed = log_list,
                              .on_resource_updated = log_updated,
                              .on_elicitation_complete = log_elicited,
                              .on_notification = log_other,
                              .on_error = log_error,
                              .on_closed = log_closed};
}

/* --- the server's end --------------------------------------------------- */

static inline void far_message(mcp_transport *far, const char *message,
                               size_t len) {
  kit *k = far->owner;
  size_t used = strlen(k->got);
  assert_true(used + len + 2 < sizeof(k->got));
  memcpy(k->got + used, message, len);
  memcpy(k->got + used + len, "\n", 2);
}

static inline void far_error(mcp_transport *far, const mcp_error *err) {
}

static inline void far_close(mcp_transport *far, const mcp_error *err) {
}

/* --- the kit ------------------------------------------------------------ */

static inline int kit_init(kit *k, const mcp_allocator *allocator) {
  memset(k, 0, sizeof(*k));
  k->now_ms = 1000;
  k->loop = mcp_loop_new_manual(NULL, allocator, NULL);
  if (k->loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcp_loop_advance(k->loop, k->now_ms, 0);
  k->client = mcp_client_new(k->loop, "c", "1", NULL, NULL);
  return k->client != NULL ? 0 : MCP_ERR_NOMEM;
}

/* A client with other options in the place of the kit's. */
static inline int kit_remake(kit *k, const mcp_client_options *options,
                             mcp_error *err) {
  mcp_client_free(k->client);
  k->client = mcp_client_new(k->loop, "c", "1", options, err);
  if (k->client == NULL) {
    return err->code;
  }
  return k->roots != NULL ? mcp_client_set_roots(k->client, k->roots, err) : 0;
}

/* Until nothing is left to do now. */
static inline void turn(kit *k) {
  for (int i = 0; i < 20; i++) {
    mcp_loop_advance(k->loop, k->now_ms, 0);
  }
}

static inline void pass(kit *k, int64_t ms) {
  turn(k);
  k->now_ms += ms;
  turn(k);
}

static inline void kit_deinit(kit *k) {
  mcp_result_unref(k->kept);
  mcp_client_free(k->client);
  if (k->loop != NULL) {
    turn(k);
  }
  mcp_transport_free(k->far);
  mcp_loop_free(k->loop);
}

/* The memory pair's `send`, behind a check of what the client says of what it
 * sends. */
static int (*pair_send)(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info);

static inline int send_known(mcp_transport *transport, const char *message,
                             size_t len, const mcp_send_info *info) {
  assert_known(message, len, info);
  return pair_send(transport, message, len, info);
}

static inline int connect_pair(kit *k) {
  mcp_transport *near;
  mcp_error err;
  int rc = mcp_memory_pair(k->loop, &near, &k->far, NULL);
  if (rc != 0) {
    return rc;
  }
  k->far->owner = k;
  k->far->on_message = far_message;
  k->far->on_error = far_error;
  k->far->on_close = far_close;
  k->far->start(k->far, &err);
  k->inner = near;
  pair_send = near->send;
  near->send = send_known;
  near = mcp_transport_dialect(k->loop, near, k->dialect, 0, NULL);
  if (near == NULL) {
    return MCP_ERR_NOMEM;
  }
  return mcp_client_connect(k->client, near, on_done, &k->connected, &err);
}

/* The server says so. */
static inline void say(kit *k, const char *message) {
  const mcp_send_info info = {.size = sizeof(info)};
  assert_int_equal(k->far->send(k->far, message, strlen(message), &info), 0);
  turn(k);
}

/* The client's next message is this one. */
static inline void expect_at(kit *k, const char *message, const char *file,
                             int line) {
  turn(k);
  char *end = strchr(k->got, '\n');
  if (end == NULL) {
    print_error("nothing came, expected %s\n", message);
    _fail(file, line);
    return;
  }
  *end = '\0';
  if (strcmp(k->got, message) != 0) {
    print_error("got      %s\nexpected %s\n", k->got, message);
    _fail(file, line);
  }
  memmove(k->got, end + 1, strlen(end + 1) + 1);
}
#define expect(k, message) expect_at(k, message, __FILE__, __LINE__)

/* Expects that no further message comes. */
static inline void expect_nothing(kit *k) {
  turn(k);
  assert_string_equal(k->got, "");
}

static inline void expect_log(kit *k, const char *log) {
  turn(k);
  assert_string_equal(k->log, log);
  k->log[0] = '\0';
}

static inline void connect_with(kit *k, const mcp_client_options *options) {
  mcp_error err = {0};
  int rc = kit_remake(k, options, &err);
  if (rc != 0) {
    print_error("%s\n", err.message);
  }
  assert_int_equal(rc, 0);
  assert_int_equal(connect_pair(k), 0);
}

/* Connected to a modern server: request 1 is over. `capabilities` is what the
 * client declares. */
#define connect_modern_as(k, options, capabilities)                            \
  do {                                                                         \
    connect_with(k, options);                                                  \
    expect(k, PROBE_FOR("1", capabilities));                                   \
    say(k, HELLO_MODERN("1"));                                                 \
    assert_int_equal((k)->connected.count, 1);                                 \
    assert_int_equal((k)->connected.status, 0);                                \
  } while (0)

static inline void connect_modern(kit *k) {
  mcp_client_options options = options_of(k);
  connect_modern_as(k, &options, "{}");
}

/* Likewise, to a server of a legacy revision. */
#define connect_legacy_as(k, options, version, capabilities)                   \
  do {                                                                         \
    (options)->revision = version;                                             \
    connect_with(k, options);                                                  \
    expect(k, INITIALIZE_FOR("1", version, capabilities));                     \
    say(k, HELLO_LEGACY("1", version));                                        \
    expect(k, INITIALIZED);                                                    \
    assert_int_equal((k)->connected.count, 1);                                 \
    assert_int_equal((k)->connected.status, 0);                                \
  } while (0)

#define connect_legacy(k, version)                                             \
  do {                                                                         \
    mcp_client_options options_ = options_of(k);                               \
    connect_legacy_as(k, &options_, version, "{}");                            \
  } while (0)

static inline int kit_setup(void **state) {
  kit *k = calloc(1, sizeof(*k));
  *state = k;
  return kit_init(k, NULL);
}

static inline int kit_teardown(void **state) {
  kit_deinit(*state);
  free(*state);
  return 0;
}

/* Likewise, and its allocations are counted. */
static failing_alloc kit_alloc;

static inline int kit_counted_setup(void **state) {
  kit *k = calloc(1, sizeof(*k));
  *state = k;
  failing_alloc_init(&kit_alloc);
  return kit_init(k, &kit_alloc.allocator);
}

static inline int kit_counted_teardown(void **state) {
  kit_deinit(*state);
  free(*state);
  return kit_alloc.live_blocks != 0;
}

#define KIT_COUNTED_TEST(name)                                                 \
  TEST_WITH(name, kit_counted_setup, kit_counted_teardown)

#define KIT_TEST(name) TEST_WITH(name, kit_setup, kit_teardown)

#endif
