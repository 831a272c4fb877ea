/* SPDX-License-Identifier: MIT */
#include "auth/client/issuers.h"

#include "base/alloc.h"

typedef struct known_issuer {
  mcpi_list link;
  int64_t until_ms;
  mcpi_str issuer; /* points into `text`, as the document does */
  mcpi_str document;
  size_t size; /* of the whole structure */
  char text[];
} known_issuer;

static void issuers_remove(mcpi_issuers *issuers, known_issuer *known) {
  mcpi_list_remove(&known->link);
  issuers->count--;
  mcpi_free(issuers->allocator, known, known->size);
}

static known_issuer *issuers_oldest(mcpi_issuers *issuers) {
  return MCPI_CONTAINER(issuers->list.next, known_issuer, link);
}

void mcpi_issuers_init(mcpi_issuers *issuers, const mcp_allocator *allocator) {
  *issuers = (mcpi_issuers){.allocator = allocator};
  mcpi_list_init(&issuers->list);
}

void mcpi_issuers_deinit(mcpi_issuers *issuers) {
  while (issuers->count > 0) {
    issuers_remove(issuers, issuers_oldest(issuers));
  }
}

static known_issuer *issuers_seek(mcpi_issuers *issuers, mcpi_str issuer) {
  for (mcpi_list *at = issuers->list.next; at != &issuers->list;
       at = at->next) {
    known_issuer *known = MCPI_CONTAINER(at, known_issuer, link);
    if (mcpi_str_eq(known->issuer, issuer)) {
      return known;
    }
  }
  return NULL;
}

void mcpi_issuers_drop(mcpi_issuers *issuers, mcpi_str issuer) {
  known_issuer *known = issuers_seek(issuers, issuer);
  if (known != NULL) {
    issuers_remove(issuers, known);
  }
}

mcpi_str mcpi_issuers_find(mcpi_issuers *issuers, mcpi_str issuer,
                           int64_t now_ms) {
  const known_issuer *known = issuers_seek(issuers, issuer);
  if (known == NULL || known->until_ms <= now_ms) {
    return mcpi_str_z(NULL);
  }
  return known->document;
}

void mcpi_issuers_keep(mcpi_issuers *issuers, mcpi_str issuer,
                       mcpi_str document, int64_t until_ms) {
  size_t size = sizeof(known_issuer) + issuer.len + document.len;
  known_issuer *known = mcpi_alloc(issuers->allocator, size);
  if (known == NULL) {
    mcpi_issuers_drop(issuers, issuer);
    return;
  }
  memcpy(known->text, issuer.ptr, issuer.len);
  memcpy(known->text + issuer.len, document.ptr, document.len);
  known->until_ms = until_ms;
  known->size = size;
  known->issuer = mcpi_str_n(known->text, issuer.len);
  known->document = mcpi_str_n(known->text + issuer.len, document.len);
  /* Only now: the arguments may be what mcpi_issuers_find returned. */
  mcpi_issuers_drop(issuers, known->issuer);
  if (issuers->count == MCPI_ISSUERS_MAX) {
    issuers_remove(issuers, issuers_oldest(issuers));
  }
  mcpi_list_append(&issuers->list, &known->link);
  issuers->count++;
}
