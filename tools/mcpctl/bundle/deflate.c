/* SPDX-License-Identifier: MIT */
#include "bundle/deflate.h"

#include <limits.h>
#include <stdlib.h>
#define ZLIB_CONST /* it does not change what it reads */
#include <zlib.h>

/* A negative number of bits: no header of zlib's own. */
enum { RAW_BITS = -MAX_WBITS, MEMORY_LEVEL = 9 };

/* zlib counts in unsigned int; archives are smaller (CTL_ZIP_MAX_LEN). */
static int is_small(size_t len) {
  return len <= INT_MAX;
}

int ctl_deflate_is_there(void) {
  return 1;
}

char *ctl_deflate(const char *bytes, size_t len, size_t *packed_len) {
  z_stream stream = {0};
  if (!is_small(len) ||
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, RAW_BITS,
                   MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
    return NULL;
  }
  size_t size = deflateBound(&stream, (uLong)len);
  char *packed = is_small(size) ? malloc(size) : NULL;
  int state = Z_MEM_ERROR;
  if (packed != NULL) {
    stream.next_in = (const Bytef *)bytes;
    stream.avail_in = (uInt)len;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)size;
    state = deflate(&stream, Z_FINISH);
    *packed_len = size - stream.avail_out;
  }
  deflateEnd(&stream);
  if (state != Z_STREAM_END) {
    free(packed);
    return NULL;
  }
  return packed;
}

int ctl_inflate(char *out, size_t len, const char *packed, size_t packed_len) {
  z_stream stream = {0};
  char spare = 0; /* an empty file still has an end to be read */
  if (!is_small(len) || !is_small(packed_len) ||
      inflateInit2(&stream, RAW_BITS) != Z_OK) {
    return -1;
  }
  stream.next_in = (const Bytef *)packed;
  stream.avail_in = (uInt)packed_len;
  stream.next_out = len > 0 ? (Bytef *)out : (Bytef *)&spare;
  stream.avail_out = len > 0 ? (uInt)len : 1;
  int state = inflate(&stream, Z_FINISH);
  int is_whole =
      state == Z_STREAM_END && stream.total_out == len && stream.avail_in == 0;
  inflateEnd(&stream);
  return is_whole ? 0 : -1;
}

size_t ctl_inflate_begin(char *out, size_t max, const char *packed,
                         size_t packed_len) {
  z_stream stream = {0};
  if (!is_small(max) || !is_small(packed_len) ||
      inflateInit2(&stream, RAW_BITS) != Z_OK) {
    return 0;
  }
  stream.next_in = (const Bytef *)packed;
  stream.avail_in = (uInt)packed_len;
  stream.next_out = (Bytef *)out;
  stream.avail_out = (uInt)max;
  inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return max - stream.avail_out;
}

uint32_t ctl_crc32(const char *bytes, size_t len) {
  return (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)len);
}
