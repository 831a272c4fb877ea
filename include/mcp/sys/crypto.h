/* SPDX-License-Identifier: MIT */
/** @file
 * Hashes, keys and signatures, which OAuth needs (mcp_platform.crypto).
 *
 * libmcp fills this table with OpenSSL. A program that links only libmcp-core
 * and uses authorization fills it in.
 *
 * All functions are called on the loop's thread. They do not block: with the
 * keys in common use a check of a signature takes 0.02 to 0.2 ms.
 */
#ifndef MCP_SYS_CRYPTO_H
#define MCP_SYS_CRYPTO_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** The size of a SHA-256 hash in bytes. */
#define MCP_SHA256_SIZE 32
/** The size of the longest signature in bytes: RSA with 8192 bits. */
#define MCP_SIGNATURE_MAX 1024

/** The kinds of keys. */
enum {
  /** RSA with 2048 to 8192 bits. */
  MCP_KEY_RSA = 1,
  /** An elliptic curve, P-256. */
  MCP_KEY_P256 = 2,
  MCP_KEY_ED25519 = 3
};

/** The algorithms of signatures, with their names in JWTs (RFC 7518, 3.1; RFC
 * 8037, 3.1). Each needs one kind of key. */
enum {
  /** RSASSA-PKCS1-v1_5 with SHA-256. */
  MCP_SIGN_RS256 = 1,
  /** RSASSA-PSS with SHA-256, MGF1 with SHA-256, and a salt of 32 bytes. */
  MCP_SIGN_PS256 = 2,
  /** ECDSA with P-256 and SHA-256. A signature is r and s, 32 bytes each, the
   * most significant first. */
  MCP_SIGN_ES256 = 3,
  /** Ed25519. */
  MCP_SIGN_EDDSA = 4
};

/** A public or private key. Only the functions of the table look into it. */
typedef struct mcp_key mcp_key;

/** The numbers of a public key, as in a JWK (RFC 7517): the most significant
 * byte first. This structure does not grow. */
typedef struct mcp_key_parts {
  /** MCP_KEY_*. */
  uint32_t kind;
  /** RSA: the modulus n, without zero bytes in front. P-256: x, 32 bytes.
   * Ed25519: the key x, 32 bytes. */
  const uint8_t *first;
  size_t first_len;
  /** RSA: the exponent e, without zero bytes in front. P-256: y, 32 bytes.
   * Ed25519: NULL. */
  const uint8_t *second;
  size_t second_len;
} mcp_key_parts;

/** The table. No member may be NULL. `userdata` is mcp_platform.userdata. */
typedef struct mcp_crypto {
  /** sizeof(mcp_crypto); MCP_CRYPTO_INIT sets it. */
  size_t size;

  /** Writes the SHA-256 hash of the bytes. Returns 0, MCP_ERR_NOMEM or
   * MCP_ERR_PLATFORM. */
  int (*sha256)(void *userdata, const void *bytes, size_t len,
                uint8_t out[MCP_SHA256_SIZE]);

  /** Makes a public key from its numbers. *out is owned: free it with
   * key_free. Returns 0; MCP_ERR_INVALID: there is no such key (RSA of another
   * size, a point that is not on the curve); MCP_ERR_NOMEM; MCP_ERR_PLATFORM.
   */
  int (*key_from_parts)(void *userdata, const mcp_key_parts *parts,
                        mcp_key **out);
  /** Makes a private key from PEM, unencrypted: PKCS#8, or the older form of
   * its kind ("RSA PRIVATE KEY", "EC PRIVATE KEY"). `pem` need not end with
   * NUL. *out and the result are those of key_from_parts. */
  int (*key_from_pem)(void *userdata, const char *pem, size_t len,
                      mcp_key **out);
  /** Makes a new private key. `kind` is MCP_KEY_P256 or MCP_KEY_ED25519. *out
   * and the result are those of key_from_parts. */
  int (*key_generate)(void *userdata, uint32_t kind, mcp_key **out);
  /** Frees a key, and overwrites a private one. NULL is accepted. */
  void (*key_free)(void *userdata, mcp_key *key);

  /** Gets the numbers of the public key. They are borrowed from the key. */
  void (*key_parts)(void *userdata, const mcp_key *key, mcp_key_parts *out);
  /** Writes a private key as PEM (PKCS#8, unencrypted), with NUL at the end, to
   * `out` of `size` bytes; 4096 are enough for each key that key_generate
   * makes. Returns 0; MCP_ERR_INVALID: the key is public, or does not fit;
   * MCP_ERR_NOMEM; MCP_ERR_PLATFORM. */
  int (*key_to_pem)(void *userdata, const mcp_key *key, char *out, size_t size);

  /** Signs the bytes with a private key. `algorithm` is MCP_SIGN_*. Writes the
   * signature and its length. Returns 0; MCP_ERR_INVALID: the key is public, or
   * is not of the algorithm's kind; MCP_ERR_NOMEM; MCP_ERR_PLATFORM. */
  int (*sign)(void *userdata, const mcp_key *key, uint32_t algorithm,
              const void *bytes, size_t len, uint8_t out[MCP_SIGNATURE_MAX],
              size_t *out_len);
  /** Checks a signature of the bytes. Returns 0: it is right; MCP_ERR_REFUSED:
   * it is wrong; MCP_ERR_INVALID: the key is not of the algorithm's kind;
   * MCP_ERR_NOMEM; MCP_ERR_PLATFORM. */
  int (*verify)(void *userdata, const mcp_key *key, uint32_t algorithm,
                const void *bytes, size_t len, const uint8_t *signature,
                size_t signature_len);
} mcp_crypto;

#define MCP_CRYPTO_INIT MCP_INIT_(mcp_crypto)

MCP_END_DECLS

#endif
