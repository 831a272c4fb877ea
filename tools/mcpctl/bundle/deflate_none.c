/* SPDX-License-Identifier: MIT */
/* mcpctl without bundles. */
#include "bundle/deflate.h"

int ctl_deflate_is_there(void) {
  return 0;
}

char *ctl_deflate(const char *bytes, size_t len, size_t *packed_len) {
  (void)bytes;
  (void)len;
  (void)packed_len;
  return NULL;
}

int ctl_inflate(char *out, size_t len, const char *packed, size_t packed_len) {
  (void)out;
  (void)len;
  (void)packed;
  (void)packed_len;
  return -1;
}

size_t ctl_inflate_begin(char *out, size_t max, const char *packed,
                         size_t packed_len) {
  (void)out;
  (void)max;
  (void)packed;
  (void)packed_len;
  return 0;
}

uint32_t ctl_crc32(const char *bytes, size_t len) {
  (void)bytes;
  (void)len;
  return 0;
}
