/* SPDX-License-Identifier: MIT */
/* Reading the metadata of the authorization server, which have its URLs and
 * abilities (MCP, Authorization: Authorization Server Metadata Discovery). */
#include "auth/client/step.h"

#include "auth/scopes.h"
#include "auth/web_url.h"
#include "base/ascii.h"
#include "codec/http_value.h"

enum {
  /* Metadata are kept for no longer than this, also if the server says more. */
  KEEP_MAX_MS = 24 * 60 * 60 * 1000
};

#define GRANT_TYPES "grant_types_supported"
#define JWT_BEARER "urn:ietf:params:oauth:grant-type:jwt-bearer"
#define GRANT_PROFILES "authorization_grant_profiles_supported"
#define ID_JAG_PROFILE "urn:ietf:params:oauth:grant-profile:id-jag"

/* --- what a login needs of the server ------------------------------------- */

/* Returns a list of the metadata; NULL: they have none of that name. */
static const mcp_json *list_of(const mcpi_server_metadata *server,
                               const char *name) {
  return server->doc != NULL ? mcp_json_get(mcp_doc_root(server->doc), name)
                             : NULL;
}

static mcpi_flow_next check_page(mcpi_flow *flow) {
  const mcpi_server_metadata *server = &flow->server;
  const char *page = server->authorization_endpoint;
  if (page == NULL) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "%.120s has no authorization_endpoint, so users "
                          "cannot agree there",
                          flow->issuer);
  }
  if (mcpi_step_is_public_only(flow, page) &&
      !mcpi_web_url_is_public(mcpi_str_z(page))) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "the authorization_endpoint %.*s has a private "
                          "address (allows_private_addresses is 0)",
                          mcpi_step_shown_len(page), page);
  }
  if (!server->has_s256) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "%.90s does not say that it supports PKCE with S256 "
                          "(code_challenge_methods_supported)",
                          flow->issuer);
  }
  return MCPI_FLOW_GET_CLIENT;
}

/* An assertion goes only to a server that says that it takes it. A server
 * without the list does not take it: that is the default of RFC 8414, 2. */
static mcpi_flow_next check_listed(mcpi_flow *flow, const char *list,
                                   const char *value, mcpi_flow_next next) {
  if (mcpi_scopes_array_has(list_of(&flow->server, list), mcpi_str_z(value))) {
    return next;
  }
  return mcpi_step_fail(flow, MCP_ERR_REFUSED, "%.80s does not list %s in %s",
                        flow->issuer, value, list);
}

/* The list of profiles is younger than the grant: some servers, as that of the
 * conformance suite, list only the grant. */
static mcpi_flow_next check_enterprise(mcpi_flow *flow) {
  if (list_of(&flow->server, GRANT_PROFILES) == NULL) {
    return check_listed(flow, GRANT_TYPES, JWT_BEARER, MCPI_FLOW_GET_CLIENT);
  }
  return check_listed(flow, GRANT_PROFILES, ID_JAG_PROFILE,
                      MCPI_FLOW_GET_CLIENT);
}

static mcpi_flow_next check_server(mcpi_flow *flow) {
  if (flow->purpose == MCPI_FLOW_TO_REVOKE &&
      flow->server.revocation_endpoint == NULL) {
    return mcpi_step_fail(flow, MCP_ERR_UNSUPPORTED,
                          "%.120s cannot revoke tokens (it has no "
                          "revocation_endpoint)",
                          flow->issuer);
  }
  if (flow->purpose != MCPI_FLOW_TO_LOG_IN) {
    return MCPI_FLOW_GET_CLIENT;
  }
  int rc = mcpi_step_choose_scopes(flow);
  if (rc != 0) {
    return mcpi_step_fail_code(flow, rc, "choosing scopes");
  }
  switch (flow->start.options->grant) {
  case MCP_AUTH_CODE:
    return check_page(flow);
  case MCP_AUTH_WORKLOAD:
    return check_listed(flow, GRANT_TYPES, JWT_BEARER, MCPI_FLOW_ASSERT);
  case MCP_AUTH_ENTERPRISE:
    return check_enterprise(flow);
  default:
    return MCPI_FLOW_GET_CLIENT;
  }
}

/* --- reading -------------------------------------------------------------- */

/* Reads a document in which the issuer has a slash at its end. */
static int read_slashed(mcpi_flow *flow, mcpi_str document, mcp_error *why) {
  mcpi_buf issuer;
  mcpi_buf_init(&issuer, flow->allocator, SIZE_MAX);
  mcpi_buf_puts(&issuer, mcpi_str_z(flow->issuer));
  mcpi_buf_putc(&issuer, '/');
  int rc = issuer.error;
  if (rc == 0) {
    rc = mcpi_server_metadata_read(&flow->server, document,
                                   mcpi_buf_str(&issuer), flow->allocator, why);
  }
  mcpi_buf_deinit(&issuer);
  return rc;
}

/* Reads the document of our issuer. If that is the server's own origin, the
 * server may write it with a slash at its end. Returns 0, or an MCP_ERR_* with
 * *why. */
static int read_server(mcpi_flow *flow, mcpi_str document, mcp_error *why) {
  mcp_error ignored;
  int rc = mcpi_server_metadata_read(
      &flow->server, document, mcpi_str_z(flow->issuer), flow->allocator, why);
  if (rc == MCP_ERR_REFUSED && flow->is_own_issuer) {
    int slashed_rc = read_slashed(flow, document, &ignored);
    if (slashed_rc != MCP_ERR_REFUSED) {
      rc = slashed_rc;
    }
  }
  return rc;
}

/* --- places --------------------------------------------------------------- */

typedef struct issuer_place {
  const char *name;
  mcpi_well_known form;
} issuer_place;

/* Appends the URL of the place of this attempt. An issuer with a path has three
 * places, and its metadata are not at the root. Returns 0: there is no further
 * place. */
static int put_place(const mcpi_flow *flow, mcpi_buf *url) {
  static const issuer_place places[] = {
      {"oauth-authorization-server", MCPI_WELL_KNOWN_INSERTED},
      {"openid-configuration", MCPI_WELL_KNOWN_INSERTED},
      {"openid-configuration", MCPI_WELL_KNOWN_APPENDED}};
  mcpi_str issuer = mcpi_str_z(flow->issuer);
  unsigned count = mcpi_web_url_has_path(issuer) ? 3 : 2;
  if (flow->attempt >= count) {
    return 0;
  }
  mcpi_web_url_put_well_known(url, issuer, places[flow->attempt].name,
                              places[flow->attempt].form);
  return 1;
}

/* A server of 2025-03-26 without metadata has its endpoints at fixed paths. */
static mcpi_flow_next use_default_server(mcpi_flow *flow) {
  int rc = mcpi_server_metadata_default(&flow->server, mcpi_str_z(flow->issuer),
                                        flow->allocator);
  return rc == 0 ? check_server(flow) : mcpi_step_no_memory(flow);
}

static mcpi_flow_next ask_next_place(mcpi_flow *flow) {
  mcpi_buf *url = mcpi_step_ask(flow);
  if (put_place(flow, url)) {
    return MCPI_FLOW_FETCH;
  }
  if (flow->is_own_issuer) {
    return use_default_server(flow);
  }
  return mcpi_step_fail(flow, MCP_ERR_REFUSED, "%.120s has no metadata",
                        flow->issuer);
}

mcpi_flow_next mcpi_step_find_issuer(mcpi_flow *flow) {
  mcp_error why;
  mcpi_str issuer = mcpi_str_z(flow->issuer);
  if (mcpi_web_url_check(issuer, "the issuer", &why) != 0) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED, "%s", why.message);
  }
  mcpi_str known =
      mcpi_issuers_find(flow->start.issuers, issuer, mcpi_loop_now(flow->loop));
  if (known.ptr != NULL && read_server(flow, known, &why) == 0) {
    return check_server(flow);
  }
  return ask_next_place(flow);
}

/* --- the answer ----------------------------------------------------------- */

/* Returns the milliseconds of "max-age=SECONDS"; -1: it is something else. */
static int64_t max_age(mcpi_str directive) {
  static const char name[] = "max-age=";
  int64_t ms = 0;
  mcpi_str digits = directive;
  if (directive.len < sizeof(name) ||
      !mcpi_header_eq_nocase(mcpi_str_take(&digits, sizeof(name) - 1),
                             MCPI_STR("max-age="))) {
    return -1;
  }
  while (digits.len > 0 && mcpi_is_digit(digits.ptr[0]) && ms < KEEP_MAX_MS) {
    ms = ms * 10 + (mcpi_str_take(&digits, 1).ptr[0] - '0') * 1000;
  }
  return ms < KEEP_MAX_MS ? ms : KEEP_MAX_MS;
}

/* How long the answer may be kept (RFC 9111, 5.2.2), in milliseconds. */
static int64_t keep_time(const mcp_fetch_answer *answer) {
  mcpi_str list = mcpi_str_z(mcpi_step_header(answer, "Cache-Control"));
  mcpi_str directive;
  int64_t ms = MCPI_ISSUERS_KEEP_MS;
  while (mcpi_header_next(&list, &directive)) {
    if (mcpi_header_eq_nocase(directive, MCPI_STR("no-store")) ||
        mcpi_header_eq_nocase(directive, MCPI_STR("no-cache"))) {
      return 0;
    }
    int64_t age = max_age(directive);
    if (age >= 0) {
      ms = age;
    }
  }
  return ms;
}

mcpi_flow_next mcpi_step_take_issuer(mcpi_flow *flow,
                                     const mcp_fetch_answer *answer) {
  mcpi_str document = mcpi_str_n(answer->body, answer->body_len);
  mcp_error why;
  int rc = MCP_ERR_PARSE;
  if (mcpi_step_is_trouble(answer)) {
    return mcpi_step_refuse(flow, answer);
  }
  if (mcpi_step_is_fine(answer)) {
    rc = read_server(flow, document, &why);
  }
  if (rc == MCP_ERR_PARSE) {
    flow->attempt++;
    return ask_next_place(flow);
  }
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_step_no_memory(flow);
  }
  if (rc != 0) {
    return mcpi_step_fail(flow, rc, "%s", why.message);
  }
  int64_t ms = keep_time(answer);
  if (ms > 0) {
    mcpi_issuers_keep(flow->start.issuers, mcpi_str_z(flow->issuer), document,
                      mcpi_loop_now(flow->loop) + ms);
  }
  return check_server(flow);
}
