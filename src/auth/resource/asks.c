/* SPDX-License-Identifier: MIT */
#include "auth/resource/asks.h"

void mcpi_asks_init(mcpi_asks *asks, mcp_loop *loop) {
  mcpi_map_init(&asks->map, &loop->allocator, loop->hash_seed);
}

void mcpi_asks_deinit(mcpi_asks *asks) {
  mcpi_map_deinit(&asks->map);
}

void mcpi_ask_answer_limit(mcpi_ask_answer *answer, uint32_t introspection_ms,
                           uint32_t stream_ms) {
  answer->fresh_ms = 0;
  if (introspection_ms != UINT32_MAX) {
    answer->fresh_ms = introspection_ms;
  }
  if (answer->grant != NULL && stream_ms != UINT32_MAX) {
    answer->grant->stream_ms = stream_ms;
  }
}

static void asks_append(mcpi_ask *ask, mcpi_ask_wait *wait) {
  wait->ask = ask;
  mcpi_list_append(&ask->waits, &wait->link);
}

int mcpi_asks_join(mcpi_asks *asks, const mcpi_token_key *key,
                   mcpi_ask_wait *wait) {
  mcpi_ask *ask = mcpi_map_get(&asks->map, mcpi_token_key_str(key));
  if (ask == NULL) {
    return 0;
  }
  asks_append(ask, wait);
  return 1;
}

int mcpi_asks_add(mcpi_asks *asks, mcpi_ask *ask, const mcpi_token_key *key,
                  mcpi_ask_wait *wait) {
  ask->key = *key;
  mcpi_list_init(&ask->waits);
  int rc = mcpi_map_add(&asks->map, mcpi_token_key_str(&ask->key), ask);
  if (rc == 0) {
    ask->asks = asks;
    asks_append(ask, wait);
  }
  return rc;
}

/* Takes it off the table. Its waits are in `waits` then. */
static void ask_remove(mcpi_ask *ask, mcpi_list *waits) {
  mcpi_map_remove(&ask->asks->map, mcpi_token_key_str(&ask->key));
  ask->asks = NULL;
  mcpi_list_init(waits);
  mcpi_list_move(waits, &ask->waits);
  for (mcpi_list *link = waits->next; link != waits; link = link->next) {
    MCPI_CONTAINER(link, mcpi_ask_wait, link)->ask = NULL;
  }
}

void mcpi_asks_withdraw(mcpi_ask *ask) {
  mcpi_list waits;
  ask_remove(ask, &waits);
  while (!mcpi_list_is_empty(&waits)) {
    mcpi_list_remove(waits.next);
  }
}

/* A wait may end others, and may free the table. */
void mcpi_ask_answer_all(mcpi_ask *ask, const mcpi_ask_answer *answer) {
  mcpi_list waits;
  ask_remove(ask, &waits);
  while (!mcpi_list_is_empty(&waits)) {
    mcpi_ask_wait *wait = MCPI_CONTAINER(waits.next, mcpi_ask_wait, link);
    mcpi_list_remove(&wait->link);
    wait->on_answer(wait, answer);
  }
}

void mcpi_ask_leave(mcpi_ask_wait *wait) {
  mcpi_ask *ask = wait->ask;
  wait->ask = NULL;
  mcpi_list_remove(&wait->link);
  if (ask != NULL && mcpi_list_is_empty(&ask->waits)) {
    mcpi_map_remove(&ask->asks->map, mcpi_token_key_str(&ask->key));
    ask->asks = NULL;
    ask->on_abandoned(ask);
  }
}
