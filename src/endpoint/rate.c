/* SPDX-License-Identifier: MIT */
/* Each client has a bucket, which holds what it may do in a second and fills as
 * time passes. A full bucket has no information, so it can be dropped. */
#include "endpoint/rate.h"

enum {
  /* The number of buckets at once. Past it, the least recently used one is
   * dropped; it is full again in most cases. */
  MAX_BUCKETS = 10000,
  NS_PER_MS = 1000000,
  NS_PER_SECOND = 1000000000
};

typedef struct bucket {
  mcpi_list link;  /* in the order of use */
  int64_t full_ns; /* when it is full again */
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

static void rate_make_room(mcpi_endpoint_rate *rate, int64_t now_ns) {
  while (!mcpi_list_is_empty(&rate->recent)) {
    bucket *oldest = MCPI_CONTAINER(rate->recent.next, bucket, link);
    if (oldest->full_ns > now_ns && rate->buckets.count < MAX_BUCKETS) {
      break;
    }
    remove_bucket(rate, oldest);
  }
}

/* Makes a full bucket. Returns NULL without memory. */
static bucket *bucket_new(mcpi_endpoint_rate *rate, mcpi_str key) {
  const mcp_allocator *allocator = rate->buckets.allocator;
  bucket *b = mcpi_alloc(allocator, sizeof(*b) + key.len);
  if (b == NULL) {
    return NULL;
  }
  *b = (bucket){.key_len = key.len};
  memcpy(b + 1, key.ptr, key.len);
  if (mcpi_map_add(&rate->buckets, rate_key_of(b), b) != 0) {
    mcpi_free(allocator, b, sizeof(*b) + key.len);
    return NULL;
  }
  mcpi_list_append(&rate->recent, &b->link);
  return b;
}

static int bucket_has_room(const bucket *b, uint32_t per_second,
                           int64_t now_ns) {
  return b->full_ns - now_ns <= NS_PER_SECOND - NS_PER_SECOND / per_second;
}

mcpi_str mcpi_endpoint_rate_key(const char *principal, const char *peer,
                                char address[MCPI_ADDRESS_KEY_SIZE]) {
  if (principal != NULL) {
    return mcpi_str_z(principal);
  }
  address[0] = '\0';
  mcpi_address_key(peer, address);
  return mcpi_str_z(address);
}

int mcpi_endpoint_rate_has_room(const mcpi_endpoint_rate *rate, mcpi_str key,
                                uint32_t per_second, int64_t now) {
  const bucket *b = mcpi_map_get(&rate->buckets, key);
  return b == NULL || bucket_has_room(b, per_second, now * NS_PER_MS);
}

/* Without memory nothing is counted: this limit only keeps clients fair to each
 * other, and other limits still hold. */
void mcpi_endpoint_rate_count(mcpi_endpoint_rate *rate, mcpi_str key,
                              uint32_t per_second, int64_t now) {
  int64_t now_ns = now * NS_PER_MS;
  bucket *b = mcpi_map_get(&rate->buckets, key);
  if (b == NULL) {
    rate_make_room(rate, now_ns);
    b = bucket_new(rate, key);
  }
  if (b == NULL) {
    return;
  }
  mcpi_list_remove(&b->link);
  mcpi_list_append(&rate->recent, &b->link);
  if (b->full_ns < now_ns) {
    b->full_ns = now_ns;
  }
  b->full_ns += NS_PER_SECOND / per_second;
}

int mcpi_endpoint_rate_admits(mcpi_endpoint_rate *rate, mcpi_str key,
                              uint32_t per_second, int64_t now) {
  if (!mcpi_endpoint_rate_has_room(rate, key, per_second, now)) {
    return 0;
  }
  mcpi_endpoint_rate_count(rate, key, per_second, now);
  return 1;
}
