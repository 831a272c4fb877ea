/* SPDX-License-Identifier: MIT */
/* A doubly linked ring whose links are inside its members. A head is a link,
 * too. A link that is in no list points at itself. */
#ifndef MCPI_BASE_LIST_H
#define MCPI_BASE_LIST_H

#include <stddef.h>

typedef struct mcpi_list {
  struct mcpi_list *prev;
  struct mcpi_list *next;
} mcpi_list;

/* The structure that `member`, at address `link`, is part of. */
#define MCPI_CONTAINER(link, type, member)                                     \
  ((type *)(void *)((char *)(link)-offsetof(type, member)))

static inline void mcpi_list_init(mcpi_list *link) {
  link->prev = link;
  link->next = link;
}

static inline int mcpi_list_is_empty(const mcpi_list *head) {
  return head->next == head;
}

static inline void mcpi_list_append(mcpi_list *head, mcpi_list *link) {
  link->prev = head->prev;
  link->next = head;
  head->prev->next = link;
  head->prev = link;
}

/* Moves all members of `from` to the end of the other list. */
static inline void mcpi_list_move(mcpi_list *head, mcpi_list *from) {
  if (!mcpi_list_is_empty(from)) {
    from->next->prev = head->prev;
    head->prev->next = from->next;
    from->prev->next = head;
    head->prev = from->prev;
    mcpi_list_init(from);
  }
}

/* Removes the link from its list, if it is in one. */
static inline void mcpi_list_remove(mcpi_list *link) {
  link->prev->next = link->next;
  link->next->prev = link->prev;
  mcpi_list_init(link);
}

#endif
