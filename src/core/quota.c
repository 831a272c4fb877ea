/* SPDX-License-Identifier: MIT */
/* How many bytes peers can make a listener keep. */
#include "core/quota.h"

/* --- the whole ---------------------------------------------------------- */

mcpi_quota *mcpi_quota_new(const mcp_allocator *source, const uint64_t seed[2],
                           size_t max) {
  mcpi_quota *quota = mcpi_alloc(source, sizeof(*quota));
  if (quota != NULL) {
    *quota = (mcpi_quota){.source = *source, .max = max, .refs = 1};
    mcpi_accounts_init(&quota->accounts, &quota->source, seed);
  }
  return quota;
}

mcpi_quota *mcpi_quota_ref(mcpi_quota *quota) {
  quota->refs++;
  return quota;
}

void mcpi_quota_unref(mcpi_quota *quota) {
  if (quota != NULL && --quota->refs == 0) {
    const mcp_allocator source = quota->source;
    mcpi_accounts_deinit(&quota->accounts);
    mcpi_free(&source, quota, sizeof(*quota));
  }
}

/* --- shares ------------------------------------------------------------- */

int mcpi_share_init(mcpi_share *share, mcpi_quota *quota, const char *principal,
                    const char *peer) {
  mcpi_account *account;
  *share = (mcpi_share){0};
  int rc = mcpi_accounts_find(&quota->accounts, principal, peer, &account);
  if (rc == 0) {
    share->quota = mcpi_quota_ref(quota);
    share->account = account;
    share->holder.parent = mcpi_accounts_holder(&quota->accounts, account);
  }
  return rc;
}

void mcpi_share_init_like(mcpi_share *share, const mcpi_share *like) {
  *share = (mcpi_share){.quota = mcpi_quota_ref(like->quota),
                        .account = like->account,
                        .holder = {.parent = like->holder.parent}};
  if (share->account != NULL) {
    share->account->refs++;
  }
}

void mcpi_share_deinit(mcpi_share *share) {
  if (share->quota != NULL) {
    for (int kind = 0; kind < MCPI_HELD_COUNT; kind++) {
      mcpi_holder_remove(&share->holder, kind, share->holder.used[kind]);
    }
    mcpi_accounts_unref(&share->quota->accounts, share->account);
    mcpi_quota_unref(share->quota);
    *share = (mcpi_share){0};
  }
}

int mcpi_share_move(mcpi_share *share, const char *principal,
                    const char *peer) {
  mcpi_share moved;
  int rc = mcpi_share_init(&moved, share->quota, principal, peer);
  if (rc == 0) {
    mcpi_holder_add(&moved.holder, MCPI_HELD_BYTES, mcpi_share_used(share));
    mcpi_share_deinit(share);
    *share = moved;
  }
  return rc;
}

/* --- connections and checks --------------------------------------------- */

/* A client's connections and checks are leaves of the tree, so its share is
 * that of the leaf's parent. */
int mcpi_share_add_one(mcpi_share *share, int kind, size_t max) {
  if (!mcpi_holder_has_room(share->holder.parent, kind, max, 1)) {
    return 0;
  }
  mcpi_holder_add(&share->holder, kind, 1);
  return 1;
}

int mcpi_share_connect(mcpi_share *share, size_t max, mcp_error *err) {
  const mcpi_holder *client = share->holder.parent;
  if (!mcpi_share_add_one(share, MCPI_HELD_CONNECTIONS, max)) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "a connection was refused: this client has %zu of the "
                         "%zu connections that may "
                         "be open at once, which is its share: close some, "
                         "or raise max_connections",
                         client->used[MCPI_HELD_CONNECTIONS], max);
  }
  return 0;
}

void mcpi_share_disconnect(mcpi_share *share) {
  mcpi_holder_remove(&share->holder, MCPI_HELD_CONNECTIONS,
                     share->holder.used[MCPI_HELD_CONNECTIONS]);
}

/* --- counting ----------------------------------------------------------- */

int mcpi_share_count(mcpi_share *share, size_t size) {
  if (!mcpi_holder_has_room(&share->holder, MCPI_HELD_BYTES, share->quota->max,
                            size)) {
    return 0;
  }
  mcpi_holder_add(&share->holder, MCPI_HELD_BYTES, size);
  return 1;
}

void mcpi_share_discount(mcpi_share *share, size_t size) {
  mcpi_holder_remove(&share->holder, MCPI_HELD_BYTES, size);
}

int mcpi_share_change(mcpi_share *share, size_t was, size_t now) {
  if (now > was) {
    return mcpi_share_count(share, now - was);
  }
  mcpi_share_discount(share, was - now);
  return 1;
}

/* --- memory ------------------------------------------------------------- */

static void *share_take(void *userdata, size_t size) {
  mcpi_share *share = userdata;
  if (!mcpi_share_count(share, size)) {
    return NULL;
  }
  void *ptr = mcpi_alloc(&share->quota->source, size);
  if (ptr == NULL) {
    mcpi_share_discount(share, size);
  }
  return ptr;
}

static void *share_resize(void *userdata, void *ptr, size_t old_size,
                          size_t new_size) {
  mcpi_share *share = userdata;
  size_t more = new_size > old_size ? new_size - old_size : 0;
  size_t less = old_size > new_size ? old_size - new_size : 0;
  if (more > 0 && !mcpi_share_count(share, more)) {
    return NULL;
  }
  void *moved = mcpi_realloc(&share->quota->source, ptr, old_size, new_size);
  mcpi_share_discount(share, moved != NULL ? less : more);
  return moved;
}

static void share_give_back(void *userdata, void *ptr, size_t size) {
  mcpi_share *share = userdata;
  mcpi_free(&share->quota->source, ptr, size);
  mcpi_share_discount(share, size);
}

mcp_allocator mcpi_share_allocator(mcpi_share *share) {
  return (mcp_allocator){share_take, share_resize, share_give_back, share};
}
