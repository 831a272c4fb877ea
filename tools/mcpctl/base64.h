/* SPDX-License-Identifier: MIT */
/* Base64 as JSON carries it (RFC 4648, section 4). */
#ifndef CTL_BASE64_H
#define CTL_BASE64_H

#include <stddef.h>

/* Bytes that so much text stands for. */
size_t ctl_base64_len(const char *text, size_t len);

/* Decodes into `out`, which has room for ctl_base64_len bytes. 0, or -1: that
 * is not base64. Padding may be missing. */
int ctl_base64_decode(const char *text, size_t len, char *out);

#endif
