/* SPDX-License-Identifier: MIT */
/* Two parts: a line with the URL of an MCP server and of an issuer, and a
 * document that is read as the metadata of both. */
#include "auth/metadata.h"
#include "auth/scopes.h"
#include "auth/web_url.h"

#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdlib.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* --- URLs ----------------------------------------------------------------- */

static void look_at_origin(mcpi_str url) {
  mcpi_buf origin;
  mcpi_buf again;
  mcp_error err;
  mcpi_buf_init(&origin, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&again, mcp_allocator_default(), SIZE_MAX);
  mcpi_web_url_put_origin(&origin, url);
  mcpi_web_url_put_origin(&again, mcpi_buf_str(&origin));
  check(mcpi_str_eq(mcpi_buf_str(&origin), mcpi_buf_str(&again)));
  check(mcpi_web_url_check(mcpi_buf_str(&origin), "origin", &err) == 0);
  check(mcpi_web_url_has_same_origin(mcpi_buf_str(&origin), url));
  check(mcpi_web_url_covers(mcpi_buf_str(&origin), url));
  check(!mcpi_web_url_has_path(mcpi_buf_str(&origin)));
  check(mcpi_web_url_is_public(mcpi_buf_str(&origin)) ==
        mcpi_web_url_is_public(url));
  mcpi_buf_deinit(&origin);
  mcpi_buf_deinit(&again);
}

/* A well-known document is at the same server, and its URL may be used. */
static void look_at_well_known(mcpi_str url, mcpi_well_known form) {
  mcpi_buf place;
  mcp_error err;
  mcpi_buf_init(&place, mcp_allocator_default(), SIZE_MAX);
  mcpi_web_url_put_well_known(&place, url, "x", form);
  check(place.len > MCPI_WEB_URL_MAX ||
        mcpi_web_url_check(mcpi_buf_str(&place), "place", &err) == 0);
  check(mcpi_web_url_has_same_origin(mcpi_buf_str(&place), url));
  check(mcpi_web_url_has_path(mcpi_buf_str(&place)));
  check(memchr(place.data, '?', place.len) == NULL);
  mcpi_buf_deinit(&place);
}

/* Returns whether the URL may be used. */
static int look_at_url(mcpi_str url) {
  mcp_error err = {.code = 0};
  int rc = mcpi_web_url_check(url, "url", &err);
  check(rc == err.code && (rc == 0 || rc == MCP_ERR_REFUSED));
  if (rc != 0) {
    return 0;
  }
  check(url.len <= MCPI_WEB_URL_MAX);
  check(!mcpi_web_url_is_loopback(url) || !mcpi_web_url_is_public(url));
  check(mcpi_web_url_covers(url, url));
  check(mcpi_web_url_is_same_target(url, url));
  look_at_origin(url);
  look_at_well_known(url, MCPI_WELL_KNOWN_INSERTED);
  look_at_well_known(url, MCPI_WELL_KNOWN_APPENDED);
  look_at_well_known(url, MCPI_WELL_KNOWN_ROOT);
  return 1;
}

static void may_be_used(const char *url) {
  check(url == NULL || look_at_url(mcpi_str_z(url)));
}

/* --- documents ------------------------------------------------------------ */

static void look_at_scopes(const mcp_json *array) {
  mcpi_buf scopes;
  mcpi_buf_init(&scopes, mcp_allocator_default(), 4096);
  mcpi_scopes_add_array(&scopes, array);
  check(scopes.error == 0 || scopes.error == MCP_ERR_LIMIT);
  for (size_t i = 0; i < scopes.len; i++) {
    check(scopes.data[i] >= 0x20 && scopes.data[i] <= 0x7e);
  }
  if (scopes.error == 0) {
    size_t before = scopes.len;
    mcpi_scopes_add_array(&scopes, array);
    check(scopes.len == before);
  }
  mcpi_buf_deinit(&scopes);
}

static void read_resource(mcpi_str url, mcpi_str text,
                          const mcp_allocator *allocator) {
  mcpi_resource_metadata found;
  mcp_error err = {.code = 0};
  int rc = mcpi_resource_metadata_read(&found, text, url, allocator, &err);
  check(rc == 0 || rc == MCP_ERR_PARSE || rc == MCP_ERR_REFUSED ||
        rc == MCP_ERR_NOMEM);
  check(rc == 0 || rc == MCP_ERR_PARSE || err.code == rc);
  if (rc != 0) {
    return;
  }
  may_be_used(found.resource);
  check(mcpi_web_url_has_same_origin(mcpi_str_z(found.resource), url));
  check(mcpi_web_url_covers(mcpi_str_z(found.resource), url));
  check(mcpi_resource_metadata_server(&found, 0) != NULL);
  check(mcpi_resource_metadata_server(&found, MCPI_RESOURCE_SERVERS_MAX) ==
        NULL);
  look_at_scopes(found.scopes_supported);
  mcpi_resource_metadata_deinit(&found);
}

static void read_server(mcpi_str issuer, mcpi_str text,
                        const mcp_allocator *allocator) {
  mcpi_server_metadata found;
  mcp_error err = {.code = 0};
  int rc = mcpi_server_metadata_read(&found, text, issuer, allocator, &err);
  check(rc == 0 || rc == MCP_ERR_PARSE || rc == MCP_ERR_REFUSED ||
        rc == MCP_ERR_NOMEM);
  check(rc == 0 || rc == MCP_ERR_PARSE || err.code == rc);
  if (rc != 0) {
    return;
  }
  check(mcpi_str_eq(mcpi_str_z(found.issuer), issuer));
  check(found.token_endpoint != NULL && found.auth_methods >= 0);
  may_be_used(found.authorization_endpoint);
  may_be_used(found.token_endpoint);
  may_be_used(found.registration_endpoint);
  may_be_used(found.revocation_endpoint);
  may_be_used(found.jwks_uri);
  may_be_used(found.introspection_endpoint);
  look_at_scopes(found.scopes_supported);
  mcpi_server_metadata_deinit(&found, allocator);
}

static void use_default(mcpi_str url, const mcp_allocator *allocator) {
  mcpi_server_metadata found;
  mcpi_buf origin;
  mcpi_buf_init(&origin, allocator, SIZE_MAX);
  mcpi_web_url_put_origin(&origin, url);
  if (origin.error == 0 && mcpi_server_metadata_default(
                               &found, mcpi_buf_str(&origin), allocator) == 0) {
    may_be_used(found.authorization_endpoint);
    may_be_used(found.token_endpoint);
    may_be_used(found.registration_endpoint);
    mcpi_server_metadata_deinit(&found, allocator);
  }
  mcpi_buf_deinit(&origin);
}

static void read_all(mcpi_str url, mcpi_str text,
                     const mcp_allocator *allocator) {
  read_resource(url, text, allocator);
  read_server(url, text, allocator);
  if (look_at_url(url)) {
    use_default(url, allocator);
  }
}

static void read_without_memory(mcpi_str url, mcpi_str text) {
  for (size_t i = 1; i <= 5; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    read_all(url, text, &alloc.allocator);
    check(alloc.live_blocks == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_str rest = mcpi_str_n((const char *)data, len);
  const char *lf = len > 0 ? memchr(rest.ptr, '\n', len) : NULL;
  mcpi_str url = mcpi_str_take(&rest, lf != NULL ? (size_t)(lf - rest.ptr) : 0);
  mcpi_str_take_char(&rest, '\n');
  if (lf == NULL) { /* only a URL */
    url = rest;
  }
  read_all(url, rest, mcp_allocator_default());
  read_without_memory(url, rest);
  return 0;
}
