/* SPDX-License-Identifier: MIT */
/* On whose behalf a caller calls. */
#include "server/identity.h"

#include "server/server.h"

enum {
  /* Idle identities of a part: enough for many requests at once. */
  MAX_IDLE = 64,
  /* Bytes of names that each keeps. */
  KEPT_BYTES = 256
};

static void identity_free(const mcp_allocator *allocator,
                          mcpi_identity *identity) {
  mcpi_buf_deinit(&identity->text);
  mcpi_free(allocator, identity, sizeof(*identity));
}

static mcpi_identity *take_identity(mcpi_part *part) {
  const mcp_allocator *allocator = &part->server->allocator;
  mcpi_identity *identity = part->idle_identities;
  if (identity != NULL) {
    part->idle_identities = identity->next;
    part->idle_identity_count--;
    return identity;
  }
  identity = mcpi_calloc(allocator, 1, sizeof(*identity));
  if (identity != NULL) {
    mcpi_buf_init(&identity->text, allocator, SIZE_MAX);
  }
  return identity;
}

/* There is room for it. */
static const char *identity_put(mcpi_identity *identity, const char *string) {
  const char *start = identity->text.data + identity->text.len;
  if (string == NULL) {
    return NULL;
  }
  mcpi_buf_put(&identity->text, string, strlen(string) + 1);
  return start;
}

mcpi_identity *mcpi_identity_new(mcpi_part *part, const char *principal,
                                 const char *peer) {
  mcpi_identity *identity = take_identity(part);
  if (identity == NULL) {
    return NULL;
  }
  size_t size = mcpi_str_z(principal).len + mcpi_str_z(peer).len + 2;
  identity->refs = 1;
  if (mcpi_buf_reserve(&identity->text, size) == NULL ||
      mcpi_accounts_find(&part->accounts, principal, peer,
                         &identity->account) != 0) {
    identity_free(&part->server->allocator, identity);
    return NULL;
  }
  identity->holder = (mcpi_holder){
      .parent = mcpi_accounts_holder(&part->accounts, identity->account)};
  identity->principal = identity_put(identity, principal);
  identity->peer = identity_put(identity, peer);
  return identity;
}

void mcpi_identity_unref(mcpi_part *part, mcpi_identity *identity) {
  if (identity == NULL || --identity->refs > 0) {
    return;
  }
  mcpi_accounts_unref(&part->accounts, identity->account);
  identity->account = NULL;
  if (part->idle_identity_count >= MAX_IDLE) {
    identity_free(&part->server->allocator, identity);
    return;
  }
  mcpi_buf_trim(&identity->text, KEPT_BYTES);
  identity->next = part->idle_identities;
  part->idle_identities = identity;
  part->idle_identity_count++;
}

void mcpi_identities_free_idle(mcpi_part *part) {
  while (part->idle_identities != NULL) {
    mcpi_identity *identity = part->idle_identities;
    part->idle_identities = identity->next;
    identity_free(&part->server->allocator, identity);
  }
}
