/* SPDX-License-Identifier: MIT */
#include "support/server_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(server_pair *pair, const char *bytes, size_t len) {
  if (pair->len + len + 1 > pair->cap) {
    pair->cap = 2 * (pair->len + len + 1);
    pair->text = realloc(pair->text, pair->cap);
    if (pair->text == NULL) {
      abort();
    }
  }
  memcpy(pair->text + pair->len, bytes, len);
  pair->len += len;
  pair->text[pair->len] = '\0';
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  server_pair *pair = transport->owner;
  if (pair->len > 0) {
    append(pair, "\n", 1);
  }
  append(pair, message, len);
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  server_pair *pair = transport->owner;
  (void)err;
  pair->lost = 1;
}

static void forget(server_pair *pair) {
  pair->len = 0;
  append(pair, "", 0);
}

int server_pair_init(server_pair *pair, const mcp_server_options *options,
                     const mcp_allocator *allocator) {
  mcp_server_options all = {.size = sizeof(mcp_server_options)};
  memset(pair, 0, sizeof(*pair));
  if (options != NULL) {
    all = *options;
  }
  all.allocator = allocator;
  forget(pair);
  pair->loop = mcp_loop_new_manual(NULL, allocator, NULL);
  pair->server = mcp_server_new("test", "1", &all, NULL);
  if (pair->loop == NULL || pair->server == NULL) {
    server_pair_deinit(pair);
    return MCP_ERR_NOMEM;
  }
  return 0;
}

const char *server_pair_turn(server_pair *pair) {
  size_t before;
  int quiet = 0;
  do {
    before = pair->len;
    mcp_loop_advance(pair->loop, 1000, 1000);
    quiet = pair->len == before ? quiet + 1 : 0;
  } while (quiet < 4);
  return pair->text;
}

const char *server_pair_send(server_pair *pair, const char *message) {
  forget(pair);
  if (!pair->lost) {
    pair->client->send(pair->client, message, strlen(message), NULL);
  }
  return server_pair_turn(pair);
}

const char *server_pair_ask(server_pair *pair, const char *method,
                            const char *params) {
  size_t size = strlen(method) + strlen(params) + sizeof(PAIR_META) + 100;
  char *message = malloc(size);
  if (message == NULL) {
    abort();
  }
  pair->next_id++;
  if (pair->revision == NULL) {
    snprintf(message, size,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s"
             "%s" PAIR_META "}}",
             pair->next_id, method, params, params[0] != '\0' ? "," : "");
  } else {
    snprintf(message, size,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\","
             "\"params\":{%s}}",
             pair->next_id, method, params);
  }
  const char *text = server_pair_send(pair, message);
  free(message);
  return text;
}

static int initialize(server_pair *pair, const char *revision) {
  char message[300];
  snprintf(message, sizeof(message),
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
           "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{"
           "\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
           "\"name\":\"c\",\"version\":\"2\"}}}",
           revision);
  const char *answer = server_pair_send(pair, message);
  if (strstr(answer, "\"result\"") == NULL) {
    return MCP_ERR_NOMEM;
  }
  server_pair_send(
      pair, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  return pair->lost ? MCP_ERR_NOMEM : 0;
}

int server_pair_connect(server_pair *pair, const char *revision) {
  mcp_transport *end;
  int rc = mcp_memory_pair(pair->loop, &end, &pair->client, NULL);
  if (rc != 0) {
    return rc;
  }
  pair->revision = revision;
  pair->client->owner = pair;
  pair->client->on_message = on_message;
  pair->client->on_error = on_error;
  pair->client->on_close = on_close;
  rc = pair->client->start(pair->client, NULL);
  if (rc == 0) {
    rc = mcp_server_connect(pair->server, pair->loop, end, NULL, NULL, NULL);
  } else {
    mcp_transport_free(end);
  }
  return rc == 0 && revision != NULL ? initialize(pair, revision) : rc;
}

void server_pair_deinit(server_pair *pair) {
  mcp_server_free(pair->server);
  if (pair->loop != NULL) {
    server_pair_turn(pair);
  }
  mcp_transport_free(pair->client);
  mcp_loop_free(pair->loop);
  free(pair->text);
}
