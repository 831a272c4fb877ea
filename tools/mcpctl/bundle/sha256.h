/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), the checksum that a registry has of a bundle. Nothing
 * secret goes through it; libmcp takes what it signs to OpenSSL. */
#ifndef CTL_SHA256_H
#define CTL_SHA256_H

#include <stddef.h>

enum { CTL_SHA256_TEXT = 65 };

/* Writes the hash of the bytes as hexadecimal digits. */
void ctl_sha256(const char *bytes, size_t len, char out[CTL_SHA256_TEXT]);

#endif
