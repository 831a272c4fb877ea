/* SPDX-License-Identifier: MIT */
/* Compression for zip archives (RFC 1951) and their checksums. Only deflate.c
 * calls zlib; deflate_none.c stands in for it in a build without bundles
 * (MCP_BUNDLES). */
#ifndef CTL_DEFLATE_H
#define CTL_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* Whether this mcpctl can read and write bundles. */
int ctl_deflate_is_there(void);

/* Compresses the bytes. Returns owned bytes: end them with free; NULL: out of
 * memory. */
char *ctl_deflate(const char *bytes, size_t len, size_t *packed_len);

/* Decompresses into `out`. Returns 0; -1 if the bytes are not valid, or are not
 * `len` bytes when decompressed. */
int ctl_inflate(char *out, size_t len, const char *packed, size_t packed_len);

/* Decompresses the first bytes, at most `max`. Returns how many there are. */
size_t ctl_inflate_begin(char *out, size_t max, const char *packed,
                         size_t packed_len);

uint32_t ctl_crc32(const char *bytes, size_t len);

#endif
