/* SPDX-License-Identifier: MIT */
#include "auth/resource/replay.h"

#include <mcp/error.h>

typedef struct used_proof {
  mcpi_list link;
  mcpi_account *account; /* a reference */
  int64_t until_ms;      /* when it is forgotten */
  uint8_t hash[MCP_SHA256_SIZE];
} used_proof;

static mcpi_str replay_key(const uint8_t *hash) {
  return mcpi_str_n((const char *)hash, MCP_SHA256_SIZE);
}

void mcpi_replay_init(mcpi_replay *replay, const mcp_allocator *allocator,
                      const uint64_t seed[2], size_t max, int64_t window_ms) {
  *replay =
      (mcpi_replay){.allocator = allocator, .max = max, .window_ms = window_ms};
  mcpi_map_init(&replay->map, allocator, seed);
  mcpi_list_init(&replay->timely);
  mcpi_list_init(&replay->ahead);
  mcpi_accounts_init(&replay->accounts, allocator, seed);
}

static void replay_remove(mcpi_replay *replay, used_proof *proof) {
  mcpi_list_remove(&proof->link);
  mcpi_map_remove(&replay->map, replay_key(proof->hash));
  mcpi_holder_remove(&proof->account->holder, MCPI_HELD_PROOFS, 1);
  mcpi_accounts_unref(&replay->accounts, proof->account);
  mcpi_free(replay->allocator, proof, sizeof(*proof));
}

static void replay_drop(mcpi_replay *replay, mcpi_list *list, int64_t now_ms) {
  while (!mcpi_list_is_empty(list)) {
    used_proof *oldest = MCPI_CONTAINER(list->next, used_proof, link);
    if (oldest->until_ms > now_ms) {
      break;
    }
    replay_remove(replay, oldest);
  }
}

void mcpi_replay_deinit(mcpi_replay *replay) {
  replay_drop(replay, &replay->timely, INT64_MAX);
  replay_drop(replay, &replay->ahead, INT64_MAX);
  mcpi_map_deinit(&replay->map);
  mcpi_accounts_deinit(&replay->accounts);
}

/* Each list keeps its proofs equally long, and not shorter than needed. Clocks
 * that are right differ by an eighth of the window at most. */
static void replay_append(mcpi_replay *replay, used_proof *proof,
                          int64_t until_ms, int64_t now_ms) {
  int64_t keep_ms = replay->window_ms + replay->window_ms / 8 + 1;
  mcpi_list *list = &replay->timely;
  if (until_ms > now_ms + keep_ms) {
    keep_ms = 2 * replay->window_ms + 1;
    list = &replay->ahead;
  }
  proof->until_ms = now_ms + keep_ms;
  mcpi_list_append(list, &proof->link);
}

/* Counts the proof for `account`, whose reference it takes on success. */
static int replay_add(mcpi_replay *replay, mcpi_account *account,
                      const uint8_t *hash, int64_t until_ms, int64_t now_ms) {
  if (!mcpi_holder_has_room(&account->holder, MCPI_HELD_PROOFS, replay->max,
                            1)) {
    return MCP_ERR_LIMIT;
  }
  used_proof *proof = mcpi_alloc(replay->allocator, sizeof(*proof));
  if (proof == NULL) {
    return MCP_ERR_NOMEM;
  }
  proof->account = account;
  memcpy(proof->hash, hash, MCP_SHA256_SIZE);
  int rc = mcpi_map_add(&replay->map, replay_key(proof->hash), proof);
  if (rc != 0) {
    mcpi_free(replay->allocator, proof, sizeof(*proof));
    return rc;
  }
  replay_append(replay, proof, until_ms, now_ms);
  mcpi_holder_add(&account->holder, MCPI_HELD_PROOFS, 1);
  return 0;
}

int mcpi_replay_use(mcpi_replay *replay, const char *principal,
                    const uint8_t hash[MCP_SHA256_SIZE], int64_t until_ms,
                    int64_t now_ms) {
  mcpi_account *account;
  if (until_ms <= now_ms) {
    return MCP_ERR_REFUSED; /* it may have been used, and dropped since */
  }
  replay_drop(replay, &replay->timely, now_ms);
  replay_drop(replay, &replay->ahead, now_ms);
  if (mcpi_map_get(&replay->map, replay_key(hash)) != NULL) {
    return MCP_ERR_EXISTS;
  }
  int rc = mcpi_accounts_find(&replay->accounts, principal, NULL, &account);
  if (rc != 0) {
    return rc;
  }
  rc = replay_add(replay, account, hash, until_ms, now_ms);
  if (rc != 0) {
    mcpi_accounts_unref(&replay->accounts, account);
  }
  return rc;
}
