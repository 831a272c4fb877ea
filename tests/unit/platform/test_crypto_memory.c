/* SPDX-License-Identifier: MIT */
/* A lack of memory inside OpenSSL is not a bad key, nor a bad signature. */
#include "platform/platform.h"

#include "support/cm.h"
#include <mcp/error.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#define CRYPTO (&mcpi_platform_crypto)

/* --- OpenSSL's memory ----------------------------------------------------- */

static struct {
  int is_replaced;
  size_t calls;
  size_t fail_at; /* from 1; 0: none */
  int stays;      /* the calls after it fail, too */
} memory;

static int fails_now(void) {
  memory.calls++;
  return memory.fail_at != 0 && (memory.stays ? memory.calls >= memory.fail_at
                                              : memory.calls == memory.fail_at);
}

static void *take_memory(size_t size, const char *file, int line) {
  return fails_now() ? NULL : malloc(size);
}

static void *resize_memory(void *ptr, size_t size, const char *file, int line) {
  return fails_now() ? NULL : realloc(ptr, size);
}

static void free_memory(void *ptr, const char *file, int line) {
  free(ptr);
}

/* OpenSSL allows this only before it takes memory for the first time. */
__attribute__((constructor)) static void replace_memory(void) {
  memory.is_replaced =
      CRYPTO_set_mem_functions(take_memory, resize_memory, free_memory);
}

/* Runs it with allocation 1, 1 + step... failing; if `stays`, with all after
 * it. OpenSSL does not always say that a single one has failed, so the result
 * counts only for a lack that stays. The first run, in which all allocations
 * work, fills OpenSSL's caches. */
static void run_failing(int (*run)(void), int stays, size_t step) {
  assert_true(memory.is_replaced);
  assert_int_equal(run(), 0);
  size_t failures = 0;
  int is_over = 0;
  for (size_t at = 1; !is_over; at += step) {
    memory.calls = 0;
    memory.stays = stays;
    memory.fail_at = at;
    int rc = run();
    memory.fail_at = 0;
    if (stays && rc != 0 && rc != MCP_ERR_NOMEM) {
      fail_msg("with allocation %zu failing: %d", at, rc);
    }
    failures += rc == MCP_ERR_NOMEM;
    is_over = memory.calls < at;
  }
  assert_true(failures > 0);
}

static void run_without_memory(int (*run)(void)) {
  run_failing(run, 0, 1);
  run_failing(run, 1, 1);
}

/* --- keys ----------------------------------------------------------------- */

static char pems[3][4096];
static mcp_key *keys[3];
static const uint32_t algorithms[] = {MCP_SIGN_RS256, MCP_SIGN_ES256,
                                      MCP_SIGN_EDDSA};
static size_t which;

static int make_keys(void **state) {
  for (int i = 0; i < 3; i++) {
    EVP_PKEY *pkey = i == 0   ? EVP_RSA_gen(2048)
                     : i == 1 ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")
                              : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL);
    pems[i][BIO_read(bio, pems[i], sizeof(pems[i]) - 1)] = '\0';
    BIO_free(bio);
    EVP_PKEY_free(pkey);
    assert_int_equal(
        CRYPTO->key_from_pem(NULL, pems[i], strlen(pems[i]), &keys[i]), 0);
  }
  return 0;
}

static int free_keys(void **state) {
  for (int i = 0; i < 3; i++) {
    CRYPTO->key_free(NULL, keys[i]);
  }
  return 0;
}

#define MEMORY_TEST(name) TEST_WITH(name, make_keys, free_keys)

static void run_for_each_kind(int (*run)(void)) {
  for (which = 0; which < 3; which++) {
    run_without_memory(run);
  }
}

static int end_with(int rc, mcp_key *key) {
  CRYPTO->key_free(NULL, key);
  return rc;
}

static int read_pem(void) {
  mcp_key *key = NULL;
  int rc = CRYPTO->key_from_pem(NULL, pems[which], strlen(pems[which]), &key);
  return end_with(rc, key);
}

/* OpenSSL takes memory some thousand times, mostly for the same things. */
MEMORY_TEST(a_pem_is_not_called_invalid) {
  for (which = 0; which < 3; which++) {
    run_failing(read_pem, 0, 37);
    run_failing(read_pem, 1, 37);
  }
}

static int read_parts(void) {
  mcp_key_parts parts;
  mcp_key *key = NULL;
  CRYPTO->key_parts(NULL, keys[which], &parts);
  int rc = CRYPTO->key_from_parts(NULL, &parts, &key);
  return end_with(rc, key);
}

MEMORY_TEST(numbers_are_not_called_invalid) {
  run_for_each_kind(read_parts);
}

static int write_pem(void) {
  char pem[4096];
  return CRYPTO->key_to_pem(NULL, keys[which], pem, sizeof(pem));
}

MEMORY_TEST(a_key_that_cannot_be_written_is_not_called_invalid) {
  run_for_each_kind(write_pem);
}

static int generate(void) {
  mcp_key *key = NULL;
  int rc = CRYPTO->key_generate(
      NULL, which == 1 ? MCP_KEY_P256 : MCP_KEY_ED25519, &key);
  return end_with(rc, key);
}

MEMORY_TEST(a_new_key_needs_memory) {
  for (which = 1; which < 3; which++) {
    run_without_memory(generate);
  }
}

/* --- signatures ----------------------------------------------------------- */

static uint8_t signature[MCP_SIGNATURE_MAX];
static size_t signature_len;

static int sign(void) {
  return CRYPTO->sign(NULL, keys[which], algorithms[which], "text", 4,
                      signature, &signature_len);
}

MEMORY_TEST(a_signature_needs_memory) {
  run_for_each_kind(sign);
}

static int verify(void) {
  return CRYPTO->verify(NULL, keys[which], algorithms[which], "text", 4,
                        signature, signature_len);
}

MEMORY_TEST(a_right_signature_is_not_called_wrong) {
  for (which = 0; which < 3; which++) {
    assert_int_equal(sign(), 0);
    run_without_memory(verify);
  }
}
