/* SPDX-License-Identifier: MIT */
/* The options --auth-...: which tokens clients need (mcp/protect.h). */
#include "main/options.h"

#include "base/widen.h"

#include <stdlib.h>
#include <string.h>

/* --- which were given ---------------------------------------------------- */

const char *mcpi_main_find_protection(const mcpi_main_protection *stated) {
  const struct {
    const char *option;
    int is_given;
  } options[] = {
      {"auth-issuer", stated->issuers.count > 0},
      {"auth-audience", stated->audiences.count > 0},
      {"auth-scopes", stated->scopes != NULL},
      {"auth-resource", stated->resource != NULL},
      {"auth-jwks-uri", stated->jwks_uri != NULL},
      {"auth-token-file", stated->token_file != NULL},
      {"auth-introspection", stated->introspection != NULL},
      {"auth-client-id", stated->client_id != NULL},
      {"auth-client-secret-env", stated->secret_env != NULL},
  };
  for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
    if (options[i].is_given) {
      return options[i].option;
    }
  }
  return NULL;
}

/* --- whether they are complete ------------------------------------------- */

static const char *protection_complain(const char *option, mcp_error *err,
                                       const char *why) {
  mcp_error_set(err, MCP_ERR_INVALID, "%s", why);
  return option;
}

/* Whether something says how tokens are checked. */
static int protection_has_way(const mcpi_main_protection *stated,
                              const mcp_protect_options *given) {
  return stated->issuers.count > 0 || stated->token_file != NULL ||
         stated->introspection != NULL ||
         (given != NULL &&
          (given->issuer != NULL || given->tokens != NULL ||
           given->token_file != NULL || given->check_token != NULL ||
           given->introspection_endpoint != NULL));
}

/* The message does not name the variable's value. */
static const char *check_client(const mcpi_main_protection *stated,
                                mcp_error *err) {
  if (stated->client_id != NULL && stated->introspection == NULL) {
    return protection_complain("auth-client-id", err,
                               "it belongs to --auth-introspection URL: give "
                               "that too");
  }
  if (stated->secret_env == NULL) {
    return NULL;
  }
  if (stated->client_id == NULL) {
    return protection_complain("auth-client-secret-env", err,
                               "it belongs to --auth-client-id ID: give that "
                               "too");
  }
  if (getenv(stated->secret_env) == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "the environment has no variable \"%.100s\"",
                  stated->secret_env);
    return "auth-client-secret-env";
  }
  return NULL;
}

const char *mcpi_main_check_protection(const mcpi_main_protection *stated,
                                       const mcp_protect_options *given,
                                       mcp_error *err) {
  const char *first = mcpi_main_find_protection(stated);
  if (first == NULL && given == NULL) {
    return NULL;
  }
  if (stated->jwks_uri != NULL && stated->issuers.count != 1) {
    return protection_complain("auth-jwks-uri", err,
                               "it belongs to one --auth-issuer URL: give one");
  }
  const char *wrong = check_client(stated, err);
  if (wrong == NULL && !protection_has_way(stated, given)) {
    wrong = protection_complain(first != NULL ? first : "auth-issuer", err,
                                "nothing says how tokens are checked: give "
                                "--auth-issuer, --auth-token-file or "
                                "--auth-introspection");
  }
  return wrong;
}

/* --- laying them over the program's -------------------------------------- */

static void lay_word(const char *stated, const char **out) {
  if (stated != NULL) {
    *out = stated;
  }
}

static void drop_introspection(mcp_protect_options *out) {
  out->introspection_endpoint = NULL;
  out->introspection_client_id = NULL;
  out->introspection_client_secret = NULL;
}

/* A user who names an issuer wants its tokens, and no others: the keys and the
 * introspection endpoint of the program's issuer go, and so does the function
 * of the program, which would be asked first. */
static void lay_issuers(const mcpi_main_protection *stated,
                        mcp_protect_options *out) {
  const mcpi_main_names *issuers = &stated->issuers;
  if (issuers->count > 0) {
    out->issuer = issuers->list[0];
    out->more_issuers = issuers->count > 1 ? &issuers->list[1] : NULL;
    out->jwks = NULL;
    out->jwks_uri = stated->jwks_uri;
    out->tokens = NULL;
    out->token_file = NULL;
    out->check_token = NULL;
    drop_introspection(out);
  }
}

/* Nor is a secret for another place. */
static void lay_introspection(const mcpi_main_protection *stated,
                              mcp_protect_options *out) {
  if (stated->introspection != NULL) {
    out->check_token = NULL;
    out->introspection_endpoint = stated->introspection;
    out->introspection_client_id = stated->client_id;
    out->introspection_client_secret =
        stated->secret_env != NULL ? getenv(stated->secret_env) : NULL;
  }
}

void mcpi_main_lay_protection(const mcpi_main_protection *stated,
                              mcpi_main_http *out) {
  mcp_protect_options *protect = &out->protect;
  if (out->endpoint.protect == NULL &&
      mcpi_main_find_protection(stated) == NULL) {
    return;
  }
  lay_issuers(stated, protect);
  lay_introspection(stated, protect);
  lay_word(stated->scopes, &protect->scopes);
  lay_word(stated->resource, &protect->resource);
  if (stated->audiences.count > 0) {
    protect->audiences = stated->audiences.list;
  }
  if (stated->token_file != NULL) {
    protect->token_file = stated->token_file;
    protect->tokens = NULL;
  }
  out->endpoint.protect = protect;
}

/* --- what the library calls them ----------------------------------------- */

const char *mcpi_main_protection_option(const char *member, size_t len) {
  static const struct {
    const char *member;
    const char *option;
  } names[] = {
      {"issuer", "auth-issuer"},
      {"more_issuers", "auth-issuer"},
      {"audiences", "auth-audience"},
      {"scopes", "auth-scopes"},
      {"resource", "auth-resource"},
      {"jwks_uri", "auth-jwks-uri"},
      {"token_file", "auth-token-file"},
      {"tokens", "auth-token-file"},
      {"introspection_endpoint", "auth-introspection"},
  };
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strlen(names[i].member) == len &&
        memcmp(names[i].member, member, len) == 0) {
      return names[i].option;
    }
  }
  return NULL;
}
