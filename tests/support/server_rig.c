/* SPDX-License-Identifier: MIT */
#include "support/server_rig.h"

#include "support/cm.h"
#include "support/revisions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- texts -------------------------------------------------------------- */

void rig_text_put(rig_text *text, const char *bytes, size_t len) {
  if (text->len + len + 1 > text->cap) {
    text->cap = 2 * (text->len + len + 1);
    text->bytes = realloc(text->bytes, text->cap);
    if (text->bytes == NULL) {
      abort();
    }
  }
  if (len > 0) {
    memcpy(text->bytes + text->len, bytes, len);
  }
  text->len += len;
  text->bytes[text->len] = '\0';
}

static void put_line(rig_text *text, const char *bytes, size_t len) {
  if (text->len > 0) {
    rig_text_put(text, "\n", 1);
  }
  rig_text_put(text, bytes, len);
}

void rig_text_puts(rig_text *text, const char *string) {
  rig_text_put(text, string, strlen(string));
}

static const char info[] = "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
                           "{\"name\":\"test\",\"version\":\"1\"}}";

/* Bytes of the object that text begins with. */
static size_t object_len(const char *text) {
  size_t len = 0;
  int depth = 0;
  do {
    depth += text[len] == '{' ? 1 : text[len] == '}' ? -1 : 0;
    len++;
  } while (depth > 0);
  return len;
}

static void put_quoted(rig_text *text, const char *marked, size_t len) {
  for (size_t i = 0; i < len; i++) {
    rig_text_put(text, marked[i] == '\'' ? "\"" : &marked[i], 1);
  }
}

static const char *put_mark(rig_text *text, const char *marked) {
  switch (marked[0]) {
  case 'J':
    rig_text_puts(text, "\"jsonrpc\":\"2.0\"");
    return marked + 1;
  case 'I':
    rig_text_puts(text, info);
    return marked + 1;
  case 'C':
    rig_text_puts(text, "\"resultType\":\"complete\",");
    rig_text_puts(text, info);
    return marked + 1;
  default: /* 'M' */
    rig_text_puts(text,
                  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                  "\"" NEWEST_REVISION "\",\"io.modelcontextprotocol/"
                  "clientCapabilities\":");
    size_t len = object_len(marked + 1);
    put_quoted(text, marked + 1, len);
    rig_text_puts(text, "}");
    return marked + 1 + len;
  }
}

char *rig_expand(const char *marked) {
  rig_text text = {0};
  rig_text_put(&text, "", 0);
  while (*marked != '\0') {
    if (*marked == '$') {
      marked = put_mark(&text, marked + 1);
    } else {
      put_quoted(&text, marked, 1);
      marked++;
    }
  }
  return text.bytes;
}

void rig_text_clear(rig_text *text) {
  text->len = 0;
  text->bytes[0] = '\0';
}

void rig_text_expect(rig_text *text, const char *file, int line,
                     const char *expected) {
  char *all = rig_expand(expected);
  if (strcmp(all, text->bytes) != 0) {
    print_error("expected: %s\ncame:     %s\n", all, text->bytes);
    free(all);
    _fail(file, line);
    return;
  }
  free(all);
  rig_text_clear(text);
}

/* --- the platform ------------------------------------------------------- */

static void on_clock(void *userdata, int64_t *now_ms, int64_t *wall_ms) {
  const server_rig *rig = userdata;
  if (now_ms != NULL) {
    *now_ms = rig->now_ms;
  }
  if (wall_ms != NULL) {
    *wall_ms = rig->wall_ms;
  }
}

static int on_random(void *userdata, void *bytes, size_t len) {
  const server_rig *rig = userdata;
  for (size_t i = 0; i < len; i++) {
    ((uint8_t *)bytes)[i] =
        (uint8_t)(rig->seed + i + (i == 1 ? rig->seed >> 6u : 0));
  }
  return 0;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t len) {
  for (size_t i = 0; i < len; i++) {
    hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

/* A toy: the text in the clear, inverted, behind a checksum of everything. */
static void make_tag(const uint8_t *key, const void *bound, size_t bound_len,
                     const uint8_t *text, size_t len,
                     uint8_t tag[MCP_SEAL_OVERHEAD]) {
  uint64_t hash = mix(UINT64_C(14695981039346656037), key, MCP_SEAL_KEY_SIZE);
  hash = mix(hash, bound, bound_len);
  hash = mix(hash, text, len);
  memset(tag, 0, MCP_SEAL_OVERHEAD);
  memcpy(tag, &hash, sizeof(hash));
}

static int on_seal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                   const void *bound, size_t bound_len, const void *text,
                   size_t len, uint8_t *out) {
  make_tag(key, bound, bound_len, text, len, out);
  for (size_t i = 0; i < len; i++) {
    out[MCP_SEAL_OVERHEAD + i] = (uint8_t) ~((const uint8_t *)text)[i];
  }
  return 0;
}

static int on_unseal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                     const void *bound, size_t bound_len, const void *sealed,
                     size_t len, uint8_t *out) {
  uint8_t tag[MCP_SEAL_OVERHEAD];
  const uint8_t *from = (const uint8_t *)sealed + MCP_SEAL_OVERHEAD;
  len -= MCP_SEAL_OVERHEAD;
  for (size_t i = 0; i < len; i++) {
    out[i] = (uint8_t)~from[i];
  }
  make_tag(key, bound, bound_len, out, len, tag);
  return memcmp(tag, sealed, sizeof(tag)) == 0 ? 0 : MCP_ERR_SEAL;
}

static int on_run_blocking(void *userdata, void (*work)(void *argument),
                           void *argument) {
  server_rig *rig = userdata;
  if (rig->refuses_work || rig->work != NULL) {
    return MCP_ERR_BUSY;
  }
  rig->work = work;
  rig->work_argument = argument;
  return 0;
}

/* --- the rig ------------------------------------------------------------ */

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  server_rig *rig = userdata;
  put_line(&rig->reports, err->message, strlen(err->message));
}

static mcp_server *make_server(server_rig *rig,
                               const mcp_server_options *options,
                               const mcp_allocator *allocator) {
  mcp_server_options all = {.size = sizeof(mcp_server_options)};
  if (options != NULL) {
    all = *options;
  }
  all.allocator = allocator;
  if (all.on_report == NULL && all.userdata == NULL) {
    all.on_report = on_report;
    all.userdata = rig;
  }
  return mcp_server_new("test", "1", &all, NULL);
}

int rig_init(server_rig *rig, const mcp_server_options *options,
             const mcp_allocator *allocator) {
  memset(rig, 0, sizeof(*rig));
  rig->now_ms = 1000;
  rig->wall_ms = 1000000;
  rig->platform = (mcp_platform){.size = sizeof(mcp_platform),
                                 .userdata = rig,
                                 .clock = on_clock,
                                 .random = on_random,
                                 .seal = on_seal,
                                 .unseal = on_unseal,
                                 .run_blocking = on_run_blocking};
  rig_text_put(&rig->reports, "", 0);
  rig->loop = mcp_loop_new_manual(&rig->platform, allocator, NULL);
  rig->server = make_server(rig, options, allocator);
  if (rig->loop == NULL || rig->server == NULL) {
    rig_deinit(rig);
    return MCP_ERR_NOMEM;
  }
  return 0;
}

void rig_turn(server_rig *rig) {
  do {
    mcp_loop_advance(rig->loop, rig->now_ms, rig->wall_ms);
  } while (mcp_loop_next_deadline(rig->loop) <= rig->now_ms);
}

void rig_pass(server_rig *rig, int64_t ms) {
  rig->now_ms += ms;
  rig->wall_ms += ms;
  rig_turn(rig);
}

void rig_work(server_rig *rig) {
  void (*work)(void *argument) = rig->work;
  rig->work = NULL;
  work(rig->work_argument);
  rig_turn(rig);
}

void rig_deinit(server_rig *rig) {
  mcp_server_free(rig->server);
  rig->server = NULL;
  if (rig->loop != NULL) {
    rig_turn(rig);
    mcp_loop_free(rig->loop);
    rig->loop = NULL;
  }
  free(rig->reports.bytes);
  memset(&rig->reports, 0, sizeof(rig->reports));
}

/* --- wires -------------------------------------------------------------- */

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  rig_wire *wire = transport->owner;
  put_line(&wire->text, message, len);
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  rig_wire *wire = transport->owner;
  wire->is_closed = 1;
}

static void on_ended(mcp_connection *connection, const mcp_error *err,
                     void *userdata) {
  rig_wire *wire = userdata;
  wire->connection = NULL;
  wire->server_end = NULL;
  wire->close_count++;
}

int wire_begin(rig_wire *wire, server_rig *rig) {
  memset(wire, 0, sizeof(*wire));
  wire->rig = rig;
  rig_text_put(&wire->text, "", 0);
  int rc = mcp_memory_pair(rig->loop, &wire->server_end, &wire->end, NULL);
  if (rc == 0) {
    wire->end->owner = wire;
    wire->end->on_message = on_message;
    wire->end->on_error = on_error;
    wire->end->on_close = on_close;
    wire->end->start(wire->end, NULL);
  }
  return rc;
}

int wire_connect(rig_wire *wire, server_rig *rig,
                 const mcp_connection_options *options) {
  mcp_connection_options all = {.size = sizeof(mcp_connection_options)};
  int rc = wire_begin(wire, rig);
  if (rc != 0) {
    return rc;
  }
  wire->server_end =
      mcp_transport_dialect(rig->loop, wire->server_end, rig->dialect, 1, NULL);
  if (wire->server_end == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (options != NULL) {
    all = *options;
  }
  all.on_closed = on_ended;
  all.userdata = wire;
  return mcp_server_connect(rig->server, rig->loop, wire->server_end, &all,
                            &wire->connection, NULL);
}

void wire_deinit(rig_wire *wire) {
  mcp_transport_free(wire->end);
  free(wire->text.bytes);
  memset(wire, 0, sizeof(*wire));
}

int wire_send(rig_wire *wire, const char *message) {
  const mcp_send_info send_info = {.size = sizeof(send_info)};
  char *text = rig_expand(message);
  int rc = wire->end->send(wire->end, text, strlen(text), &send_info);
  free(text);
  return rc;
}

void wire_forget(rig_wire *wire) {
  rig_text_clear(&wire->text);
}

void wire_expect(rig_wire *wire, const char *file, int line,
                 const char *expected) {
  rig_text_expect(&wire->text, file, line, expected);
}

void wire_initialize(rig_wire *wire, const char *revision,
                     const char *capabilities) {
  char message[1024];
  snprintf(message, sizeof(message),
           "{$J,'id':0,'method':'initialize','params':{'protocolVersion':'%s',"
           "'capabilities':%s,'clientInfo':{'name':'c','version':'2'}}}",
           revision, capabilities);
  wire_send(wire, message);
  wire_send(wire, "{$J,'method':'notifications/initialized'}");
  rig_turn(wire->rig);
  wire_forget(wire);
}
