/* SPDX-License-Identifier: MIT */
/* The entries of the platform table that need no loop. Each is in its own file,
 * which is the only one to use its library. */
#ifndef MCPI_PLATFORM_PLATFORM_H
#define MCPI_PLATFORM_PLATFORM_H

#include <mcp/sys/crypto.h>
#include <mcp/sys/platform.h>

/* random.c, with libuv: OpenSSL would cost an idle server 2 MB. */
int mcpi_platform_random(void *userdata, void *bytes, size_t len);

/* lock.c, with libuv. */
void *mcpi_platform_lock_new(void *userdata);
void mcpi_platform_lock_acquire(void *lock);
void mcpi_platform_lock_release(void *lock);
void mcpi_platform_lock_free(void *lock);

/* crypto.c, with OpenSSL, which is loaded at the first call. */
extern const mcp_crypto mcpi_platform_crypto;

/* seal.c, with OpenSSL, which is loaded here first (tls/tls.h). */
int mcpi_platform_seal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                       const void *bound, size_t bound_len, const void *text,
                       size_t len, uint8_t *out);
int mcpi_platform_unseal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                         const void *bound, size_t bound_len,
                         const void *sealed, size_t len, uint8_t *out);

#endif
