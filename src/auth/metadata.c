/* SPDX-License-Identifier: MIT */
#include "auth/metadata.h"

#include "auth/scopes.h"
#include "auth/web_url.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/parse.h"
#include <stddef.h>

/* --- methods -------------------------------------------------------------- */

static const struct {
  int method;
  const char *name;
} methods[] = {{MCPI_CLIENT_NONE, "none"},
               {MCPI_CLIENT_BASIC, "client_secret_basic"},
               {MCPI_CLIENT_POST, "client_secret_post"},
               {MCPI_CLIENT_JWT, "private_key_jwt"}};

enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

int mcpi_client_method(const char *name) {
  for (size_t i = 0; name != NULL && i < METHODS; i++) {
    if (strcmp(methods[i].name, name) == 0) {
      return methods[i].method;
    }
  }
  return 0;
}

const char *mcpi_client_method_name(int method) {
  for (size_t i = 0; i < METHODS; i++) {
    if (methods[i].method == method) {
      return methods[i].name;
    }
  }
  return NULL;
}

/* --- documents ------------------------------------------------------------ */

/* Parses an object. Returns 0, MCP_ERR_PARSE or MCP_ERR_NOMEM. */
static int parse_object(mcp_doc **out, mcpi_str text,
                        const mcp_allocator *allocator) {
  mcp_doc *doc = NULL;
  int rc = mcpi_doc_parse(&doc, text.ptr, text.len, NULL, allocator, NULL);
  if (rc != 0) {
    return rc == MCP_ERR_NOMEM ? rc : MCP_ERR_PARSE;
  }
  if (mcp_json_type(mcp_doc_root(doc)) != MCP_JSON_OBJECT) {
    mcp_doc_free(doc);
    return MCP_ERR_PARSE;
  }
  *out = doc;
  return 0;
}

static const char *member_string(const mcp_doc *doc, const char *name) {
  return mcp_json_string(mcp_json_get(mcp_doc_root(doc), name));
}

/* Returns NULL if it is not an array. */
static const mcp_json *member_array(const mcp_doc *doc, const char *name) {
  const mcp_json *value = mcp_json_get(mcp_doc_root(doc), name);
  return mcp_json_type(value) == MCP_JSON_ARRAY ? value : NULL;
}

static int member_is_true(const mcp_doc *doc, const char *name) {
  return mcp_json_bool(mcp_json_get(mcp_doc_root(doc), name));
}

/* --- protected resources -------------------------------------------------- */

static int refuse_resource(mcpi_str server_url, const char *resource,
                           mcp_error *err) {
  if (resource == NULL) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "\"resource\" is missing");
  }
  return mcp_error_set(
      err, MCP_ERR_REFUSED, "they are of \"%.100s\", not of the server %.*s",
      resource, (int)(server_url.len < 100 ? server_url.len : 100),
      server_url.ptr);
}

/* Returns 0 or MCP_ERR_REFUSED with err. */
static int resource_check(const mcpi_resource_metadata *metadata,
                          mcpi_str server_url, mcp_error *err) {
  if (metadata->resource != NULL) {
    int rc =
        mcpi_web_url_check(mcpi_str_z(metadata->resource), "resource", err);
    if (rc != 0) {
      return rc;
    }
  }
  if (metadata->resource == NULL ||
      !mcpi_web_url_covers(mcpi_str_z(metadata->resource), server_url)) {
    return refuse_resource(server_url, metadata->resource, err);
  }
  if (mcpi_resource_metadata_server(metadata, 0) == NULL) {
    return mcp_error_set(err, MCP_ERR_REFUSED,
                         "\"authorization_servers\" names no authorization "
                         "server");
  }
  return 0;
}

int mcpi_resource_metadata_read(mcpi_resource_metadata *out, mcpi_str text,
                                mcpi_str server_url,
                                const mcp_allocator *allocator,
                                mcp_error *err) {
  mcpi_resource_metadata found = {NULL, NULL, NULL, NULL, 0};
  int rc = parse_object(&found.doc, text, allocator);
  if (rc != 0) {
    return rc == MCP_ERR_NOMEM ? mcpi_no_memory(err) : rc;
  }
  found.resource = member_string(found.doc, "resource");
  found.authorization_servers =
      member_array(found.doc, "authorization_servers");
  found.scopes_supported = member_array(found.doc, "scopes_supported");
  found.requires_dpop =
      member_is_true(found.doc, "dpop_bound_access_tokens_required");
  rc = resource_check(&found, server_url, err);
  if (rc != 0) {
    mcp_doc_free(found.doc);
    return rc;
  }
  *out = found;
  return 0;
}

const char *
mcpi_resource_metadata_server(const mcpi_resource_metadata *metadata,
                              size_t index) {
  const mcp_json *array = metadata->authorization_servers;
  mcp_json_iter iter;
  const mcp_json *each;
  mcp_json_iter_init(&iter, array);
  while (index < MCPI_RESOURCE_SERVERS_MAX &&
         (each = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *text = mcp_json_string(each);
    if (text != NULL && index-- == 0) {
      return text;
    }
  }
  return NULL;
}

void mcpi_resource_metadata_deinit(mcpi_resource_metadata *metadata) {
  mcp_doc_free(metadata->doc);
  *metadata = (mcpi_resource_metadata){NULL, NULL, NULL, NULL, 0};
}

/* --- authorization servers ------------------------------------------------ */

static const struct {
  const char *name;
  size_t offset;
} server_urls[] = {
    {"authorization_endpoint",
     offsetof(mcpi_server_metadata, authorization_endpoint)},
    {"token_endpoint", offsetof(mcpi_server_metadata, token_endpoint)},
    {"registration_endpoint",
     offsetof(mcpi_server_metadata, registration_endpoint)},
    {"revocation_endpoint",
     offsetof(mcpi_server_metadata, revocation_endpoint)},
    {"jwks_uri", offsetof(mcpi_server_metadata, jwks_uri)},
    {"introspection_endpoint",
     offsetof(mcpi_server_metadata, introspection_endpoint)},
};

enum { SERVER_URLS = sizeof(server_urls) / sizeof(server_urls[0]) };

static const char **server_url(mcpi_server_metadata *metadata, size_t i) {
  return (const char **)(void *)((char *)metadata + server_urls[i].offset);
}

/* Reads the URLs. Returns 0 or MCP_ERR_REFUSED with err. */
static int server_read_urls(mcpi_server_metadata *out, mcp_error *err) {
  for (size_t i = 0; i < SERVER_URLS; i++) {
    const char *url = member_string(out->doc, server_urls[i].name);
    if (url == NULL) {
      continue;
    }
    int rc = mcpi_web_url_check(mcpi_str_z(url), server_urls[i].name, err);
    if (rc != 0) {
      return rc;
    }
    *server_url(out, i) = url;
  }
  if (out->token_endpoint == NULL) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "\"token_endpoint\" is missing");
  }
  return 0;
}

static int server_read_methods(const mcp_json *array) {
  int found = 0;
  if (array == NULL) {
    return MCPI_CLIENT_BASIC; /* RFC 8414, 2: the default */
  }
  for (size_t i = 0; i < METHODS; i++) {
    if (mcpi_scopes_array_has(array, mcpi_str_z(methods[i].name))) {
      found |= methods[i].method;
    }
  }
  return found;
}

static int server_lists(const mcpi_server_metadata *metadata, const char *name,
                        const char *value) {
  return mcpi_scopes_array_has(member_array(metadata->doc, name),
                               mcpi_str_z(value));
}

static void server_read_abilities(mcpi_server_metadata *out) {
  out->scopes_supported = member_array(out->doc, "scopes_supported");
  out->auth_methods = server_read_methods(
      member_array(out->doc, "token_endpoint_auth_methods_supported"));
  out->has_s256 = server_lists(out, "code_challenge_methods_supported", "S256");
  out->supports_dpop_es256 =
      server_lists(out, "dpop_signing_alg_values_supported", "ES256");
  out->sends_iss = member_is_true(
      out->doc, "authorization_response_iss_parameter_supported");
  out->supports_client_metadata =
      member_is_true(out->doc, "client_id_metadata_document_supported");
}

static int server_check_issuer(mcpi_server_metadata *out, mcpi_str issuer,
                               mcp_error *err) {
  out->issuer = member_string(out->doc, "issuer");
  if (out->issuer != NULL && mcpi_str_eq(mcpi_str_z(out->issuer), issuer)) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_REFUSED,
                       "the issuer in them is \"%.100s\", not %.*s",
                       out->issuer != NULL ? out->issuer : "",
                       (int)(issuer.len < 100 ? issuer.len : 100), issuer.ptr);
}

int mcpi_server_metadata_read(mcpi_server_metadata *out, mcpi_str text,
                              mcpi_str issuer, const mcp_allocator *allocator,
                              mcp_error *err) {
  mcpi_server_metadata found = {0};
  int rc = parse_object(&found.doc, text, allocator);
  if (rc != 0) {
    return rc == MCP_ERR_NOMEM ? mcpi_no_memory(err) : rc;
  }
  rc = server_check_issuer(&found, issuer, err);
  if (rc == 0) {
    rc = server_read_urls(&found, err);
  }
  if (rc != 0) {
    mcp_doc_free(found.doc);
    return rc;
  }
  server_read_abilities(&found);
  *out = found;
  return 0;
}

/* Appends the origin and a path, with a NUL. Returns where it begins. */
static size_t put_endpoint(mcpi_buf *text, mcpi_str origin, const char *path) {
  size_t begin = text->len;
  mcpi_buf_puts(text, origin);
  mcpi_buf_put(text, path, strlen(path) + 1);
  return begin;
}

int mcpi_server_metadata_default(mcpi_server_metadata *out, mcpi_str origin,
                                 const mcp_allocator *allocator) {
  mcpi_buf text;
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  size_t issuer = put_endpoint(&text, origin, "");
  size_t authorize = put_endpoint(&text, origin, "/authorize");
  size_t token = put_endpoint(&text, origin, "/token");
  size_t registration = put_endpoint(&text, origin, "/register");
  char *copy = text.error == 0 ? mcpi_alloc(allocator, text.len) : NULL;
  if (copy != NULL) {
    memcpy(copy, text.data, text.len);
    *out = (mcpi_server_metadata){
        .text = copy,
        .text_size = text.len,
        .issuer = copy + issuer,
        .authorization_endpoint = copy + authorize,
        .token_endpoint = copy + token,
        .registration_endpoint = copy + registration,
        .auth_methods = MCPI_CLIENT_NONE | MCPI_CLIENT_BASIC | MCPI_CLIENT_POST,
        .has_s256 = 1};
  }
  mcpi_buf_deinit(&text);
  return copy != NULL ? 0 : MCP_ERR_NOMEM;
}

void mcpi_server_metadata_deinit(mcpi_server_metadata *metadata,
                                 const mcp_allocator *allocator) {
  mcp_doc_free(metadata->doc);
  mcpi_free(allocator, metadata->text, metadata->text_size);
  *metadata = (mcpi_server_metadata){0};
}
