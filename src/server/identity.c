/* SPDX-License-Identifier: MIT */
/* The principal and the peer of a caller. */
#include "server/identity.h"

#include "server/shard.h"

enum {
  /* The shared identities that a shard keeps while nobody holds them: enough
   * for many clients whose requests alternate. */
  MAX_IDLE = 64,
  /* Bytes of the key that a shard keeps. */
  KEPT_BYTES = 256
};

/* --- life --------------------------------------------------------------- */

static mcpi_str identity_text_of(const mcpi_identity *identity) {
  return mcpi_str_n(identity->text.data, identity->text.len);
}

static void identity_free(mcpi_shard *shard, mcpi_identity *identity) {
  if (identity->is_shared) {
    mcpi_map_remove_value(&shard->identities.shared, identity_text_of(identity),
                          identity);
  }
  mcpi_accounts_unref(&shard->accounts, identity->account);
  mcpi_buf_deinit(&identity->text);
  mcpi_free(&shard->server->allocator, identity, sizeof(*identity));
}

/* The principal and the peer, each followed by a NUL. The byte before them says
 * which of them are present. */
static void identity_put_text(mcpi_buf *text, const char *principal,
                              const char *peer) {
  mcpi_buf_putc(text, (char)('0' + (principal != NULL) + 2 * (peer != NULL)));
  if (principal != NULL) {
    mcpi_buf_put(text, principal, strlen(principal) + 1);
  }
  if (peer != NULL) {
    mcpi_buf_put(text, peer, strlen(peer) + 1);
  }
}

mcpi_identity *mcpi_identity_new(mcpi_shard *shard, const char *principal,
                                 const char *peer) {
  const mcp_allocator *allocator = &shard->server->allocator;
  mcpi_identity *identity = mcpi_calloc(allocator, 1, sizeof(*identity));
  if (identity == NULL) {
    return NULL;
  }
  identity->refs = 1;
  mcpi_list_init(&identity->link);
  mcpi_buf_init(&identity->text, allocator, SIZE_MAX);
  identity_put_text(&identity->text, principal, peer);
  if (identity->text.error != 0 ||
      mcpi_accounts_find(&shard->accounts, principal, peer,
                         &identity->account) != 0) {
    identity_free(shard, identity);
    return NULL;
  }
  const char *at = identity->text.data + 1;
  identity->principal = principal != NULL ? at : NULL;
  at += principal != NULL ? strlen(principal) + 1 : 0;
  identity->peer = peer != NULL ? at : NULL;
  identity->own.parent =
      mcpi_accounts_holder(&shard->accounts, identity->account);
  identity->holder = &identity->own;
  return identity;
}

void mcpi_identity_unref(mcpi_shard *shard, mcpi_identity *identity) {
  mcpi_identities *all = &shard->identities;
  if (identity == NULL || --identity->refs > 0) {
    return;
  }
  if (!identity->is_shared) {
    identity_free(shard, identity);
    return;
  }
  mcpi_list_append(&all->idle, &identity->link);
  if (++all->idle_count > MAX_IDLE) {
    mcpi_identity *oldest = MCPI_CONTAINER(all->idle.next, mcpi_identity, link);
    mcpi_list_remove(&oldest->link);
    all->idle_count--;
    identity_free(shard, oldest);
  }
}

/* --- sharing ------------------------------------------------------------ */

static mcpi_identity *share_new(mcpi_shard *shard, const char *principal,
                                const char *peer) {
  mcpi_identity *identity = mcpi_identity_new(shard, principal, peer);
  if (identity == NULL) {
    return NULL;
  }
  if (mcpi_map_add(&shard->identities.shared, identity_text_of(identity),
                   identity) != 0) {
    identity_free(shard, identity);
    return NULL;
  }
  identity->is_shared = 1;
  identity->holder = identity->own.parent;
  return identity;
}

mcpi_identity *mcpi_identity_share(mcpi_shard *shard, const char *principal,
                                   const char *peer) {
  mcpi_identities *all = &shard->identities;
  mcpi_buf_clear(&all->key);
  identity_put_text(&all->key, principal, peer);
  if (all->key.error != 0) {
    return NULL;
  }
  mcpi_identity *known =
      mcpi_map_get(&all->shared, mcpi_str_n(all->key.data, all->key.len));
  mcpi_buf_recycle(&all->key, KEPT_BYTES);
  if (known == NULL) {
    return share_new(shard, principal, peer);
  }
  if (known->refs++ == 0) {
    mcpi_list_remove(&known->link);
    all->idle_count--;
  }
  return known;
}

void mcpi_identities_init(mcpi_shard *shard) {
  mcpi_identities *all = &shard->identities;
  mcpi_map_init(&all->shared, &shard->server->allocator,
                shard->loop->hash_seed);
  mcpi_list_init(&all->idle);
  mcpi_buf_init(&all->key, &shard->server->allocator, SIZE_MAX);
}

void mcpi_identities_deinit(mcpi_shard *shard) {
  mcpi_identities *all = &shard->identities;
  while (!mcpi_list_is_empty(&all->idle)) {
    mcpi_identity *identity =
        MCPI_CONTAINER(all->idle.next, mcpi_identity, link);
    mcpi_list_remove(&identity->link);
    identity_free(shard, identity);
  }
  mcpi_map_deinit(&all->shared);
  mcpi_buf_deinit(&all->key);
}

/* --- kept bytes --------------------------------------------------------- */

/* The calls of a batch share one message. */
void mcpi_keep(mcpi_identity *who, mcpi_message *message) {
  mcpi_message_ref(message);
  if (message->keepers++ == 0) {
    mcpi_keep_bytes(who, message->block->cap);
  }
}

void mcpi_unkeep(mcpi_identity *who, mcpi_message *message) {
  if (--message->keepers == 0) {
    mcpi_unkeep_bytes(who, message->block->cap);
  }
  mcpi_message_unref(message);
}
