/* SPDX-License-Identifier: MIT */
/* Counts what each holder has. */
#include "core/account.h"

#include "codec/ip.h"

#include <mcp/error.h>
#include <stdio.h>
#include <string.h>

enum {
  /* The number of idle accounts: a client's requests come one after another. */
  MAX_IDLE = 64,
  KEPT_BYTES = 256
};

/* --- holders ------------------------------------------------------------ */

static const struct {
  /* One such part is reserved for holders that have few; 0: none. */
  size_t reserve;
  size_t few; /* allowed while that many are left */
} rules[MCPI_HELD_COUNT] = {
    [MCPI_HELD_CALLS] = {16, 16},      [MCPI_HELD_SESSIONS] = {0, 16},
    [MCPI_HELD_CONNECTIONS] = {0, 16}, [MCPI_HELD_CHECKS] = {0, 16},
    [MCPI_HELD_PROOFS] = {0, 16},      [MCPI_HELD_TASKS] = {0, 16},
};

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Returns the most that one holder may have of `max`, if the others have
 * `others`: half of the rest. So one alone may have half of `max`. However many
 * holders take all that they can, the next one gets half of the rest. */
static size_t half_of_rest(size_t max, size_t others) {
  return others < max ? (max - others) / 2 : 0;
}

size_t mcpi_holder_share(const mcpi_holder *holder, int kind, size_t max) {
  const mcpi_holder *parent = holder->parent;
  if (parent == NULL) {
    return max;
  }
  size_t whole = mcpi_holder_share(parent, kind, max);
  size_t others = parent->used[kind] - holder->used[kind];
  size_t reserve = rules[kind].reserve > 0 ? whole / rules[kind].reserve : 0;
  size_t share = half_of_rest(whole - reserve, others);
  size_t few = least(rules[kind].few, others < whole ? whole - others : 0);
  return share > few ? share : few;
}

int mcpi_holder_has_room(const mcpi_holder *holder, int kind, size_t max,
                         size_t more) {
  size_t share = mcpi_holder_share(holder, kind, max);
  return more <= share && holder->used[kind] <= share - more;
}

/* --- addresses ---------------------------------------------------------- */

/* An IPv6 address that stands for an IPv4 address counts as that address. */
static void put_ipv6(const uint8_t a[16], char key[MCPI_ADDRESS_KEY_SIZE]) {
  static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (memcmp(a, mapped, sizeof(mapped)) == 0) {
    snprintf(key, MCPI_ADDRESS_KEY_SIZE, "%d.%d.%d.%d", a[12], a[13], a[14],
             a[15]);
  } else {
    snprintf(key, MCPI_ADDRESS_KEY_SIZE, "%02x%02x%02x%02x%02x%02x%02x%02x/64",
             a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
  }
}

/* Returns the host of "HOST:PORT", "[HOST%ZONE]:PORT", or of either without a
 * port. */
static mcpi_str host_of(const char *peer) {
  if (peer[0] == '[') {
    return mcpi_str_n(peer + 1, strcspn(peer + 1, "]%"));
  }
  const char *first = strchr(peer, ':');
  const char *last = strrchr(peer, ':');
  return first != NULL && first == last
             ? mcpi_str_n(peer, (size_t)(last - peer))
             : mcpi_str_n(peer, strcspn(peer, "%"));
}

int mcpi_address_key(const char *peer, char key[MCPI_ADDRESS_KEY_SIZE]) {
  if (peer == NULL || strcmp(peer, "unix") == 0 ||
      strncmp(peer, "unix:", 5) == 0 || strncmp(peer, "unix ", 5) == 0) {
    return 0;
  }
  mcpi_str host = host_of(peer);
  if (host.len == 0 || host.len >= MCPI_ADDRESS_KEY_SIZE) {
    return 0;
  }
  memcpy(key, host.ptr, host.len);
  key[host.len] = '\0';
  uint8_t address[16];
  if (mcpi_ip_parse(address, host) == 0) {
    put_ipv6(address, key);
  }
  return 1;
}

/* --- accounts ----------------------------------------------------------- */

void mcpi_accounts_init(mcpi_accounts *accounts, const mcp_allocator *allocator,
                        const uint64_t seed[2]) {
  memset(accounts, 0, sizeof(*accounts));
  mcpi_map_init(&accounts->map, allocator, seed);
}

static void account_free(const mcp_allocator *allocator,
                         mcpi_account *account) {
  mcpi_buf_deinit(&account->key);
  mcpi_free(allocator, account, sizeof(*account));
}

void mcpi_accounts_deinit(mcpi_accounts *accounts) {
  while (accounts->idle != NULL) {
    mcpi_account *account = accounts->idle;
    accounts->idle = account->next;
    account_free(accounts->map.allocator, account);
  }
  mcpi_map_deinit(&accounts->map);
}

static mcpi_account *account_take_idle(mcpi_accounts *accounts) {
  mcpi_account *account = accounts->idle;
  if (account != NULL) {
    accounts->idle = account->next;
    accounts->idle_count--;
    return account;
  }
  account = mcpi_calloc(accounts->map.allocator, 1, sizeof(*account));
  if (account != NULL) {
    mcpi_buf_init(&account->key, accounts->map.allocator, SIZE_MAX);
    mcpi_list_init(&account->events);
    mcpi_list_init(&account->fresh);
    mcpi_list_init(&account->rank);
    account->holder.parent = &accounts->whole;
  }
  return account;
}

static void put_idle(mcpi_accounts *accounts, mcpi_account *account) {
  if (accounts->idle_count >= MAX_IDLE) {
    account_free(accounts->map.allocator, account);
    return;
  }
  mcpi_buf_recycle(&account->key, KEPT_BYTES);
  account->next = accounts->idle;
  accounts->idle = account;
  accounts->idle_count++;
}

static mcpi_str account_key_of(const mcpi_account *account) {
  return mcpi_str_n(account->key.data, account->key.len);
}

/* Writes the key into an idle account. If the map already has this key, the
 * idle account goes back to the free list; otherwise it is added to the map. So
 * a known client costs one lookup in the map, and usually no allocation. */
int mcpi_accounts_find(mcpi_accounts *accounts, const char *principal,
                       const char *peer, mcpi_account **out) {
  char address[MCPI_ADDRESS_KEY_SIZE];
  *out = NULL;
  if (principal == NULL && !mcpi_address_key(peer, address)) {
    return 0;
  }
  mcpi_account *fresh = account_take_idle(accounts);
  if (fresh == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_buf_clear(&fresh->key);
  mcpi_buf_putc(&fresh->key, principal != NULL ? 'p' : 'a');
  mcpi_buf_puts(&fresh->key,
                mcpi_str_z(principal != NULL ? principal : address));
  mcpi_account *known =
      fresh->key.error == 0
          ? mcpi_map_get(&accounts->map, account_key_of(fresh))
          : NULL;
  int rc = fresh->key.error;
  if (rc == 0 && known == NULL) {
    rc = mcpi_map_add(&accounts->map, account_key_of(fresh), fresh);
  }
  if (rc != 0 || known != NULL) {
    put_idle(accounts, fresh);
  }
  if (rc == 0) {
    *out = known != NULL ? known : fresh;
    (*out)->refs++;
  }
  return rc;
}

void mcpi_accounts_unref(mcpi_accounts *accounts, mcpi_account *account) {
  if (account != NULL && --account->refs == 0) {
    mcpi_map_remove(&accounts->map, account_key_of(account));
    put_idle(accounts, account);
  }
}

mcpi_holder *mcpi_accounts_holder(mcpi_accounts *accounts,
                                  mcpi_account *account) {
  return account != NULL ? &account->holder : &accounts->whole;
}
