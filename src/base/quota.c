/* SPDX-License-Identifier: MIT */
/* How many bytes peers can make us keep, and allocators within that. */
#include "base/quota.h"

static void *take(size_t size, void *userdata) {
  mcpi_share *share = userdata;
  if (!mcpi_quota_count(share->quota, share->used, size)) {
    return NULL;
  }
  void *ptr = mcpi_alloc(&share->quota->source, size);
  if (ptr != NULL) {
    share->used += size;
  } else {
    mcpi_quota_discount(share->quota, size);
  }
  return ptr;
}

static void *resize(void *ptr, size_t old_size, size_t new_size,
                    void *userdata) {
  mcpi_share *share = userdata;
  mcpi_quota *quota = share->quota;
  if (new_size > old_size &&
      !mcpi_quota_count(quota, share->used, new_size - old_size)) {
    return NULL;
  }
  void *moved = mcpi_realloc(&quota->source, ptr, old_size, new_size);
  if (moved != NULL) {
    share->used = share->used - old_size + new_size;
  }
  if (moved != NULL && new_size < old_size) {
    mcpi_quota_discount(quota, old_size - new_size);
  } else if (moved == NULL && new_size > old_size) {
    mcpi_quota_discount(quota, new_size - old_size);
  }
  return moved;
}

static void give_back(void *ptr, size_t size, void *userdata) {
  mcpi_share *share = userdata;
  mcpi_free(&share->quota->source, ptr, size);
  share->used -= size;
  mcpi_quota_discount(share->quota, size);
}

void mcpi_share_init(mcpi_share *share, mcpi_quota *quota) {
  *share = (mcpi_share){.allocator = {take, resize, give_back, share},
                        .quota = mcpi_quota_ref(quota)};
}

void mcpi_share_deinit(mcpi_share *share) {
  mcpi_quota_unref(share->quota);
  share->quota = NULL;
}

mcpi_quota *mcpi_quota_new(const mcp_allocator *source, size_t max) {
  mcpi_quota *quota = mcpi_alloc(source, sizeof(*quota));
  if (quota != NULL) {
    *quota = (mcpi_quota){.source = *source, .max = max, .refs = 1};
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
