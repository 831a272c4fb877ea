/* SPDX-License-Identifier: MIT */
/* Counts what each holder has. */
#include "core/account.h"

#include "schema/format_checks.h"

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

static int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c - 'A' + 10;
}

/* "1.2.3.4" at the end of an IPv6 address, as two of its groups. */
static void read_dotted(const char *text, uint16_t groups[2]) {
  unsigned bytes[4] = {0};
  sscanf(text, "%3u.%3u.%3u.%3u", &bytes[0], &bytes[1], &bytes[2], &bytes[3]);
  groups[0] = (uint16_t)(bytes[0] << 8 | bytes[1]);
  groups[1] = (uint16_t)(bytes[2] << 8 | bytes[3]);
}

/* The text is an IPv6 address. */
static void read_ipv6(const char *text, uint16_t groups[8]) {
  size_t count = 0;
  size_t gap = 8; /* the index of "::" */
  memset(groups, 0, 8 * sizeof(groups[0]));
  for (const char *at = text; *at != '\0' && count < 8;) {
    size_t len = strspn(at, "0123456789abcdefABCDEF");
    if (at[len] == '.') {
      read_dotted(at, &groups[count]);
      count += 2;
      break;
    }
    for (size_t i = 0; i < len; i++) {
      groups[count] = (uint16_t)(groups[count] << 4 | hex_value(at[i]));
    }
    count += len > 0;
    at += len;
    if (at[0] == ':' && at[1] == ':') {
      gap = count;
      at++;
    }
    at += *at == ':';
  }
  if (gap < 8) {
    memmove(&groups[8 - (count - gap)], &groups[gap],
            (count - gap) * sizeof(groups[0]));
    memset(&groups[gap], 0, (8 - count) * sizeof(groups[0]));
  }
}

static void put_ipv6(const char *text, char key[MCPI_ADDRESS_KEY_SIZE]) {
  static const uint16_t mapped[6] = {0, 0, 0, 0, 0, 0xffff};
  uint16_t g[8];
  read_ipv6(text, g);
  if (memcmp(g, mapped, sizeof(mapped)) == 0) {
    snprintf(key, MCPI_ADDRESS_KEY_SIZE, "%u.%u.%u.%u", g[6] >> 8u, g[6] & 255u,
             g[7] >> 8u, g[7] & 255u);
  } else {
    snprintf(key, MCPI_ADDRESS_KEY_SIZE, "%04x%04x%04x%04x/64", g[0], g[1],
             g[2], g[3]);
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
  if (mcpi_is_ipv6(host)) {
    char text[MCPI_ADDRESS_KEY_SIZE];
    memcpy(text, key, sizeof(text));
    put_ipv6(text, key);
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
