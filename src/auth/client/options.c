/* SPDX-License-Identifier: MIT */
#include "auth/client/options.h"

#include "auth/jwt.h"
#include "auth/web_url.h"
#include "base/error.h"
#include "base/widen.h"
#include <stddef.h>

enum { MAX_STEP_UPS = 2, FETCH_TIMEOUT_MS = 30000, LOGIN_TIMEOUT_MS = 300000 };

/* The strings, which are copied. */
static const size_t auth_strings[] = {
    offsetof(mcp_auth_options, client_name),
    offsetof(mcp_auth_options, client_uri),
    offsetof(mcp_auth_options, client_id),
    offsetof(mcp_auth_options, client_secret),
    offsetof(mcp_auth_options, private_key),
    offsetof(mcp_auth_options, key_algorithm),
    offsetof(mcp_auth_options, key_id),
    offsetof(mcp_auth_options, client_issuer),
    offsetof(mcp_auth_options, client_metadata_url),
    offsetof(mcp_auth_options, redirect_uri),
    offsetof(mcp_auth_options, scopes),
    offsetof(mcp_auth_options, idp_token_endpoint),
    offsetof(mcp_auth_options, idp_client_id),
    offsetof(mcp_auth_options, idp_client_secret),
    offsetof(mcp_auth_options, proxy),
    offsetof(mcp_auth_options, ca_file),
};

enum { AUTH_STRINGS = sizeof(auth_strings) / sizeof(auth_strings[0]) };

static char **auth_string(mcp_auth_options *options, size_t i) {
  return (char **)(void *)((char *)options + auth_strings[i]);
}

/* After an error, the strings that have not been copied are NULL. */
static int copy_strings(mcp_auth_options *options, mcp_loop *loop,
                        mcp_error *err) {
  int rc = 0;
  for (size_t i = 0; i < AUTH_STRINGS; i++) {
    char **string = auth_string(options, i);
    const char *given = *string;
    *string = rc == 0 ? mcpi_strdup(&loop->allocator, given) : NULL;
    if (rc == 0 && given != NULL && *string == NULL) {
      rc = mcpi_no_memory(err);
    }
  }
  return rc;
}

void mcpi_auth_options_deinit(mcp_auth_options *options, mcp_loop *loop) {
  for (size_t i = 0; i < AUTH_STRINGS; i++) {
    mcpi_strfree_wiped(&loop->allocator, *auth_string(options, i));
    *auth_string(options, i) = NULL;
  }
}

/* --- checks --------------------------------------------------------------- */

static int auth_needs(const char *member, const char *who, mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_INVALID, "%s is NULL; %s needs it", member,
                       who);
}

static int check_grant(const mcp_auth_options *options, mcp_error *err) {
  switch (options->grant) {
  case MCP_AUTH_CODE:
    return 0;
  case MCP_AUTH_CLIENT_CREDENTIALS:
    if (options->client_id == NULL && options->get_client == NULL) {
      return auth_needs("client_id", "MCP_AUTH_CLIENT_CREDENTIALS", err);
    }
    if (options->client_secret == NULL && options->private_key == NULL &&
        options->get_client == NULL) {
      return auth_needs("client_secret or private_key",
                        "MCP_AUTH_CLIENT_CREDENTIALS", err);
    }
    return 0;
  case MCP_AUTH_ENTERPRISE:
    if (options->idp_token_endpoint == NULL) {
      return auth_needs("idp_token_endpoint", "MCP_AUTH_ENTERPRISE", err);
    }
    if (options->idp_client_id == NULL) {
      return auth_needs("idp_client_id", "MCP_AUTH_ENTERPRISE", err);
    }
    if (options->client_id == NULL && options->client_metadata_url == NULL &&
        options->get_client == NULL) {
      return auth_needs("client_id", "MCP_AUTH_ENTERPRISE", err);
    }
    break;
  case MCP_AUTH_WORKLOAD:
    break;
  default:
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "grant: %lu is not a value of MCP_AUTH_*",
                         (unsigned long)options->grant);
  }
  return options->get_assertion != NULL
             ? 0
             : auth_needs("get_assertion",
                          options->grant == MCP_AUTH_ENTERPRISE
                              ? "MCP_AUTH_ENTERPRISE"
                              : "MCP_AUTH_WORKLOAD",
                          err);
}

static int auth_check_url(const char *url, const char *member, mcp_error *err) {
  mcp_error why = {.code = 0};
  if (url == NULL || mcpi_web_url_check(mcpi_str_z(url), member, &why) == 0) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID, "%s", why.message);
}

static int check_urls(const mcp_auth_options *options, mcp_error *err) {
  const char *metadata = options->client_metadata_url;
  int rc = auth_check_url(metadata, "client_metadata_url", err);
  if (rc == 0 && metadata != NULL &&
      !mcpi_web_url_has_path(mcpi_str_z(metadata))) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "client_metadata_url: \"%s\" has no path", metadata);
  }
  if (rc == 0) {
    rc = auth_check_url(options->redirect_uri, "redirect_uri", err);
  }
  if (rc == 0) {
    rc = auth_check_url(options->idp_token_endpoint, "idp_token_endpoint", err);
  }
  return rc;
}

/* Reads the key, so that a wrong one is found now. */
static int check_key(const mcp_auth_options *options, mcp_loop *loop,
                     mcp_error *err) {
  const mcp_platform *platform = &loop->platform;
  const char *pem = options->private_key;
  mcp_key *key = NULL;
  if (options->key_algorithm != NULL &&
      mcpi_jwt_algorithm(options->key_algorithm) == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "key_algorithm: \"%s\" is not one of RS256, PS256, "
                         "ES256 and EdDSA",
                         options->key_algorithm);
  }
  if (pem == NULL || platform->crypto == NULL) {
    return 0;
  }
  int rc = platform->crypto->key_from_pem(platform->userdata, pem, strlen(pem),
                                          &key);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  if (rc != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "private_key: it is not a private key in PEM, "
                         "unencrypted, of RSA, P-256 or Ed25519");
  }
  platform->crypto->key_free(platform->userdata, key);
  return 0;
}

static int check_client(const mcp_auth_options *options, mcp_error *err) {
  if (options->client_id == NULL && options->client_secret != NULL) {
    return auth_needs("client_id", "client_secret", err);
  }
  if (options->client_id == NULL && options->private_key != NULL &&
      options->client_metadata_url == NULL && options->get_client == NULL) {
    return auth_needs("client_id", "private_key", err);
  }
  return 0;
}

/* A program that manages tokens itself needs nothing of the platform. */
static int auth_check_platform(const mcp_auth_options *options,
                               const mcp_platform *platform, mcp_error *err) {
  const char *missing = NULL;
  if (platform->fetch == NULL || platform->fetch_cancel == NULL) {
    missing = "fetch";
  } else if (platform->crypto == NULL) {
    missing = "crypto";
  } else if (platform->random == NULL) {
    missing = "random";
  }
  if (missing == NULL || options->get_token != NULL) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_PLATFORM,
                       "authorization needs mcp_platform.%s, which is NULL",
                       missing);
}

static int auth_check_options(const mcp_auth_options *options, mcp_loop *loop,
                              mcp_error *err) {
  int rc = check_grant(options, err);
  if (rc == 0) {
    rc = check_client(options, err);
  }
  if (rc == 0) {
    rc = check_urls(options, err);
  }
  if (rc == 0) {
    rc = auth_check_platform(options, &loop->platform, err);
  }
  if (rc == 0) {
    rc = check_key(options, loop, err);
  }
  return rc;
}

/* --- the store ------------------------------------------------------------ */

static int take_store(mcp_auth_store *store, const mcp_auth_store *given,
                      mcp_error *err) {
  if (given == NULL) {
    return 0;
  }
  mcp_auth_store wide = {.size = sizeof(wide)};
  int rc = mcpi_widen(&wide, sizeof(wide), given, "mcp_auth_store", err);
  if (rc == 0 &&
      (wide.take == NULL || wide.cancel == NULL || wide.give == NULL)) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "store: take, cancel or give is NULL");
  }
  if (rc == 0) {
    *store = wide;
  }
  return rc;
}

int mcpi_auth_options_init(mcp_auth_options *options, mcp_auth_store *store,
                           mcp_loop *loop, const mcp_auth_options *given,
                           mcp_error *err) {
  *options = (mcp_auth_options){.size = sizeof(*options)};
  *store = (mcp_auth_store){.size = sizeof(*store)};
  if (given != NULL) {
    mcp_auth_options wide = {.size = sizeof(wide)};
    int rc = mcpi_widen(&wide, sizeof(wide), given, "mcp_auth_options", err);
    if (rc == 0) {
      rc = mcpi_check_reserved("mcp_auth_options.reserved", wide.reserved, err);
    }
    if (rc != 0) {
      return rc;
    }
    *options = wide;
  }
  const mcp_auth_store *given_store = options->store;
  options->store = NULL;
  if (options->client_name == NULL) {
    options->client_name = "libmcp";
  }
  mcpi_default_u32(&options->max_step_ups, MAX_STEP_UPS);
  mcpi_default_u32(&options->fetch_timeout_ms, FETCH_TIMEOUT_MS);
  mcpi_default_u32(&options->login_timeout_ms, LOGIN_TIMEOUT_MS);
  int rc = copy_strings(options, loop, err);
  if (rc == 0) {
    rc = auth_check_options(options, loop, err);
  }
  if (rc == 0) {
    rc = take_store(store, given_store, err);
  }
  return rc;
}
