/* SPDX-License-Identifier: MIT */
/* An allocator that gives no more than so many bytes at once. */
#include "base/quota.h"

static void *take(size_t size, void *userdata) {
  mcpi_quota *quota = userdata;
  if (size > quota->max - quota->used) {
    return NULL;
  }
  void *ptr = mcpi_alloc(&quota->source, size);
  quota->used += ptr != NULL ? size : 0;
  return ptr;
}

static void *resize(void *ptr, size_t old_size, size_t new_size,
                    void *userdata) {
  mcpi_quota *quota = userdata;
  if (new_size > old_size && new_size - old_size > quota->max - quota->used) {
    return NULL;
  }
  void *moved = mcpi_realloc(&quota->source, ptr, old_size, new_size);
  if (moved != NULL) {
    quota->used = quota->used - old_size + new_size;
  }
  return moved;
}

static void give_back(void *ptr, size_t size, void *userdata) {
  mcpi_quota *quota = userdata;
  mcpi_free(&quota->source, ptr, size);
  quota->used -= size;
}

mcpi_quota *mcpi_quota_new(const mcp_allocator *source, size_t max) {
  mcpi_quota *quota = mcpi_alloc(source, sizeof(*quota));
  if (quota != NULL) {
    *quota = (mcpi_quota){.allocator = {take, resize, give_back, quota},
                          .source = *source,
                          .max = max,
                          .refs = 1};
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
    mcpi_free(&source, quota, sizeof(*quota));
  }
}
