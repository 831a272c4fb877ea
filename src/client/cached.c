/* SPDX-License-Identifier: MIT */
#include "client/cached.h"

/* Writes all that the answer may depend on. Our JSON has no line breaks. The
 * key is empty when out of memory. */
static mcpi_str write_key(const mcpi_request *request) {
  mcpi_buf *buf = &request->client->scratch;
  const mcpi_request_bufs *bufs = &request->bufs;
  mcpi_buf_clear(buf);
  mcpi_buf_puts(buf, request->method);
  mcpi_buf_putc(buf, '\n');
  mcpi_buf_put(buf, bufs->params.data, bufs->params.len);
  mcpi_buf_putc(buf, '\n');
  mcpi_buf_put(buf, bufs->meta.data, bufs->meta.len);
  return mcpi_str_n(buf->data, buf->error == 0 ? buf->len : 0);
}

/* Answers to another user are not answers to this one. */
static void cached_check_identity(mcp_client *client) {
  uint64_t identity = mcpi_transport_identity(client->link.transport);
  if (identity != client->cache_identity) {
    client->cache_identity = identity;
    mcpi_cache_clear(&client->cache);
  }
}

void mcpi_cached_allow(mcpi_request *request) {
  mcp_client *client = request->client;
  cached_check_identity(client);
  request->cached.is_allowed =
      mcpi_client_is_modern(client) && !client->options.skip_cache;
  request->cached.fresh_until_ms = INT64_MAX;
  request->cached.drops = client->cache.drops;
}

static void cached_hand_out(mcpi_request *request) {
  mcp_result *result = request->cached.result;
  request->cached.result = NULL;
  mcpi_request_succeed(request, result);
}

/* The answer comes in a later turn of the loop, as if the server had sent it.
 * Otherwise a completion that asks again and again would block the loop. */
int mcpi_cached_answer(mcpi_request *request) {
  mcp_client *client = request->client;
  cached_check_identity(client);
  if (!request->cached.is_allowed || request->cached.wants_fresh ||
      client->cache.by_key.count == 0) {
    return 0;
  }
  mcp_result *result = mcpi_cache_get(&client->cache, write_key(request),
                                      mcpi_loop_now(client->loop));
  request->on_due = cached_hand_out;
  if (result == NULL ||
      mcpi_loop_start_timer(client->loop, &request->timer, 0) != 0) {
    return 0;
  }
  request->state = MCPI_REQUEST_PARKED;
  request->cached.result = mcp_result_ref(result);
  return 1;
}

/* Reads ttlMs. In the result type of an extension the member may mean something
 * else. */
static int64_t ttl_of(const mcp_json *json) {
  const mcp_json *type = mcp_json_get(json, "resultType");
  int64_t ttl_ms;
  if (type != NULL && !mcpi_str_eq(mcpi_json_str(type), MCPI_STR("complete"))) {
    return 0;
  }
  return mcp_json_try_int(mcp_json_get(json, "ttlMs"), &ttl_ms) == 0 ? ttl_ms
                                                                     : 0;
}

/* A list is as fresh as the page that expires first. */
void mcpi_cached_note(mcpi_request *request, const mcp_json *json) {
  mcpi_request_cached *cached = &request->cached;
  if (!cached->is_allowed) {
    return;
  }
  int64_t ttl_ms = ttl_of(json);
  if (ttl_ms <= 0) {
    cached->fresh_until_ms = 0;
    return;
  }
  int64_t now_ms = mcpi_loop_now(request->client->loop);
  int64_t until_ms = ttl_ms < INT64_MAX - now_ms ? now_ms + ttl_ms : INT64_MAX;
  if (until_ms < cached->fresh_until_ms) {
    cached->fresh_until_ms = until_ms;
  }
}

void mcpi_cached_forbid(mcpi_request *request) {
  request->cached.fresh_until_ms = 0;
}

/* Keeps an answer unless a change came after the request: the answer may not
 * show that change. It replaces an older answer. */
void mcpi_cached_keep(mcpi_request *request, mcp_result *result) {
  mcp_client *client = request->client;
  const mcpi_request_cached *cached = &request->cached;
  cached_check_identity(client);
  int is_kept =
      cached->fresh_until_ms > 0 && cached->drops == client->cache.drops;
  if (!cached->is_allowed || (!is_kept && client->cache.by_key.count == 0)) {
    return;
  }
  mcpi_str key = write_key(request);
  mcpi_cache_drop(&client->cache, key);
  if (is_kept && key.len > 0) {
    mcpi_cache_put(&client->cache, key, result, cached->fresh_until_ms,
                   client->options.max_cache);
  }
}
