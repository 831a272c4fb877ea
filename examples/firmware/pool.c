/* SPDX-License-Identifier: MIT */
/* The library says how long a piece is when it releases it, so the pieces need
 * no headers. The first hole that is long enough is taken, and holes that touch
 * become one. */
#include "pool.h"

#include <string.h>

struct pool_hole {
  pool_hole *next;
  size_t len;
};

/* All lengths are multiples of it, so that a hole fits into each piece. */
enum { UNIT = sizeof(pool_hole) };

static size_t round_up(size_t size) {
  return (size + UNIT - 1) / UNIT * UNIT;
}

static char *end_of(pool_hole *hole) {
  return (char *)hole + hole->len;
}

/* Takes the first bytes of a hole. */
static void take(pool *self, pool_hole **place, size_t len) {
  pool_hole *hole = *place;
  if (hole->len == len) {
    *place = hole->next;
  } else {
    pool_hole *rest = (pool_hole *)((char *)hole + len);
    *rest = (pool_hole){hole->next, hole->len - len};
    *place = rest;
  }
  self->used += len;
  if (self->used > self->peak) {
    self->peak = self->used;
  }
}

static void *pool_alloc(void *userdata, size_t size) {
  pool *self = userdata;
  size_t len = round_up(size);
  pool_hole **place = &self->holes;
  while (*place != NULL && (*place)->len < len) {
    place = &(*place)->next;
  }
  pool_hole *hole = *place;
  if (hole == NULL || len < size) {
    return NULL;
  }
  take(self, place, len);
  return hole;
}

static void pool_release(void *userdata, void *ptr, size_t size) {
  pool *self = userdata;
  pool_hole *before = NULL;
  pool_hole *after = self->holes;
  while (after != NULL && (char *)after < (char *)ptr) {
    before = after;
    after = after->next;
  }
  pool_hole *hole = ptr;
  *hole = (pool_hole){after, round_up(size)};
  self->used -= hole->len;
  if (after != NULL && end_of(hole) == (char *)after) {
    *hole = (pool_hole){after->next, hole->len + after->len};
  }
  if (before == NULL) {
    self->holes = hole;
  } else if (end_of(before) == (char *)hole) {
    *before = (pool_hole){hole->next, before->len + hole->len};
  } else {
    before->next = hole;
  }
}

/* Lengthens a piece if the hole after it is long enough. The library lengthens
 * its buffers often, by a few bytes. */
static int pool_extend(pool *self, char *end, size_t more) {
  pool_hole **place = &self->holes;
  while (*place != NULL && (char *)*place < end) {
    place = &(*place)->next;
  }
  if ((char *)*place != end || (*place)->len < more) {
    return 0;
  }
  take(self, place, more);
  return 1;
}

static void *pool_resize(void *userdata, void *ptr, size_t old_size,
                         size_t new_size) {
  pool *self = userdata;
  size_t old_len = round_up(old_size);
  size_t new_len = round_up(new_size);
  if (new_len == old_len ||
      (new_len > old_len &&
       pool_extend(self, (char *)ptr + old_len, new_len - old_len))) {
    return ptr;
  }
  void *moved = pool_alloc(self, new_size);
  if (moved != NULL) {
    memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    pool_release(self, ptr, old_size);
  }
  return moved;
}

void pool_init(pool *self, void *memory, size_t len) {
  *self = (pool){.holes = memory, .len = len / UNIT * UNIT};
  *self->holes = (pool_hole){NULL, self->len};
}

mcp_allocator pool_allocator(pool *self) {
  return (mcp_allocator){pool_alloc, pool_resize, pool_release, self};
}
