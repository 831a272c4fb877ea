/* SPDX-License-Identifier: MIT */
/* Answers that the server lets us keep. */
#include "client/cache.h"

#include "client/request.h"
#include "client/result.h"

enum {
  /* Lists are five at most; the rest are resources. */
  MAX_ENTRIES = 256
};

typedef struct cache_entry {
  mcpi_list link; /* in cache->by_use */
  mcp_result *result;
  int64_t until_ms;
  size_t bytes;
  size_t key_len;
  char key[];
} cache_entry;

/* --- entries -------------------------------------------------------------- */

static mcpi_str key_of(const cache_entry *entry) {
  return mcpi_str_n(entry->key, entry->key_len);
}

static void drop(mcp_client *client, cache_entry *entry) {
  if (entry != NULL) {
    client->cache.bytes -= entry->bytes;
    mcpi_map_remove(&client->cache.by_key, key_of(entry));
    mcpi_list_remove(&entry->link);
    mcp_result_unref(entry->result);
    mcpi_free(&client->loop->allocator, entry, sizeof(*entry) + entry->key_len);
  }
}

static cache_entry *oldest(const mcpi_cache *cache) {
  return MCPI_CONTAINER(cache->by_use.next, cache_entry, link);
}

static void make_room(mcp_client *client, size_t bytes) {
  mcpi_cache *cache = &client->cache;
  while (!mcpi_list_is_empty(&cache->by_use) &&
         (cache->by_key.count >= MAX_ENTRIES ||
          cache->bytes > client->options.max_cache - bytes)) {
    drop(client, oldest(cache));
  }
}

static void add(mcp_client *client, mcpi_str key, mcp_result *result,
                int64_t until_ms) {
  mcpi_cache *cache = &client->cache;
  const mcp_allocator *allocator = &client->loop->allocator;
  size_t size = sizeof(cache_entry) + key.len;
  size_t bytes = size + mcpi_result_size(result);
  if (bytes > client->options.max_cache) {
    return;
  }
  make_room(client, bytes);
  cache_entry *entry = mcpi_alloc(allocator, size);
  if (entry == NULL) {
    return;
  }
  *entry =
      (cache_entry){.until_ms = until_ms, .bytes = bytes, .key_len = key.len};
  memcpy(entry->key, key.ptr, key.len);
  if (mcpi_map_add(&cache->by_key, key_of(entry), entry) != 0) {
    mcpi_free(allocator, entry, size);
    return;
  }
  entry->result = mcp_result_ref(result);
  mcpi_list_append(&cache->by_use, &entry->link);
  cache->bytes += bytes;
}

/* --- a request ------------------------------------------------------------ */

/* All that the answer may depend on. JSON of ours has no line breaks. Empty
 * when out of memory. */
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

void mcpi_cache_allow(mcpi_request *request) {
  mcp_client *client = request->client;
  request->is_cacheable =
      mcpi_client_is_modern(client) && !client->options.no_cache;
  request->fresh_until_ms = INT64_MAX;
  request->cache_drops = client->cache.drops;
}

static void hand_out(mcpi_request *request) {
  mcp_result *result = request->kept;
  request->kept = NULL;
  mcpi_request_succeed(request, result);
}

/* From a later turn of the loop, as if it had come from the server: a
 * completion that asks again and again must not keep the loop from all else. */
static int hand_out_later(mcpi_request *request, mcp_result *result) {
  request->on_due = hand_out;
  if (mcpi_loop_start_timer(request->client->loop, &request->timer, 0) != 0) {
    return 0;
  }
  request->phase = MCPI_REQUEST_PARKED;
  request->kept = mcp_result_ref(result);
  return 1;
}

int mcpi_cache_answer(mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_cache *cache = &client->cache;
  if (!request->is_cacheable || request->wants_fresh ||
      cache->by_key.count == 0) {
    return 0;
  }
  cache_entry *entry = mcpi_map_get(&cache->by_key, write_key(request));
  if (entry == NULL) {
    return 0;
  }
  if (entry->until_ms <= mcpi_loop_now(client->loop)) {
    drop(client, entry);
    return 0;
  }
  mcpi_list_remove(&entry->link);
  mcpi_list_append(&cache->by_use, &entry->link);
  return hand_out_later(request, entry->result);
}

/* Of an extension's result type the member may mean anything. */
static int64_t ttl_of(const mcp_json *json) {
  const mcp_json *type = mcp_json_get(json, "resultType");
  int64_t ttl_ms;
  if (type != NULL && !mcpi_str_eq(mcpi_json_str(type), MCPI_STR("complete"))) {
    return 0;
  }
  return mcp_json_try_int(mcp_json_get(json, "ttlMs"), &ttl_ms) == 0 ? ttl_ms
                                                                     : 0;
}

/* A list is as fresh as its first page to grow stale. */
void mcpi_cache_note(mcpi_request *request, const mcp_json *json) {
  if (!request->is_cacheable) {
    return;
  }
  int64_t ttl_ms = ttl_of(json);
  if (ttl_ms <= 0) {
    request->fresh_until_ms = 0;
    return;
  }
  int64_t now_ms = mcpi_loop_now(request->client->loop);
  int64_t until_ms = ttl_ms < INT64_MAX - now_ms ? now_ms + ttl_ms : INT64_MAX;
  if (until_ms < request->fresh_until_ms) {
    request->fresh_until_ms = until_ms;
  }
}

/* An answer to our answers is for this once, and one from before a change may
 * not tell of it. */
static int is_worth_keeping(const mcpi_request *request) {
  return request->fresh_until_ms > 0 && request->round_count == 0 &&
         request->cache_drops == request->client->cache.drops;
}

/* What was kept before is older in any case. */
void mcpi_cache_keep(mcpi_request *request, mcp_result *result) {
  mcp_client *client = request->client;
  mcpi_cache *cache = &client->cache;
  int is_kept = is_worth_keeping(request);
  if (!request->is_cacheable || (!is_kept && cache->by_key.count == 0)) {
    return;
  }
  mcpi_str key = write_key(request);
  drop(client, mcpi_map_get(&cache->by_key, key));
  if (is_kept && key.len > 0) {
    add(client, key, result, request->fresh_until_ms);
  }
}

/* --- what has changed ----------------------------------------------------- */

static void drop_beginning_with(mcp_client *client, const mcpi_buf *prefix) {
  mcpi_list *link = client->cache.by_use.next;
  while (link != &client->cache.by_use) {
    cache_entry *entry = MCPI_CONTAINER(link, cache_entry, link);
    link = link->next;
    if (entry->key_len >= prefix->len &&
        memcmp(entry->key, prefix->data, prefix->len) == 0) {
      drop(client, entry);
    }
  }
}

static mcpi_buf *begin_drop(mcp_client *client, mcpi_method_id id) {
  mcpi_buf *prefix = &client->scratch;
  client->cache.drops++;
  mcpi_buf_clear(prefix);
  mcpi_buf_puts(prefix, mcpi_str_z(mcpi_methods[id].name));
  mcpi_buf_putc(prefix, '\n');
  return prefix;
}

static void end_drop(mcp_client *client, const mcpi_buf *prefix) {
  if (prefix->error != 0) {
    mcpi_cache_clear(client);
  } else {
    drop_beginning_with(client, prefix);
  }
}

void mcpi_cache_drop_all_of(mcp_client *client, mcpi_method_id id) {
  end_drop(client, begin_drop(client, id));
}

void mcpi_cache_drop_resource(mcp_client *client, mcpi_str uri) {
  mcpi_buf *prefix = begin_drop(client, MCPI_M_RESOURCES_READ);
  mcpi_buf_lit(prefix, "\"uri\":");
  mcpi_json_put_string(prefix, uri);
  mcpi_buf_putc(prefix, '\n');
  end_drop(client, prefix);
}

/* --- life ----------------------------------------------------------------- */

void mcpi_cache_init(mcp_client *client) {
  mcpi_map_init(&client->cache.by_key, &client->loop->allocator,
                client->loop->hash_seed);
  mcpi_list_init(&client->cache.by_use);
}

void mcpi_cache_clear(mcp_client *client) {
  mcpi_cache *cache = &client->cache;
  while (!mcpi_list_is_empty(&cache->by_use)) {
    drop(client, oldest(cache));
  }
  mcpi_map_deinit(&cache->by_key);
  cache->drops++;
}
