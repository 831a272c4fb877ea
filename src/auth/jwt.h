/* SPDX-License-Identifier: MIT */
/* JSON Web Tokens, signed, in the compact form (RFC 7515, 7519), as RFC 8725
 * advises: the algorithm comes from a list of four, the key never from the
 * token itself. */
#ifndef MCPI_AUTH_JWT_H
#define MCPI_AUTH_JWT_H

#include "core/loop.h"
#include <mcp/json.h>
#include <mcp/sys/crypto.h>

enum {
  /* The longest token, in bytes. */
  MCPI_JWT_MAX = 16 * 1024
};

/* Returns MCP_SIGN_* for the name of an algorithm; 0: NULL, "none", or one that
 * is not allowed here. */
uint32_t mcpi_jwt_algorithm(const char *name);
/* Returns the name of MCP_SIGN_*. */
const char *mcpi_jwt_algorithm_name(uint32_t algorithm);
/* Returns MCP_KEY_*, the kind of keys of MCP_SIGN_*. */
uint32_t mcpi_jwt_algorithm_kind(uint32_t algorithm);

/* A token that has been read, but not verified. */
typedef struct mcpi_jwt {
  mcp_doc *header;      /* owned: an object */
  mcp_doc *claims;      /* owned: an object */
  uint32_t algorithm;   /* MCP_SIGN_* */
  const char *kid;      /* points into `header`; NULL: absent */
  const char *type;     /* `typ`; points into `header`; NULL: absent */
  mcpi_str signed_part; /* points into the text */
  uint8_t signature[MCP_SIGNATURE_MAX];
  size_t signature_len;
} mcpi_jwt;

/* Whether a text has the compact form: two dots. */
int mcpi_jwt_has_three_parts(mcpi_str text);
/* Reads a token. Returns 0; MCP_ERR_INVALID with err, whose message does not
 * quote the token: it has not three parts, a part is not base64url or not a
 * JSON object (a member may not occur twice), the algorithm is not allowed,
 * `crit` is there, or `kid` or `typ` is not a string; MCP_ERR_NOMEM. `text`
 * must outlive *out. _deinit is needed only after 0. */
int mcpi_jwt_read(mcpi_jwt *out, mcpi_str text, const mcp_allocator *allocator,
                  mcp_error *err);
void mcpi_jwt_deinit(mcpi_jwt *jwt);
/* Checks the signature with this key. Returns 0; MCP_ERR_REFUSED: it is wrong,
 * or the key is of another kind than the algorithm's; MCP_ERR_NOMEM;
 * MCP_ERR_PLATFORM. */
int mcpi_jwt_verify(const mcpi_jwt *jwt, mcp_loop *loop, const mcp_key *key);

/* Reads a claim that is a time in seconds since 1970 (`exp`, `nbf`, `iat`; a
 * fraction is allowed), as milliseconds. Returns 0; MCP_ERR_NOT_FOUND; or
 * MCP_ERR_INVALID: it is not a number, or out of range. */
int mcpi_jwt_time(const mcp_json *claims, const char *name, int64_t *out_ms);
/* Whether `aud`, a string or an array of strings, has this value. */
int mcpi_jwt_has_audience(const mcp_json *claims, const char *audience);

/* Appends a signed token. The header and the claims are JSON objects as text;
 * the header must have `alg`. Returns 0, MCP_ERR_INVALID (the key does not fit
 * the algorithm), MCP_ERR_NOMEM or MCP_ERR_PLATFORM. */
int mcpi_jwt_put(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                 uint32_t algorithm, mcpi_str header, mcpi_str claims);

/* Writes base64url of `len` random bytes (at most 32) and NUL. Returns 0,
 * MCP_ERR_PLATFORM (no platform.random) or what platform.random returns. */
enum { MCPI_RANDOM_TEXT_SIZE = 44 };
int mcpi_random_text(mcp_loop *loop, size_t len,
                     char out[MCPI_RANDOM_TEXT_SIZE]);

#endif
