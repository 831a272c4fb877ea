/* SPDX-License-Identifier: MIT */
#include "auth/resource/nonce.h"

#include "support/cm.h"
#include "support/libmcp/resource_rig.h"

static const uint8_t key[MCP_SEAL_KEY_SIZE] = {1};
static const uint8_t other_key[MCP_SEAL_KEY_SIZE] = {2};

TEST(a_nonce_is_good_for_a_while) {
  resource_rig *rig = resource_rig_new(NULL);
  mcpi_nonces nonces;
  char nonce[MCPI_NONCE_SIZE];
  char again[MCPI_NONCE_SIZE];
  int is_old = 7;
  mcpi_nonces_init(&nonces, rig->loop, key);
  assert_int_equal(mcpi_nonces_get(&nonces, nonce), 0);
  assert_int_equal(mcpi_nonces_check(&nonces, nonce, &is_old), 0);
  assert_false(is_old);
  rig->wall_ms += MCPI_NONCE_MS / 2 - 1;
  assert_int_equal(mcpi_nonces_get(&nonces, again), 0);
  assert_string_equal(nonce, again);
  rig->wall_ms += 1;
  assert_int_equal(mcpi_nonces_check(&nonces, nonce, &is_old), 0);
  assert_true(is_old);
  assert_int_equal(mcpi_nonces_get(&nonces, again), 0);
  assert_string_not_equal(nonce, again);
  rig->wall_ms += MCPI_NONCE_MS / 2;
  assert_int_equal(mcpi_nonces_check(&nonces, nonce, &is_old), MCP_ERR_REFUSED);
  rig->wall_ms -= 2 * MCPI_NONCE_MS; /* the clock is set back */
  assert_int_equal(mcpi_nonces_check(&nonces, again, &is_old), MCP_ERR_REFUSED);
  resource_rig_free(rig);
}

TEST(a_changed_or_foreign_nonce_is_refused) {
  resource_rig *rig = resource_rig_new(NULL);
  mcpi_nonces nonces;
  mcpi_nonces foreign;
  char nonce[MCPI_NONCE_SIZE];
  int is_old;
  mcpi_nonces_init(&nonces, rig->loop, key);
  mcpi_nonces_init(&foreign, rig->loop, other_key);
  assert_int_equal(mcpi_nonces_get(&nonces, nonce), 0);
  assert_int_equal(mcpi_nonces_check(&foreign, nonce, &is_old),
                   MCP_ERR_REFUSED);
  for (size_t i = 0; i < MCPI_NONCE_SIZE - 1; i++) {
    char was = nonce[i];
    nonce[i] = was == 'A' ? 'B' : 'A';
    assert_int_equal(mcpi_nonces_check(&nonces, nonce, &is_old),
                     MCP_ERR_REFUSED);
    nonce[i] = was;
  }
  nonce[MCPI_NONCE_SIZE - 2] = '\0';
  assert_int_equal(mcpi_nonces_check(&nonces, nonce, &is_old), MCP_ERR_REFUSED);
  assert_int_equal(mcpi_nonces_check(&nonces, NULL, &is_old), MCP_ERR_REFUSED);
  assert_int_equal(mcpi_nonces_check(&nonces, "", &is_old), MCP_ERR_REFUSED);
  resource_rig_free(rig);
}
