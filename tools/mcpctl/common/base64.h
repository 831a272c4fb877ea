/* SPDX-License-Identifier: MIT */
/* Base64 as JSON carries it (RFC 4648, section 4). */
#ifndef CTL_BASE64_H
#define CTL_BASE64_H

#include <stddef.h>

/* The number of bytes that the text encodes. */
size_t ctl_base64_len(const char *text, size_t len);

/* Decodes into `out`, which has room for ctl_base64_len bytes. Returns 0, or -1
 * when the text is not base64. Padding may be missing. */
int ctl_base64_decode(const char *text, size_t len, char *out);

#endif
