/* SPDX-License-Identifier: MIT */
#include "auth/jwk.h"

#include "auth/jwt.h"
#include "auth/scopes.h"
#include "base/base64.h"
#include "base/error.h"
#include "json/duplicate.h"

enum {
  RSA_MIN_BITS = 2048,
  RSA_MAX_BITS = 8192,
  /* Keys in use have 3 bytes. A longer exponent only makes each check slow. */
  RSA_EXPONENT_MAX = 8,
  FIELD = 32 /* bytes of a number of P-256 and Ed25519 */
};

/* --- kinds ---------------------------------------------------------------- */

/* How each kind of key is written: `kty`, `crv`, and the members with its
 * numbers. */
static const struct {
  uint32_t kind;
  const char *type;
  const char *curve; /* NULL: none */
  const char *first;
  const char *second; /* NULL: none */
} kinds[] = {{MCP_KEY_RSA, "RSA", NULL, "n", "e"},
             {MCP_KEY_P256, "EC", "P-256", "x", "y"},
             {MCP_KEY_ED25519, "OKP", "Ed25519", "x", NULL}};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static int member_is(const mcp_json *jwk, const char *name,
                     const char *wanted) {
  const char *text = mcp_json_string(mcp_json_get(jwk, name));
  return wanted == NULL || (text != NULL && strcmp(text, wanted) == 0);
}

/* Returns the index in `kinds`; KINDS: we do not know it. */
static size_t kind_of_jwk(const mcp_json *jwk) {
  size_t i = 0;
  while (i < KINDS && (!member_is(jwk, "kty", kinds[i].type) ||
                       !member_is(jwk, "crv", kinds[i].curve))) {
    i++;
  }
  return i;
}

static size_t kind_index(uint32_t kind) {
  size_t i = 0;
  while (i < KINDS && kinds[i].kind != kind) {
    i++;
  }
  return i;
}

/* --- reading -------------------------------------------------------------- */

/* Whether the key may check signatures, by `use` and `key_ops`. */
static int may_verify(const mcp_json *jwk) {
  const mcp_json *use = mcp_json_get(jwk, "use");
  const mcp_json *ops = mcp_json_get(jwk, "key_ops");
  return (use == NULL || member_is(jwk, "use", "sig")) &&
         (ops == NULL || mcpi_scopes_array_has(ops, MCPI_STR("verify")));
}

/* A key that names an algorithm is for this one alone. Returns 0 or
 * MCP_ERR_INVALID. */
static int read_algorithm(const mcp_json *jwk, uint32_t kind, uint32_t *out) {
  const mcp_json *name = mcp_json_get(jwk, "alg");
  *out = mcpi_jwt_algorithm(mcp_json_string(name));
  if (name == NULL || mcpi_jwt_algorithm_kind(*out) == kind) {
    return 0;
  }
  return MCP_ERR_INVALID;
}

/* Decodes a number; name NULL: keys of this kind do not have it. Returns 0,
 * MCP_ERR_INVALID or MCP_ERR_NOMEM. */
static int read_number(const mcp_json *jwk, const char *name, mcpi_buf *out) {
  size_t len;
  if (name == NULL) {
    return 0;
  }
  const char *text = mcp_json_string_n(mcp_json_get(jwk, name), &len);
  if (text == NULL || mcpi_base64url_decode(out, mcpi_str_n(text, len)) != 0) {
    return MCP_ERR_INVALID;
  }
  if (out->error == MCP_ERR_LIMIT) {
    return MCP_ERR_INVALID;
  }
  return out->error;
}

/* Returns 0 for a number with a zero byte in front. */
static size_t count_bits(const mcpi_buf *number) {
  size_t bits = number->len * 8;
  unsigned top = number->len > 0 ? (unsigned char)number->data[0] : 0;
  for (; top < 0x80 && bits > 0; top <<= 1) {
    bits--;
  }
  return top != 0 ? bits : 0;
}

static int is_odd(const mcpi_buf *number) {
  return number->len > 0 && (number->data[number->len - 1] & 1) != 0;
}

/* Zero bytes in front are refused (RFC 7518, 2): with them one key would have
 * several thumbprints. */
static int is_rsa(const mcpi_buf *n, const mcpi_buf *e) {
  size_t bits = count_bits(n);
  return bits >= RSA_MIN_BITS && bits <= RSA_MAX_BITS && is_odd(n) &&
         is_odd(e) && e->len <= RSA_EXPONENT_MAX && e->data[0] != 0 &&
         (e->len > 1 || e->data[0] != 1);
}

/* Whether the numbers have the form that mcp_key_parts promises. Whether a
 * point is on its curve is for key_from_parts. */
static int are_numbers(uint32_t kind, const mcpi_buf *first,
                       const mcpi_buf *second) {
  if (kind == MCP_KEY_RSA) {
    return is_rsa(first, second);
  }
  return first->len == FIELD &&
         second->len == (kind == MCP_KEY_P256 ? FIELD : 0);
}

static int make_key(mcp_loop *loop, uint32_t kind, const mcpi_buf *first,
                    const mcpi_buf *second, mcp_key **out) {
  const mcp_platform *platform = &loop->platform;
  const mcp_key_parts parts = {.kind = kind,
                               .first = (const uint8_t *)first->data,
                               .first_len = first->len,
                               .second = (const uint8_t *)second->data,
                               .second_len = second->len};
  if (!are_numbers(kind, first, second)) {
    return MCP_ERR_INVALID;
  }
  return platform->crypto->key_from_parts(platform->userdata, &parts, out);
}

int mcpi_jwk_read(mcp_loop *loop, const mcp_json *jwk, mcp_key **out) {
  size_t i = kind_of_jwk(jwk);
  uint32_t algorithm;
  mcpi_buf first;
  mcpi_buf second;
  if (loop->platform.crypto == NULL) {
    return MCP_ERR_PLATFORM;
  }
  if (i == KINDS || !may_verify(jwk) ||
      read_algorithm(jwk, kinds[i].kind, &algorithm) != 0) {
    return MCP_ERR_INVALID;
  }
  mcpi_buf_init(&first, &loop->allocator, MCP_SIGNATURE_MAX);
  mcpi_buf_init(&second, &loop->allocator, MCP_SIGNATURE_MAX);
  int rc = read_number(jwk, kinds[i].first, &first);
  if (rc == 0) {
    rc = read_number(jwk, kinds[i].second, &second);
  }
  if (rc == 0) {
    rc = make_key(loop, kinds[i].kind, &first, &second, out);
  }
  mcpi_buf_deinit(&first);
  mcpi_buf_deinit(&second);
  return rc;
}

/* --- writing -------------------------------------------------------------- */

static void put_number(mcp_loop *loop, mcp_builder *builder, const char *name,
                       const uint8_t *bytes, size_t len) {
  mcpi_buf text;
  mcpi_buf_init(&text, &loop->allocator, SIZE_MAX);
  mcpi_base64url_put(&text, bytes, len);
  /* Without memory the builder gets no value, and so its end is an error. */
  if (text.error == 0) {
    mcp_builder_string_n(builder, name, text.data, text.len);
  } else {
    mcp_builder_string_n(builder, name, NULL, 1);
  }
  mcpi_buf_deinit(&text);
}

/* The members are in the order of their names, as RFC 7638 hashes them. */
void mcpi_jwk_write(mcp_loop *loop, const mcp_key *key, mcp_builder *builder,
                    const char *name) {
  const mcp_platform *platform = &loop->platform;
  mcp_key_parts parts;
  platform->crypto->key_parts(platform->userdata, key, &parts);
  size_t i = kind_index(parts.kind);
  mcp_builder_object(builder, name);
  if (parts.kind == MCP_KEY_RSA) {
    put_number(loop, builder, "e", parts.second, parts.second_len);
    mcp_builder_string(builder, "kty", kinds[i].type);
    put_number(loop, builder, "n", parts.first, parts.first_len);
  } else {
    mcp_builder_string(builder, "crv", kinds[i].curve);
    mcp_builder_string(builder, "kty", kinds[i].type);
    put_number(loop, builder, "x", parts.first, parts.first_len);
    if (kinds[i].second != NULL) {
      put_number(loop, builder, "y", parts.second, parts.second_len);
    }
  }
  mcp_builder_end(builder);
}

int mcpi_hash_text(mcp_loop *loop, mcpi_str text,
                   char out[MCPI_THUMBPRINT_SIZE]) {
  const mcp_platform *platform = &loop->platform;
  uint8_t hash[MCP_SHA256_SIZE];
  mcpi_buf written;
  if (platform->crypto == NULL) {
    return MCP_ERR_PLATFORM;
  }
  int rc =
      platform->crypto->sha256(platform->userdata, text.ptr, text.len, hash);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_init(&written, &loop->allocator, SIZE_MAX);
  mcpi_base64url_put(&written, hash, sizeof(hash));
  mcpi_buf_putc(&written, '\0');
  rc = written.error;
  if (rc == 0) {
    memcpy(out, written.data, MCPI_THUMBPRINT_SIZE);
  }
  mcpi_buf_deinit(&written);
  return rc;
}

int mcpi_jwk_thumbprint(mcp_loop *loop, const mcp_key *key,
                        char out[MCPI_THUMBPRINT_SIZE]) {
  size_t len;
  int rc = MCP_ERR_NOMEM;
  mcp_builder *builder = mcp_builder_new(&loop->allocator, NULL);
  if (builder == NULL) {
    return rc;
  }
  mcpi_jwk_write(loop, key, builder, NULL);
  const char *json = mcp_builder_text(builder, &len);
  if (json != NULL) {
    rc = mcpi_hash_text(loop, mcpi_str_n(json, len), out);
  }
  mcp_builder_free(builder);
  return rc;
}

/* --- sets ----------------------------------------------------------------- */

static void jwk_deinit(mcp_loop *loop, mcpi_jwk *jwk) {
  const mcp_platform *platform = &loop->platform;
  platform->crypto->key_free(platform->userdata, jwk->key);
  mcpi_strfree(&loop->allocator, jwk->kid);
}

void mcpi_jwks_deinit(mcpi_jwks *jwks) {
  for (size_t i = 0; i < jwks->count; i++) {
    jwk_deinit(jwks->loop, &jwks->keys[i]);
  }
  mcpi_free(&jwks->loop->allocator, jwks->keys,
            MCPI_JWKS_MAX * sizeof(mcpi_jwk));
  jwks->keys = NULL;
  jwks->count = 0;
}

/* Adds a key. Returns 0, also if it cannot be used; MCP_ERR_NOMEM or
 * MCP_ERR_PLATFORM. */
static int jwks_add(mcpi_jwks *jwks, const mcp_json *json) {
  size_t i = kind_of_jwk(json);
  mcpi_jwk jwk = {.kind = i < KINDS ? kinds[i].kind : 0};
  const mcp_json *id = mcp_json_get(json, "kid");
  const char *kid = mcp_json_string(id);
  if (i == KINDS || read_algorithm(json, jwk.kind, &jwk.algorithm) != 0 ||
      (id != NULL && kid == NULL)) {
    return 0;
  }
  int rc = mcpi_jwk_read(jwks->loop, json, &jwk.key);
  if (rc != 0) {
    return rc == MCP_ERR_INVALID ? 0 : rc;
  }
  jwk.kid = mcpi_strdup(&jwks->loop->allocator, kid);
  if (kid != NULL && jwk.kid == NULL) {
    jwk_deinit(jwks->loop, &jwk);
    return MCP_ERR_NOMEM;
  }
  jwks->keys[jwks->count++] = jwk;
  return 0;
}

/* Keys that cannot be used count too: to find out takes time. */
static int jwks_add_all(mcpi_jwks *jwks, const mcp_json *array) {
  mcp_json_iter iter;
  int rc = 0;
  mcp_json_iter_init(&iter, array);
  for (size_t i = 0; rc == 0 && i < MCPI_JWKS_MAX; i++) {
    const mcp_json *each = mcp_json_iter_next(&iter, NULL);
    if (each == NULL) {
      break;
    }
    rc = jwks_add(jwks, each);
  }
  return rc;
}

static int jwks_check_members(const mcpi_jwks *jwks, const mcp_json *root,
                              mcp_error *err) {
  int no_memory = 0;
  const mcp_json *twice = mcpi_json_duplicate_within(
      root, &jwks->loop->allocator, jwks->loop->hash_seed, &no_memory);
  if (no_memory) {
    return mcpi_no_memory(err);
  }
  if (twice != NULL) {
    return mcp_error_set(err, MCP_ERR_PARSE,
                         "a member occurs twice in an object of the keys");
  }
  return 0;
}

static int jwks_read_doc(mcpi_jwks *jwks, const mcp_doc *doc, mcp_error *err) {
  const mcp_json *array = mcp_json_get(mcp_doc_root(doc), "keys");
  if (mcp_json_type(array) != MCP_JSON_ARRAY) {
    return mcp_error_set(err, MCP_ERR_PARSE, "there is no array \"keys\"");
  }
  int rc = jwks_check_members(jwks, mcp_doc_root(doc), err);
  if (rc != 0) {
    return rc;
  }
  jwks->keys =
      mcpi_calloc(&jwks->loop->allocator, MCPI_JWKS_MAX, sizeof(mcpi_jwk));
  if (jwks->keys == NULL) {
    return mcpi_no_memory(err);
  }
  rc = jwks_add_all(jwks, array);
  if (rc != 0) {
    mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
  return rc;
}

/* The parser's message quotes the text, which may be any secret of the place
 * that it came from. */
static int jwks_refuse_text(const mcp_error *why, mcp_error *err) {
  if (why->code == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  return mcp_error_set(err, MCP_ERR_PARSE, "the keys are not JSON at byte %llu",
                       (unsigned long long)why->offset);
}

int mcpi_jwks_read(mcpi_jwks *out, mcp_loop *loop, mcpi_str text,
                   mcp_error *err) {
  mcp_error why;
  mcpi_jwks jwks = {.loop = loop};
  if (loop->platform.crypto == NULL) {
    return mcp_error_set(err, MCP_ERR_PLATFORM, "mcp_platform.crypto is NULL");
  }
  mcp_doc *doc =
      mcp_doc_parse(text.ptr, text.len, NULL, &loop->allocator, &why);
  if (doc == NULL) {
    return jwks_refuse_text(&why, err);
  }
  int rc = jwks_read_doc(&jwks, doc, err);
  mcp_doc_free(doc);
  if (rc != 0) {
    mcpi_jwks_deinit(&jwks);
    return rc;
  }
  *out = jwks;
  return 0;
}

static int jwk_fits(const mcpi_jwk *jwk, uint32_t algorithm, mcpi_str kid) {
  return jwk->kind == mcpi_jwt_algorithm_kind(algorithm) &&
         (jwk->algorithm == 0 || jwk->algorithm == algorithm) &&
         (kid.ptr == NULL ||
          (jwk->kid != NULL && mcpi_str_eq(mcpi_str_z(jwk->kid), kid)));
}

const mcpi_jwk *mcpi_jwks_find(const mcpi_jwks *jwks, const mcpi_jwk *after,
                               uint32_t algorithm, mcpi_str kid) {
  size_t i = after != NULL ? (size_t)(after - jwks->keys) + 1 : 0;
  for (; i < jwks->count; i++) {
    if (jwk_fits(&jwks->keys[i], algorithm, kid)) {
      return &jwks->keys[i];
    }
  }
  return NULL;
}
