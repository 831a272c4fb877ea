/* SPDX-License-Identifier: MIT */
#include "auth/jwt.h"

#include "base/base64.h"
#include "base/error.h"
#include "json/duplicate.h"
#include "json/parse.h"

enum {
  /* Values and names in the header, or in the claims. */
  JWT_VALUES_MAX = 1024,
  JWT_DEPTH_MAX = 16
};

/* --- algorithms ----------------------------------------------------------- */

typedef struct jwt_algorithm {
  const char *name;
  uint32_t number; /* MCP_SIGN_* */
  uint32_t kind;   /* MCP_KEY_* */
} jwt_algorithm;

static const jwt_algorithm algorithms[] = {
    {"RS256", MCP_SIGN_RS256, MCP_KEY_RSA},
    {"PS256", MCP_SIGN_PS256, MCP_KEY_RSA},
    {"ES256", MCP_SIGN_ES256, MCP_KEY_P256},
    {"EdDSA", MCP_SIGN_EDDSA, MCP_KEY_ED25519},
    {NULL, 0, 0}};

uint32_t mcpi_jwt_algorithm(const char *name) {
  const jwt_algorithm *at = algorithms;
  while (name != NULL && at->name != NULL && strcmp(at->name, name) != 0) {
    at++;
  }
  return name != NULL ? at->number : 0;
}

/* Returns the algorithm with this number, or the end of the list: no name. */
static const jwt_algorithm *find_algorithm(uint32_t number) {
  const jwt_algorithm *at = algorithms;
  while (at->name != NULL && at->number != number) {
    at++;
  }
  return at;
}

const char *mcpi_jwt_algorithm_name(uint32_t algorithm) {
  return find_algorithm(algorithm)->name;
}

uint32_t mcpi_jwt_algorithm_kind(uint32_t algorithm) {
  return find_algorithm(algorithm)->kind;
}

/* --- reading -------------------------------------------------------------- */

static int jwt_refuse(mcp_error *err, const char *why) {
  return mcp_error_set(err, MCP_ERR_INVALID, "the token %s", why);
}

int mcpi_jwt_has_three_parts(mcpi_str text) {
  size_t dots = 0;
  for (size_t i = 0; i < text.len; i++) {
    dots += text.ptr[i] == '.';
  }
  return dots == 2;
}

/* Takes the part before the next dot, and the dot. There is one. */
static mcpi_str take_part(mcpi_str *rest) {
  const char *dot = memchr(rest->ptr, '.', rest->len);
  mcpi_str part = mcpi_str_take(rest, (size_t)(dot - rest->ptr));
  mcpi_str_take(rest, 1);
  return part;
}

/* Returns 0, MCP_ERR_INVALID or MCP_ERR_NOMEM. */
static int check_members(const mcp_doc *doc, const mcp_allocator *allocator) {
  /* There are too few members for collisions to matter (JWT_VALUES_MAX). */
  static const uint64_t seed[2] = {0, 0};
  int no_memory = 0;
  const mcp_json *root = mcp_doc_root(doc);
  if (mcp_json_type(root) != MCP_JSON_OBJECT) {
    return MCP_ERR_INVALID;
  }
  const mcp_json *twice =
      mcpi_json_duplicate_within(root, allocator, seed, &no_memory);
  if (no_memory) {
    return MCP_ERR_NOMEM;
  }
  return twice == NULL ? 0 : MCP_ERR_INVALID;
}

/* Decodes and parses one part. Returns 0, MCP_ERR_INVALID or MCP_ERR_NOMEM. */
static int parse_part(mcp_doc **out, mcpi_str part,
                      const mcp_allocator *allocator) {
  const mcp_json_limits limits = {.size = sizeof(limits),
                                  .max_depth = JWT_DEPTH_MAX,
                                  .max_values = JWT_VALUES_MAX};
  mcpi_buf text;
  mcpi_buf_init_secret(&text, allocator, MCPI_JWT_MAX);
  int rc =
      mcpi_base64url_decode(&text, part) == 0 ? text.error : MCP_ERR_INVALID;
  mcp_doc *doc = NULL;
  if (rc == 0) { /* the parser's error would quote the claims */
    rc = mcpi_doc_parse(&doc, text.data, text.len, &limits, allocator, NULL);
  }
  if (rc == 0) {
    rc = check_members(doc, allocator);
  }
  mcpi_buf_deinit(&text);
  if (rc == 0) {
    *out = doc;
    return 0;
  }
  mcp_doc_free(doc);
  return rc == MCP_ERR_NOMEM ? MCP_ERR_NOMEM : MCP_ERR_INVALID;
}

static const char *header_string(const mcpi_jwt *jwt, const char *name) {
  return mcp_json_string(mcp_json_get(mcp_doc_root(jwt->header), name));
}

/* Reads a string that may be absent. Returns 0, or MCP_ERR_INVALID: there is
 * another value, or the string has a NUL. */
static int read_optional(const mcpi_jwt *jwt, const char *name,
                         const char **out) {
  *out = header_string(jwt, name);
  if (*out == NULL && mcp_json_get(mcp_doc_root(jwt->header), name) != NULL) {
    return MCP_ERR_INVALID;
  }
  return 0;
}

/* `jwk`, `jku`, `x5c` and `x5u` name keys that the sender chose, so nothing
 * here looks at them. */
static int read_header(mcpi_jwt *jwt, mcp_error *err) {
  jwt->algorithm = mcpi_jwt_algorithm(header_string(jwt, "alg"));
  if (jwt->algorithm == 0) {
    return jwt_refuse(err, "is signed with an algorithm that is not RS256, "
                           "PS256, ES256 or EdDSA");
  }
  if (mcp_json_get(mcp_doc_root(jwt->header), "crit") != NULL) {
    return jwt_refuse(err, "has critical extensions (crit)");
  }
  if (read_optional(jwt, "kid", &jwt->kid) != 0 ||
      read_optional(jwt, "typ", &jwt->type) != 0) {
    return jwt_refuse(err, "has a kid or a typ that is not a string");
  }
  return 0;
}

static int read_signature(mcpi_jwt *jwt, mcpi_str part,
                          const mcp_allocator *allocator, mcp_error *err) {
  mcpi_buf bytes;
  mcpi_buf_init_secret(&bytes, allocator, MCPI_JWT_MAX);
  int rc = mcpi_base64url_decode(&bytes, part);
  if (rc != 0 || (bytes.error == 0 &&
                  (bytes.len == 0 || bytes.len > sizeof(jwt->signature)))) {
    rc = jwt_refuse(err, "has a signature that is empty, too long or not "
                         "base64url");
  } else if (bytes.error != 0) {
    rc = mcpi_no_memory(err);
  } else {
    memcpy(jwt->signature, bytes.data, bytes.len);
    jwt->signature_len = bytes.len;
  }
  mcpi_buf_deinit(&bytes);
  return rc;
}

/* Returns what reading a part means for the token. */
static int explain_part(int rc, const char *why, mcp_error *err) {
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  return rc == 0 ? 0 : jwt_refuse(err, why);
}

static int read_parts(mcpi_jwt *jwt, const mcpi_str parts[3],
                      const mcp_allocator *allocator, mcp_error *err) {
  int rc = explain_part(parse_part(&jwt->header, parts[0], allocator),
                        "has a header that is not base64url of a JSON object "
                        "with each member once",
                        err);
  if (rc == 0) {
    rc = read_header(jwt, err);
  }
  if (rc == 0) {
    rc = explain_part(parse_part(&jwt->claims, parts[1], allocator),
                      "has claims that are not base64url of a JSON object "
                      "with each member once",
                      err);
  }
  if (rc == 0) {
    rc = read_signature(jwt, parts[2], allocator, err);
  }
  return rc;
}

int mcpi_jwt_read(mcpi_jwt *out, mcpi_str text, const mcp_allocator *allocator,
                  mcp_error *err) {
  mcpi_jwt jwt = {.header = NULL};
  mcpi_str parts[3] = {{NULL, 0}, {NULL, 0}, text};
  if (text.len > MCPI_JWT_MAX) {
    return jwt_refuse(err, "is longer than 16 KB");
  }
  if (!mcpi_jwt_has_three_parts(text)) {
    return jwt_refuse(err, "does not have three parts");
  }
  parts[0] = take_part(&parts[2]);
  parts[1] = take_part(&parts[2]);
  jwt.signed_part = mcpi_str_n(text.ptr, parts[0].len + 1 + parts[1].len);
  int rc = read_parts(&jwt, parts, allocator, err);
  if (rc != 0) {
    mcpi_jwt_deinit(&jwt);
    return rc;
  }
  *out = jwt;
  return 0;
}

void mcpi_jwt_deinit(mcpi_jwt *jwt) {
  mcp_doc_free(jwt->header);
  mcp_doc_free(jwt->claims);
  mcpi_wipe(jwt->signature, sizeof(jwt->signature));
  jwt->header = NULL;
  jwt->claims = NULL;
}

/* Whether a signature with this algorithm may have been made with this key. An
 * RSA signature is as long as the modulus. */
static int jwt_fits(const mcpi_jwt *jwt, const mcp_key_parts *parts) {
  size_t len = parts->kind == MCP_KEY_RSA ? parts->first_len : 64;
  return parts->kind == mcpi_jwt_algorithm_kind(jwt->algorithm) &&
         jwt->signature_len == len;
}

int mcpi_jwt_verify(const mcpi_jwt *jwt, mcp_loop *loop, const mcp_key *key) {
  const mcp_platform *platform = &loop->platform;
  mcp_key_parts parts;
  if (platform->crypto == NULL) {
    return MCP_ERR_PLATFORM;
  }
  platform->crypto->key_parts(platform->userdata, key, &parts);
  if (!jwt_fits(jwt, &parts)) {
    return MCP_ERR_REFUSED;
  }
  int rc = platform->crypto->verify(platform->userdata, key, jwt->algorithm,
                                    jwt->signed_part.ptr, jwt->signed_part.len,
                                    jwt->signature, jwt->signature_len);
  return rc == MCP_ERR_INVALID ? MCP_ERR_REFUSED : rc;
}

/* --- claims --------------------------------------------------------------- */

int mcpi_jwt_time(const mcp_json *claims, const char *name, int64_t *out_ms) {
  const mcp_json *value = mcp_json_get(claims, name);
  if (value == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  if (mcp_json_type(value) != MCP_JSON_NUMBER) {
    return MCP_ERR_INVALID;
  }
  double ms = mcp_json_number(value) * 1000;
  if (!(ms >= 0 && ms < 1e15)) { /* until the year 33,658 */
    return MCP_ERR_INVALID;
  }
  *out_ms = (int64_t)ms;
  return 0;
}

static int is_audience(const mcp_json *value, const char *audience) {
  size_t len;
  const char *text = mcp_json_string_n(value, &len);
  return text != NULL &&
         mcpi_str_eq(mcpi_str_n(text, len), mcpi_str_z(audience));
}

int mcpi_jwt_has_audience(const mcp_json *claims, const char *audience) {
  const mcp_json *value = mcp_json_get(claims, "aud");
  mcp_json_iter iter;
  const mcp_json *each;
  if (mcp_json_type(value) != MCP_JSON_ARRAY) {
    return is_audience(value, audience);
  }
  mcp_json_iter_init(&iter, value);
  while ((each = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (is_audience(each, audience)) {
      return 1;
    }
  }
  return 0;
}

/* --- writing -------------------------------------------------------------- */

int mcpi_jwt_put(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                 uint32_t algorithm, mcpi_str header, mcpi_str claims) {
  const mcp_platform *platform = &loop->platform;
  uint8_t signature[MCP_SIGNATURE_MAX];
  size_t len;
  size_t begin = to->len;
  mcpi_base64url_put(to, header.ptr, header.len);
  mcpi_buf_putc(to, '.');
  mcpi_base64url_put(to, claims.ptr, claims.len);
  if (to->error != 0) {
    return to->error;
  }
  int rc = platform->crypto->sign(platform->userdata, key, algorithm,
                                  to->data + begin, to->len - begin, signature,
                                  &len);
  if (rc != 0) {
    mcpi_buf_rewind(to, begin);
    return rc;
  }
  mcpi_buf_putc(to, '.');
  mcpi_base64url_put(to, signature, len);
  return to->error;
}

int mcpi_random_text(mcp_loop *loop, size_t len,
                     char out[MCPI_RANDOM_TEXT_SIZE]) {
  const mcp_platform *platform = &loop->platform;
  uint8_t bytes[32];
  mcpi_buf text;
  if (platform->random == NULL) {
    return MCP_ERR_PLATFORM;
  }
  assert(len <= sizeof(bytes));
  int rc = platform->random(platform->userdata, bytes, len);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_init_secret(&text, &loop->allocator, SIZE_MAX);
  mcpi_base64url_put(&text, bytes, len);
  mcpi_buf_putc(&text, '\0');
  rc = text.error;
  if (rc == 0) {
    memcpy(out, text.data, text.len);
  }
  mcpi_buf_deinit(&text);
  mcpi_wipe(bytes, sizeof(bytes));
  return rc;
}
