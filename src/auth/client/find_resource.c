/* SPDX-License-Identifier: MIT */
/* Finding the authorization server of an MCP server: the server's metadata name
 * it (MCP, Authorization: Authorization Server Discovery). */
#include "auth/client/step.h"

#include "auth/scopes.h"
#include "auth/web_url.h"

/* Where the metadata may be, in this order. */
enum { PLACE_CHALLENGE, PLACE_PATH, PLACE_ROOT, PLACES };

/* Appends the URL of a place, or nothing: there is no such place. */
static void put_place(const mcpi_flow *flow, unsigned place, mcpi_buf *url) {
  static const char name[] = "oauth-protected-resource";
  mcpi_str server = mcpi_str_z(flow->start.server_url);
  if (place == PLACE_CHALLENGE) {
    mcpi_buf_puts(url, mcpi_str_z(flow->start.metadata_url));
  } else if (place == PLACE_ROOT) {
    mcpi_web_url_put_well_known(url, server, name, MCPI_WELL_KNOWN_ROOT);
  } else if (mcpi_web_url_has_path(server)) {
    mcpi_web_url_put_well_known(url, server, name, MCPI_WELL_KNOWN_INSERTED);
  }
}

/* A challenge most often names one of the other places. */
static int has_been_asked(const mcpi_flow *flow, const mcpi_buf *url) {
  return flow->attempt > PLACE_CHALLENGE && flow->start.metadata_url != NULL &&
         mcpi_str_eq(mcpi_buf_str(url), mcpi_str_z(flow->start.metadata_url));
}

/* A server of 2025-03-26 has no such metadata, and is its own authorization
 * server. */
static mcpi_flow_next use_own_origin(mcpi_flow *flow) {
  mcpi_buf origin;
  mcpi_buf_init(&origin, flow->allocator, SIZE_MAX);
  mcpi_web_url_put_origin(&origin, mcpi_str_z(flow->start.server_url));
  flow->issuer = mcpi_buf_take_string(&origin);
  flow->is_own_issuer = 1;
  if (flow->issuer == NULL) {
    return mcpi_step_no_memory(flow);
  }
  return mcpi_step_may_use_issuer(flow, flow->issuer)
             ? MCPI_FLOW_FIND_ISSUER
             : mcpi_step_refuse_issuer(flow, flow->issuer);
}

static mcpi_flow_next ask_next_place(mcpi_flow *flow) {
  for (; flow->attempt < PLACES; flow->attempt++) {
    mcpi_buf *url = mcpi_step_ask(flow);
    put_place(flow, flow->attempt, url);
    if (url->error != 0 || (url->len > 0 && !has_been_asked(flow, url))) {
      return MCPI_FLOW_FETCH;
    }
  }
  if (flow->start.metadata_url != NULL) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "there are no metadata at %.*s, which the server's "
                          "challenge names",
                          mcpi_step_shown_len(flow->start.metadata_url),
                          flow->start.metadata_url);
  }
  return use_own_origin(flow);
}

mcpi_flow_next mcpi_step_find_resource(mcpi_flow *flow) {
  mcpi_str server = mcpi_str_z(flow->start.server_url);
  mcpi_str named = mcpi_str_z(flow->start.metadata_url);
  mcp_error why;
  if (mcpi_web_url_check(server, "the server's URL", &why) != 0 ||
      (named.ptr != NULL &&
       mcpi_web_url_check(named, "resource_metadata", &why) != 0)) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED, "%s", why.message);
  }
  if (named.ptr != NULL && !mcpi_web_url_has_same_origin(named, server)) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "the challenge of %.70s names metadata at another "
                          "origin: %.*s",
                          server.ptr, mcpi_step_shown_len(named.ptr),
                          named.ptr);
  }
  return ask_next_place(flow);
}

/* --- the answer ----------------------------------------------------------- */

/* Chooses the first authorization server that the program may use. */
static mcpi_flow_next choose_issuer(mcpi_flow *flow,
                                    const mcpi_resource_metadata *metadata) {
  const char *first = mcpi_resource_metadata_server(metadata, 0);
  const char *offered = first;
  for (size_t i = 1;
       offered != NULL && !mcpi_step_may_use_issuer(flow, offered); i++) {
    offered = mcpi_resource_metadata_server(metadata, i);
  }
  if (offered == NULL) {
    return mcpi_step_refuse_issuer(flow, first);
  }
  return mcpi_step_copy(flow, &flow->issuer, offered) == 0
             ? MCPI_FLOW_FIND_ISSUER
             : mcpi_step_no_memory(flow);
}

/* A server that names one scope again and again would keep us busy. Returns 0,
 * MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
static int take_scopes(mcpi_flow *flow, const mcp_json *array) {
  if (mcp_json_size(array) > MCPI_FLOW_MAX_SCOPES / 2) {
    return MCP_ERR_LIMIT;
  }
  mcpi_scopes_add_array(&flow->offered_scopes, array);
  return flow->offered_scopes.error;
}

static mcpi_flow_next use_metadata(mcpi_flow *flow,
                                   const mcpi_resource_metadata *metadata) {
  int rc = take_scopes(flow, metadata->scopes_supported);
  if (rc != 0) {
    return mcpi_step_fail_code(flow, rc, "scopes_supported of the server");
  }
  if (mcpi_step_copy(flow, &flow->resource, metadata->resource) != 0) {
    return mcpi_step_no_memory(flow);
  }
  flow->start.wants_dpop |= metadata->requires_dpop;
  return choose_issuer(flow, metadata);
}

/* A server that answers each path with a web page has no metadata. One that
 * fails, or wants fewer requests, may have them: going on would be a way to
 * weaken the login. */
mcpi_flow_next mcpi_step_take_resource(mcpi_flow *flow,
                                       const mcp_fetch_answer *answer) {
  mcpi_resource_metadata metadata;
  mcp_error why;
  if (mcpi_step_is_trouble(answer)) {
    return mcpi_step_refuse(flow, answer);
  }
  int rc = MCP_ERR_PARSE;
  if (mcpi_step_is_fine(answer)) {
    rc = mcpi_resource_metadata_read(
        &metadata, mcpi_str_n(answer->body, answer->body_len),
        mcpi_str_z(flow->start.server_url), flow->allocator, &why);
  }
  if (rc == MCP_ERR_PARSE) {
    flow->attempt++;
    return ask_next_place(flow);
  }
  if (rc != 0) {
    const char *url = flow->ask.url.data;
    return mcpi_step_fail(flow, rc, "the metadata at %.*s: %s",
                          mcpi_step_shown_len(url), url, why.message);
  }
  mcpi_flow_next next = use_metadata(flow, &metadata);
  mcpi_resource_metadata_deinit(&metadata);
  return next;
}
