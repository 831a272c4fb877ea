/* SPDX-License-Identifier: MIT */
/* A platform for tests: see transcript.h. */
#include "transcript.h"
#include <mcp/sys/crypto.h>
#include <string.h>

enum { MAX_WORKS = 8 };

/* What waits for the pool: there is one platform at a time. */
static struct {
  void (*works[MAX_WORKS])(void *argument);
  void *arguments[MAX_WORKS];
  size_t count;
  size_t max;
} pool;

/* How many ids of tasks there were: no two tasks may have the same id. */
static unsigned char task_ids;

static int fake_random(void *userdata, void *bytes, size_t len) {
  enum { TASK_ID_LEN = 31 };
  (void)userdata;
  for (size_t i = 0; i < len; i++) {
    ((unsigned char *)bytes)[i] = (unsigned char)i;
  }
  if (len == TASK_ID_LEN) {
    ((unsigned char *)bytes)[0] = task_ids++;
  }
  return 0;
}

/* FNV-1a over all that is authenticated. */
static uint64_t checksum(uint64_t sum, const void *bytes, size_t len) {
  for (size_t i = 0; i < len; i++) {
    sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
  }
  return sum;
}

static void put_tag(const uint8_t key[MCP_SEAL_KEY_SIZE], const void *bound,
                    size_t bound_len, const void *text, size_t len,
                    uint8_t *tag) {
  uint64_t sum = checksum(0xcbf29ce484222325u, key, MCP_SEAL_KEY_SIZE);
  sum = checksum(sum, bound, bound_len);
  sum = checksum(sum, text, len);
  memset(tag, '.', MCP_SEAL_OVERHEAD);
  for (size_t i = 0; i < 8; i++) {
    tag[i] = (uint8_t)(sum >> (8 * i));
  }
}

static int fake_seal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                     const void *bound, size_t bound_len, const void *text,
                     size_t len, uint8_t *out) {
  (void)userdata;
  memcpy(out, text, len);
  put_tag(key, bound, bound_len, text, len, out + len);
  return 0;
}

static int fake_unseal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                       const void *bound, size_t bound_len, const void *sealed,
                       size_t len, uint8_t *out) {
  (void)userdata;
  uint8_t tag[MCP_SEAL_OVERHEAD];
  if (len < sizeof tag) {
    return MCP_ERR_SEAL;
  }
  size_t text_len = len - sizeof tag;
  put_tag(key, bound, bound_len, sealed, text_len, tag);
  if (memcmp((const uint8_t *)sealed + text_len, tag, sizeof tag) != 0) {
    return MCP_ERR_SEAL;
  }
  memcpy(out, sealed, text_len);
  return 0;
}

/* Not a hash for anybody but the tests. */
static int fake_sha256(void *userdata, const void *bytes, size_t len,
                       uint8_t out[MCP_SHA256_SIZE]) {
  (void)userdata;
  uint64_t sum = checksum(0xcbf29ce484222325u, bytes, len);
  for (size_t i = 0; i < MCP_SHA256_SIZE; i++) {
    out[i] = (uint8_t)(sum >> (8 * (i % 8)));
  }
  return 0;
}

static int fake_key_from_parts(void *userdata, const mcp_key_parts *parts,
                               mcp_key **out) {
  static char key;
  (void)userdata;
  (void)parts;
  *out = (mcp_key *)&key;
  return 0;
}

static void fake_key_free(void *userdata, mcp_key *key) {
  (void)userdata;
  (void)key;
}

/* For fixed tokens. An issuer may have keys, but they sign nothing. */
static const mcp_crypto fake_crypto = {.size = sizeof(mcp_crypto),
                                       .sha256 = fake_sha256,
                                       .key_from_parts = fake_key_from_parts,
                                       .key_free = fake_key_free};

void fake_platform(mcp_platform *platform) {
  memset(platform, 0, sizeof *platform);
  task_ids = 0;
  platform->size = sizeof(mcp_platform);
  platform->random = fake_random;
  platform->seal = fake_seal;
  platform->unseal = fake_unseal;
  platform->crypto = &fake_crypto;
}

static int fake_run_blocking(void *userdata, void (*work)(void *argument),
                             void *argument) {
  (void)userdata;
  if (pool.count >= pool.max) {
    return MCP_ERR_BUSY;
  }
  pool.works[pool.count] = work;
  pool.arguments[pool.count++] = argument;
  return 0;
}

void fake_platform_pool(mcp_platform *platform, size_t max) {
  platform->run_blocking = fake_run_blocking;
  pool.count = 0;
  pool.max = max < MAX_WORKS ? max : MAX_WORKS;
}

int fake_platform_work(void) {
  if (pool.count == 0) {
    return 0;
  }
  void (*work)(void *argument) = pool.works[0];
  void *argument = pool.arguments[0];
  pool.count--;
  memmove(&pool.works[0], &pool.works[1], pool.count * sizeof(pool.works[0]));
  memmove(&pool.arguments[0], &pool.arguments[1],
          pool.count * sizeof(pool.arguments[0]));
  work(argument);
  return 1;
}
