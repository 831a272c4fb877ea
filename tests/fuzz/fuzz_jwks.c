/* SPDX-License-Identifier: MIT */
/* Sets of JSON Web Keys. */
#include "auth/jwk.h"

#include "auth/jwt.h"
#include "fake_crypto.h"
#include "support/failing_alloc.h"

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* A key that was written is read as it is. */
static void write_and_read(mcp_loop *loop, const mcp_key *key) {
  char print[MCPI_THUMBPRINT_SIZE];
  char again_print[MCPI_THUMBPRINT_SIZE];
  mcp_key *again = NULL;
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  size_t len;
  mcpi_jwk_write(loop, key, builder, NULL);
  const char *text = mcp_builder_text(builder, &len);
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  check(mcpi_jwk_read(loop, mcp_doc_root(doc), &again) == 0);
  check(mcpi_jwk_thumbprint(loop, key, print) == 0);
  check(mcpi_jwk_thumbprint(loop, again, again_print) == 0);
  check(strcmp(print, again_print) == 0 &&
        strlen(print) == MCPI_THUMBPRINT_SIZE - 1);
  fake_key_free(NULL, again);
  mcp_doc_free(doc);
  mcp_builder_free(builder);
}

/* Each key is found for one algorithm at least, and for its own alone. */
static size_t count_found(const mcpi_jwks *set, uint32_t algorithm) {
  size_t count = 0;
  const mcpi_jwk *jwk = NULL;
  while ((jwk = mcpi_jwks_find(set, jwk, algorithm, mcpi_str_z(NULL))) !=
         NULL) {
    check(jwk->kind == mcpi_jwt_algorithm_kind(algorithm));
    check(jwk->algorithm == 0 || jwk->algorithm == algorithm);
    count++;
  }
  return count;
}

static void look_at(const mcpi_jwks *set) {
  size_t found = 0;
  check(set->count <= MCPI_JWKS_MAX);
  for (size_t i = 0; i < set->count; i++) {
    write_and_read(set->loop, set->keys[i].key);
  }
  for (uint32_t i = MCP_SIGN_RS256; i <= MCP_SIGN_EDDSA; i++) {
    found += count_found(set, i);
  }
  check(found >= set->count);
}

static void read_set(mcpi_str text, const mcp_allocator *allocator) {
  mcpi_jwks set;
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new_manual(&fake_platform, allocator, NULL);
  int rc = loop != NULL ? mcpi_jwks_read(&set, loop, text, &err) : 1;
  check(rc == 1 || rc == err.code);
  check(rc >= 0 || rc == MCP_ERR_PARSE || rc == MCP_ERR_NOMEM);
  if (rc == 0 && allocator == NULL) {
    look_at(&set);
  }
  if (rc == 0) {
    mcpi_jwks_deinit(&set);
  }
  mcp_loop_free(loop);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_str text = mcpi_str_n((const char *)data, len);
  read_set(text, NULL);
  for (size_t i = 2; i <= 6; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    read_set(text, &alloc.allocator);
    check(alloc.live_blocks == 0);
  }
  return 0;
}
