/* SPDX-License-Identifier: MIT */
#include "auth/resource/claims.h"

#include "auth/jwk.h"
#include "auth/jwt.h"
#include "auth/scopes.h"
#include "base/base64.h"
#include "base/error.h"
#include "codec/http_value.h"
#include "json/json.h"

/* --- times -------------------------------------------------------------- */

static int64_t claims_add(int64_t time_ms, int64_t more_ms) {
  return time_ms > INT64_MAX - more_ms ? INT64_MAX : time_ms + more_ms;
}

/* Sets *out only if the claim is there. */
static int claims_read_time(const mcp_json *claims, const char *name,
                            int64_t *out, mcp_error *err) {
  int rc = mcpi_jwt_time(claims, name, out);
  if (rc == 0 || rc == MCP_ERR_NOT_FOUND) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_REFUSED, "the claim %s is not a time",
                       name);
}

/* A token that is to be used only later, or was made in the future. */
static int claims_check_begin(const mcp_json *claims, const char *name,
                              int64_t latest_ms, mcp_error *err) {
  int64_t begin_ms = INT64_MIN;
  int rc = claims_read_time(claims, name, &begin_ms, err);
  if (rc == 0 && begin_ms > latest_ms) {
    rc = mcp_error_set(err, MCP_ERR_REFUSED,
                       "the token is not valid yet: %s is in the future", name);
  }
  return rc;
}

static int claims_check_times(const mcp_json *claims,
                              const mcpi_claims_rules *rules, mcp_error *err) {
  int64_t leeway_ms = rules->options->leeway_ms;
  int64_t now_ms = mcpi_loop_wall(rules->loop);
  int64_t end_ms = INT64_MAX;
  int rc = claims_read_time(claims, "exp", &end_ms, err);
  if (rc != 0) {
    return rc;
  }
  if (!rules->is_introspection && mcpi_json_get(claims, "exp") == NULL) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "the token has no exp");
  }
  if (now_ms >= claims_add(end_ms, leeway_ms)) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "the token has expired");
  }
  rc = claims_check_begin(claims, "nbf", claims_add(now_ms, leeway_ms), err);
  if (rc == 0) {
    rc = claims_check_begin(claims, "iat", claims_add(now_ms, leeway_ms), err);
  }
  return rc;
}

/* --- the audience ------------------------------------------------------- */

/* One slash at the end makes no difference: clients and authorization servers
 * add and remove it. */
static mcpi_str claims_without_slash(mcpi_str url) {
  if (url.len > 0 && url.ptr[url.len - 1] == '/') {
    url.len--;
  }
  return url;
}

static int claims_is_url(const mcp_json *value, mcpi_str url) {
  return mcp_json_type(value) == MCP_JSON_STRING &&
         mcpi_str_eq(claims_without_slash(mcpi_json_str(value)),
                     claims_without_slash(url));
}

static int claims_is_for_resource(const mcp_json *aud, mcpi_str resource) {
  if (mcp_json_type(aud) != MCP_JSON_ARRAY) {
    return aud != NULL && claims_is_url(aud, resource);
  }
  mcp_json_iter iter;
  mcp_json_iter_init(&iter, aud);
  const mcp_json *value = mcp_json_iter_next(&iter, NULL);
  while (value != NULL && !claims_is_url(value, resource)) {
    value = mcp_json_iter_next(&iter, NULL);
  }
  return value != NULL;
}

static int claims_is_for_one_of(const mcp_json *claims,
                                const char *const *audiences) {
  while (*audiences != NULL && !mcpi_jwt_has_audience(claims, *audiences)) {
    audiences++;
  }
  return *audiences != NULL;
}

static int claims_check_audience(const mcp_json *claims,
                                 const mcpi_claims_rules *rules,
                                 mcp_error *err) {
  const char *const *audiences = rules->options->audiences;
  const mcp_json *aud = mcpi_json_get(claims, "aud");
  int is_ours = 0;
  if (audiences != NULL) {
    is_ours = claims_is_for_one_of(claims, audiences);
  } else {
    is_ours = claims_is_for_resource(aud, rules->resource);
  }
  if (is_ours) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_REFUSED,
                       aud != NULL ? "the token is for another audience"
                                   : "the token names no audience");
}

/* --- the kind of token -------------------------------------------------- */

/* The claim `typ` is Keycloak's: "Bearer" or "DPoP" for access tokens, "ID",
 * "Refresh", "Offline" and others. An introspection endpoint may also know
 * refresh tokens; `token_type` tells them apart (RFC 7662, 2.2). Its case does
 * not matter. */
static int claims_check_kind(const mcp_json *claims, const char *name,
                             mcp_error *err) {
  const mcp_json *kind = mcpi_json_get(claims, name);
  mcpi_str text = mcpi_json_str(kind);
  if (kind == NULL || mcpi_header_eq_nocase(text, MCPI_STR("Bearer")) ||
      mcpi_header_eq_nocase(text, MCPI_STR("DPoP"))) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_REFUSED,
                       "the token is not an access token: %s is neither "
                       "Bearer nor DPoP",
                       name);
}

/* The claim `token_use` is Amazon Cognito's and Ory's. */
static int claims_check_use(const mcp_json *claims, mcp_error *err) {
  const mcp_json *use = mcpi_json_get(claims, "token_use");
  mcpi_str text = mcpi_json_str(use);
  if (use == NULL || mcpi_str_eq(text, MCPI_STR("access")) ||
      mcpi_str_eq(text, MCPI_STR("access_token"))) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_REFUSED,
                       "the token is not an access token: token_use is not "
                       "access");
}

/* --- the binding -------------------------------------------------------- */

static int claims_is_thumbprint(mcpi_str text) {
  size_t i = 0;
  while (i < text.len && mcpi_base64url_value(text.ptr[i]) >= 0) {
    i++;
  }
  return i == text.len && text.len == MCPI_THUMBPRINT_SIZE - 1;
}

int mcpi_claims_binding(const mcp_json *claims,
                        char thumbprint[MCPI_THUMBPRINT_SIZE], mcp_error *err) {
  const mcp_json *cnf = mcpi_json_get(claims, "cnf");
  mcpi_str jkt = mcpi_json_member_str(cnf, "jkt");
  if (cnf == NULL) {
    thumbprint[0] = '\0';
    return 0;
  }
  if (mcp_json_size(cnf) != 1 || !claims_is_thumbprint(jkt)) {
    return mcp_error_set(err, MCP_ERR_REFUSED,
                         "the token is bound in a way that this server cannot "
                         "check; only cnf.jkt is supported");
  }
  memcpy(thumbprint, jkt.ptr, jkt.len);
  thumbprint[jkt.len] = '\0';
  return 0;
}

int mcpi_claims_check(const mcp_json *claims, const mcpi_claims_rules *rules,
                      mcp_error *err) {
  char thumbprint[MCPI_THUMBPRINT_SIZE];
  int rc = claims_check_audience(claims, rules, err);
  if (rc == 0) {
    rc = claims_check_times(claims, rules, err);
  }
  if (rc == 0) {
    rc = claims_check_kind(claims, "typ", err);
  }
  if (rc == 0) {
    rc = claims_check_use(claims, err);
  }
  if (rc == 0 && rules->is_introspection) {
    rc = claims_check_kind(claims, "token_type", err);
  }
  if (rc == 0) {
    rc = mcpi_claims_binding(claims, thumbprint, err);
  }
  return rc;
}

/* --- the grant ---------------------------------------------------------- */

/* A string that is not empty and can be a C string; NULL: there is none. */
static const char *claims_name(const mcp_json *claims, const char *name) {
  const char *text = mcp_json_string(mcpi_json_get(claims, name));
  return text != NULL && text[0] != '\0' ? text : NULL;
}

/* No two clients get one principal: a subject is marked if it looks like a
 * client without one, or like a fixed token without a name. */
static const char *claims_subject_mark(const char *subject) {
  static const char *const ours[] = {"client:", "sub:", "token:"};
  for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
    if (strncmp(subject, ours[i], strlen(ours[i])) == 0) {
      return "sub:";
    }
  }
  return "";
}

static int claims_put_principal(mcpi_buf *buf, const mcp_json *claims,
                                const char *issuer) {
  const char *subject = claims_name(claims, "sub");
  const char *client = claims_name(claims, "client_id");
  if (client == NULL) {
    client = claims_name(claims, "azp");
  }
  if (subject == NULL &&
      (client == NULL || mcpi_json_get(claims, "sub") != NULL)) {
    return MCP_ERR_REFUSED; /* a broken subject is not a client without one */
  }
  if (issuer != NULL) {
    mcpi_buf_puts(buf, mcpi_str_z(issuer));
    mcpi_buf_putc(buf, ' ');
  }
  if (subject != NULL) {
    mcpi_buf_puts(buf, mcpi_str_z(claims_subject_mark(subject)));
    mcpi_buf_puts(buf, mcpi_str_z(subject));
  } else {
    mcpi_buf_lit(buf, "client:");
    mcpi_buf_puts(buf, mcpi_str_z(client));
  }
  return buf->error;
}

/* `scope` is the standard's (RFC 8693, 4.2; RFC 9068, 2.2.3), `scp` that of
 * Microsoft and Okta; each may be a string or an array. */
static void claims_put_scopes(mcpi_buf *buf, const mcp_json *value) {
  if (mcp_json_type(value) == MCP_JSON_ARRAY) {
    mcpi_scopes_add_array(buf, value);
  } else {
    mcpi_scopes_add(buf, mcpi_json_str(value));
  }
}

static int claims_make_grant(mcpi_grant **out, const mcp_json *claims,
                             const mcpi_claims_rules *rules,
                             mcpi_buf *principal, mcpi_buf *scopes) {
  int rc = claims_put_principal(principal, claims, rules->issuer);
  if (rc != 0) {
    return rc;
  }
  claims_put_scopes(scopes, mcpi_json_get(claims, "scope"));
  claims_put_scopes(scopes, mcpi_json_get(claims, "scp"));
  mcpi_grant *grant = NULL;
  if (scopes->error == 0) {
    grant = mcpi_grant_new(&rules->loop->allocator, mcpi_buf_str(principal),
                           mcpi_buf_str(scopes));
  }
  if (grant == NULL) {
    return MCP_ERR_NOMEM;
  }
  *out = grant;
  return 0;
}

int mcpi_claims_grant(mcpi_grant **out, mcp_doc *claims,
                      const mcpi_claims_rules *rules, mcp_error *err) {
  const mcp_json *root = mcp_doc_root(claims);
  mcpi_grant *grant = NULL;
  mcpi_buf principal;
  mcpi_buf scopes;
  mcpi_buf_init(&principal, &rules->loop->allocator, SIZE_MAX);
  mcpi_buf_init(&scopes, &rules->loop->allocator, SIZE_MAX);
  int rc = claims_make_grant(&grant, root, rules, &principal, &scopes);
  mcpi_buf_deinit(&principal);
  mcpi_buf_deinit(&scopes);
  if (rc == MCP_ERR_REFUSED) {
    return mcp_error_set(err, rc,
                         "the token names neither a subject nor a "
                         "client");
  }
  if (rc != 0) {
    return mcpi_no_memory(err);
  }
  int64_t end_ms = INT64_MAX;
  mcpi_jwt_time(root, "exp", &end_ms);
  mcpi_claims_binding(root, grant->thumbprint, NULL);
  grant->expires_ms = claims_add(end_ms, rules->options->leeway_ms);
  grant->claims = claims;
  *out = grant;
  return 0;
}
