/* SPDX-License-Identifier: MIT */
/* Memory from an mcp_allocator. No other file calls malloc. */
#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *default_alloc(void *userdata, size_t size) {
  (void)userdata;
  return malloc(size);
}

static void *default_resize(void *userdata, void *ptr, size_t old_size,
                            size_t new_size) {
  (void)old_size;
  (void)userdata;
  return realloc(ptr, new_size);
}

static void default_release(void *userdata, void *ptr, size_t size) {
  (void)size;
  (void)userdata;
  free(ptr);
}

const mcp_allocator *mcp_allocator_default(void) {
  static const mcp_allocator allocator = {default_alloc, default_resize,
                                          default_release, NULL};
  return &allocator;
}

void *mcpi_alloc(const mcp_allocator *allocator, size_t size) {
  if (size == 0) {
    return NULL;
  }
  return allocator->alloc(allocator->userdata, size);
}

void *mcpi_calloc(const mcp_allocator *allocator, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) {
    return NULL;
  }
  void *ptr = mcpi_alloc(allocator, count * size);
  if (ptr != NULL) {
    memset(ptr, 0, count * size);
  }
  return ptr;
}

void *mcpi_realloc(const mcp_allocator *allocator, void *ptr, size_t old_size,
                   size_t new_size) {
  assert(new_size > 0);
  if (ptr == NULL) {
    return mcpi_alloc(allocator, new_size);
  }
  return allocator->resize(allocator->userdata, ptr, old_size, new_size);
}

void mcpi_free(const mcp_allocator *allocator, void *ptr, size_t size) {
  if (ptr != NULL) {
    allocator->release(allocator->userdata, ptr, size);
  }
}

char *mcpi_strdup(const mcp_allocator *allocator, const char *string) {
  if (string == NULL) {
    return NULL;
  }
  return mcpi_strndup(allocator, string, strlen(string));
}

char *mcpi_strndup(const mcp_allocator *allocator, const char *string,
                   size_t len) {
  if (string == NULL) {
    return NULL;
  }
  /* mcpi_strfree measures the string, so the copy ends at the first NUL. */
  const char *nul = memchr(string, '\0', len);
  if (nul != NULL) {
    len = (size_t)(nul - string);
  }
  char *copy = mcpi_alloc(allocator, len + 1);
  if (copy != NULL) {
    memcpy(copy, string, len);
    copy[len] = '\0';
  }
  return copy;
}

void mcpi_strfree(const mcp_allocator *allocator, char *string) {
  if (string != NULL) {
    mcpi_free(allocator, string, strlen(string) + 1);
  }
}

/* A compiler that does not know which function this is cannot leave the call
 * out. */
static void *(*const volatile overwrite)(void *ptr, int byte,
                                         size_t size) = memset;

void mcpi_wipe(void *ptr, size_t size) {
  if (size > 0) {
    overwrite(ptr, 0, size);
  }
}

void mcpi_free_wiped(const mcp_allocator *allocator, void *ptr, size_t size) {
  if (ptr != NULL) {
    mcpi_wipe(ptr, size);
  }
  mcpi_free(allocator, ptr, size);
}

void mcpi_strfree_wiped(const mcp_allocator *allocator, char *string) {
  if (string != NULL) {
    mcpi_free_wiped(allocator, string, strlen(string) + 1);
  }
}
