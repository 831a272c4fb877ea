/* SPDX-License-Identifier: MIT */
#include "auth/resource/options.h"

#include "auth/scopes.h"
#include "auth/web_url.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/widen.h"

/* --- copies ------------------------------------------------------------- */

#define STRING(member) offsetof(mcp_protect_options, member)

/* The members that are strings. */
static const size_t strings[] = {
    STRING(resource),
    STRING(scopes),
    STRING(scopes_supported),
    STRING(resource_name),
    STRING(documentation_url),
    STRING(issuer),
    STRING(jwks_uri),
    STRING(jwks),
    STRING(introspection_endpoint),
    STRING(introspection_client_id),
    STRING(introspection_client_secret),
    STRING(ca_file),
    STRING(proxy),
};

/* The members that are lists of strings. */
static const size_t lists[] = {STRING(audiences), STRING(more_issuers)};

enum {
  STRINGS = sizeof(strings) / sizeof(strings[0]),
  LISTS = sizeof(lists) / sizeof(lists[0])
};

static const char **protect_string(mcp_protect_options *options, size_t i) {
  return (const char **)(void *)((char *)options + strings[i]);
}

static const char ***protect_list(mcp_protect_options *options, size_t i) {
  return (const char ***)(void *)((char *)options + lists[i]);
}

static void protect_free_string(const mcp_allocator *allocator,
                                const char *string) {
  mcpi_strfree_wiped(allocator, (char *)(uintptr_t)string);
}

static size_t protect_count(const char *const *list) {
  size_t count = 0;
  while (list != NULL && list[count] != NULL) {
    count++;
  }
  return count;
}

static void protect_free_list(const mcp_allocator *allocator, const char **list,
                              size_t count) {
  if (list == NULL) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    protect_free_string(allocator, list[i]);
  }
  mcpi_free(allocator, (void *)list, (count + 1) * sizeof(list[0]));
}

/* Replaces a list by its copy; NULL, if there is no memory. */
static int protect_copy_list(const mcp_allocator *allocator,
                             const char ***list) {
  const char **from = *list;
  size_t count = protect_count(from);
  *list = NULL;
  if (from == NULL) {
    return 0;
  }
  const char **copy = mcpi_calloc(allocator, count + 1, sizeof(copy[0]));
  for (size_t i = 0; copy != NULL && i < count; i++) {
    copy[i] = mcpi_strdup(allocator, from[i]);
    if (copy[i] == NULL) {
      protect_free_list(allocator, copy, count);
      copy = NULL;
    }
  }
  *list = copy;
  return copy != NULL ? 0 : MCP_ERR_NOMEM;
}

/* Replaces each string and list by its copy, also after a lack of memory: then
 * the others become NULL. */
static int protect_copy_members(mcp_protect_options *options,
                                const mcp_allocator *allocator) {
  int is_short = 0;
  for (size_t i = 0; i < STRINGS; i++) {
    const char **string = protect_string(options, i);
    const char *from = *string;
    *string = is_short ? NULL : mcpi_strdup(allocator, from);
    is_short |= *string == NULL && from != NULL;
  }
  for (size_t i = 0; i < LISTS; i++) {
    const char ***list = protect_list(options, i);
    if (is_short) {
      *list = NULL;
    } else {
      is_short = protect_copy_list(allocator, list) != 0;
    }
  }
  return is_short ? MCP_ERR_NOMEM : 0;
}

void mcpi_protect_deinit(mcp_protect_options *options,
                         const mcp_allocator *allocator) {
  for (size_t i = 0; i < STRINGS; i++) {
    protect_free_string(allocator, *protect_string(options, i));
  }
  for (size_t i = 0; i < LISTS; i++) {
    const char **list = *protect_list(options, i);
    protect_free_list(allocator, list, protect_count(list));
  }
  *options = (mcp_protect_options)MCP_PROTECT_OPTIONS_INIT;
}

/* --- checks ------------------------------------------------------------- */

static int protect_check_url(const char *name, const char *url,
                             mcp_error *err) {
  if (url == NULL || mcpi_web_url_check(mcpi_str_z(url), name, err) == 0) {
    return 0;
  }
  if (err != NULL) {
    err->code = MCP_ERR_INVALID;
  }
  return MCP_ERR_INVALID;
}

static int protect_check_urls(const mcp_protect_options *options,
                              mcp_error *err) {
  const char *const *more = options->more_issuers;
  const struct {
    const char *name;
    const char *url;
  } urls[] = {{"resource", options->resource},
              {"documentation_url", options->documentation_url},
              {"issuer", options->issuer},
              {"jwks_uri", options->jwks_uri},
              {"introspection_endpoint", options->introspection_endpoint}};
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(urls) / sizeof(urls[0]); i++) {
    rc = protect_check_url(urls[i].name, urls[i].url, err);
  }
  for (; rc == 0 && more != NULL && *more != NULL; more++) {
    rc = protect_check_url("more_issuers", *more, err);
  }
  return rc;
}

static int protect_check_scopes(const char *name, const char *scopes,
                                mcp_error *err) {
  if (scopes == NULL || mcpi_scopes_is_set(mcpi_str_z(scopes))) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "%s: \"%.100s\" is not a list of scopes with one space "
                       "between them",
                       name, scopes);
}

static int protect_check_audiences(const char *const *audiences,
                                   mcp_error *err) {
  if (audiences == NULL) {
    return 0;
  }
  if (audiences[0] == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "audiences: the list is empty; set it to NULL for the "
                         "URL of the resource");
  }
  for (; *audiences != NULL; audiences++) {
    if ((*audiences)[0] == '\0') {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "audiences: one of them is empty");
    }
  }
  return 0;
}

/* Which members need others, or exclude them. */
static int protect_check_issuers(const mcp_protect_options *options,
                                 mcp_error *err) {
  int has_keys = options->jwks != NULL || options->jwks_uri != NULL;
  if (options->issuer == NULL && (has_keys || options->more_issuers != NULL)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "issuer is NULL, but jwks, jwks_uri and more_issuers "
                         "need it");
  }
  if (has_keys && protect_count(options->more_issuers) > 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "more_issuers: there is more than one issuer, so "
                         "neither jwks nor jwks_uri can be set");
  }
  if (options->jwks != NULL && options->jwks_uri != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "jwks and jwks_uri: set only one of them");
  }
  return 0;
}

static int protect_check_introspection(const mcp_protect_options *options,
                                       mcp_error *err) {
  if (options->introspection_endpoint == NULL &&
      options->introspection_client_id != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "introspection_client_id is set, but "
                         "introspection_endpoint is NULL");
  }
  if (options->introspection_client_id == NULL &&
      options->introspection_client_secret != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "introspection_client_secret is set, but "
                         "introspection_client_id is NULL");
  }
  return 0;
}

static int protect_check_tokens(const mcp_protect_options *options,
                                mcp_error *err) {
  if (options->token_file != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "token_file: the endpoint alone reads no files; pass "
                         "the text of \"%.100s\" in tokens",
                         options->token_file);
  }
  if (options->tokens != NULL && options->requires_dpop) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "tokens: fixed tokens are not bound to a key, and "
                         "requires_dpop is set");
  }
  if (options->issuer == NULL && options->introspection_endpoint == NULL &&
      options->tokens == NULL && options->check_token == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "nothing says how tokens are checked; set issuer, "
                         "introspection_endpoint, tokens or check_token");
  }
  return 0;
}

static int protect_check(const mcp_protect_options *options, mcp_error *err) {
  int rc = protect_check_urls(options, err);
  if (rc == 0) {
    rc = protect_check_scopes("scopes", options->scopes, err);
  }
  if (rc == 0) {
    rc = protect_check_scopes("scopes_supported", options->scopes_supported,
                              err);
  }
  if (rc == 0) {
    rc = protect_check_audiences(options->audiences, err);
  }
  if (rc == 0) {
    rc = protect_check_issuers(options, err);
  }
  if (rc == 0) {
    rc = protect_check_introspection(options, err);
  }
  if (rc == 0) {
    rc = protect_check_tokens(options, err);
  }
  return rc;
}

/* --- the whole ---------------------------------------------------------- */

static void protect_fill_in(mcp_protect_options *options) {
  if (options->scopes_supported == NULL) {
    options->scopes_supported = options->scopes;
  }
  mcpi_default_u32(&options->leeway_ms, 60000);
  mcpi_default_u32(&options->keys_ms, 3600000);
  mcpi_default_u32(&options->introspection_ms, 10000);
  mcpi_default_u32(&options->stream_ms, 900000);
  mcpi_default_u32(&options->dpop_window_ms, 300000);
  mcpi_default_u32(&options->fetch_timeout_ms, 10000);
  mcpi_default_u32(&options->max_checks, 1024);
  mcpi_default_u32(&options->max_tokens, 4096);
}

int mcpi_protect_copy(mcp_protect_options *out, const mcp_protect_options *from,
                      const mcp_allocator *allocator, mcp_error *err) {
  mcp_protect_options options;
  int rc =
      mcpi_widen(&options, sizeof(options), from, "mcp_protect_options", err);
  if (rc == 0) {
    rc = protect_check(&options, err);
  }
  if (rc != 0) {
    return rc;
  }
  protect_fill_in(&options);
  if (protect_copy_members(&options, allocator) != 0) {
    mcpi_protect_deinit(&options, allocator);
    return mcpi_no_memory(err);
  }
  *out = options;
  return 0;
}

int mcpi_protect_check_platform(const mcp_protect_options *options,
                                const mcp_platform *platform, mcp_error *err) {
  int fetches = options->introspection_endpoint != NULL ||
                (options->issuer != NULL && options->jwks == NULL);
  if (platform->crypto == NULL) {
    return mcp_error_set(err, MCP_ERR_PLATFORM,
                         "checking tokens needs mcp_platform.crypto");
  }
  if (options->check_token == NULL && fetches &&
      (platform->fetch == NULL || platform->fetch_cancel == NULL)) {
    return mcp_error_set(
        err, MCP_ERR_PLATFORM,
        "fetching keys and asking introspection_endpoint need "
        "mcp_platform.fetch and fetch_cancel, which libmcp has "
        "if it was built with libcurl");
  }
  return 0;
}
