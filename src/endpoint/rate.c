/* SPDX-License-Identifier: MIT */
/* Limits how many requests a principal, or else an address, may make in a
 * second: each has a bucket, which fills as time passes. */
#include "endpoint/rate.h"

enum {
  /* The number of buckets at once. Past it, the least recently used one is
   * dropped; it is full again in most cases. */
  MAX_BUCKETS = 10000,
  /* A request takes this much from its bucket; each millisecond adds
   * `per_second`. */
  TOKEN = 1000
};

typedef struct bucket {
  mcpi_list link;  /* in the order of use */
  int64_t used_ms; /* when `level` was brought up to date */
  uint64_t level;  /* in thousandths of a request */
  size_t key_len;  /* the length of the key, which follows */
} bucket;

static mcpi_str rate_key_of(bucket *b) {
  return mcpi_str_n((const char *)(b + 1), b->key_len);
}

void mcpi_endpoint_rate_init(mcpi_endpoint_rate *rate,
                             const mcp_allocator *allocator,
                             const uint64_t seed[2]) {
  mcpi_map_init(&rate->buckets, allocator, seed);
  mcpi_list_init(&rate->recent);
}

static void remove_bucket(mcpi_endpoint_rate *rate, bucket *b) {
  mcpi_map_remove(&rate->buckets, rate_key_of(b));
  mcpi_list_remove(&b->link);
  mcpi_free(rate->buckets.allocator, b, sizeof(*b) + b->key_len);
}

void mcpi_endpoint_rate_deinit(mcpi_endpoint_rate *rate) {
  while (!mcpi_list_is_empty(&rate->recent)) {
    remove_bucket(rate, MCPI_CONTAINER(rate->recent.next, bucket, link));
  }
  mcpi_map_deinit(&rate->buckets);
}

/* A full bucket has no information. */
static void rate_make_room(mcpi_endpoint_rate *rate, int64_t now) {
  while (!mcpi_list_is_empty(&rate->recent)) {
    bucket *oldest = MCPI_CONTAINER(rate->recent.next, bucket, link);
    if (now - oldest->used_ms < 1000 && rate->buckets.count < MAX_BUCKETS) {
      break;
    }
    remove_bucket(rate, oldest);
  }
}

/* The caller puts it into the list of recent ones. */
static bucket *bucket_new(mcpi_endpoint_rate *rate, mcpi_str key, int64_t now,
                          uint64_t level) {
  const mcp_allocator *allocator = rate->buckets.allocator;
  bucket *b = mcpi_alloc(allocator, sizeof(*b) + key.len);
  if (b == NULL) {
    return NULL;
  }
  *b = (bucket){.used_ms = now, .level = level, .key_len = key.len};
  memcpy(b + 1, key.ptr, key.len);
  mcpi_list_init(&b->link);
  if (mcpi_map_add(&rate->buckets, rate_key_of(b), b) != 0) {
    mcpi_free(allocator, b, sizeof(*b) + key.len);
    return NULL;
  }
  return b;
}

static void fill_up(bucket *b, uint32_t per_second, int64_t now) {
  uint64_t full = (uint64_t)per_second * TOKEN;
  uint64_t elapsed = now > b->used_ms ? (uint64_t)(now - b->used_ms) : 0;
  b->used_ms = now;
  b->level = elapsed >= 1000 || b->level + elapsed * per_second > full
                 ? full
                 : b->level + elapsed * per_second;
}

/* Without memory every request is admitted: this limit only keeps clients fair
 * to each other, and other limits still hold. */
int mcpi_endpoint_rate_admits(mcpi_endpoint_rate *rate, mcpi_str key,
                              uint32_t per_second, int64_t now) {
  bucket *b = mcpi_map_get(&rate->buckets, key);
  if (b == NULL) {
    rate_make_room(rate, now);
    b = bucket_new(rate, key, now, (uint64_t)per_second * TOKEN);
  }
  if (b == NULL) {
    return 1;
  }
  fill_up(b, per_second, now);
  mcpi_list_remove(&b->link);
  mcpi_list_append(&rate->recent, &b->link);
  if (b->level < TOKEN) {
    return 0;
  }
  b->level -= TOKEN;
  return 1;
}

/* A bucket that was dropped meanwhile is made anew, and full. */
void mcpi_endpoint_rate_give_back(mcpi_endpoint_rate *rate, mcpi_str key,
                                  uint32_t per_second) {
  uint64_t full = (uint64_t)per_second * TOKEN;
  bucket *b = mcpi_map_get(&rate->buckets, key);
  if (b != NULL) {
    b->level = b->level + TOKEN > full ? full : b->level + TOKEN;
  }
}
