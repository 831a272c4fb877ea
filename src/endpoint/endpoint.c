/* SPDX-License-Identifier: MIT */
/* What the files of an endpoint share: its storage, and its reports. life.c
 * begins and ends it. */
#include "endpoint/endpoint.h"

#include "codec/http_origin.h"
#include "endpoint/options.h"

/* --- storage ------------------------------------------------------------ */

mcpi_buf mcpi_endpoint_take_scratch(mcp_http *http) {
  mcpi_buf scratch = http->scratch;
  mcpi_buf_init(&http->scratch, &http->server->allocator, SIZE_MAX);
  mcpi_buf_clear(&scratch);
  return scratch;
}

void mcpi_endpoint_give_scratch(mcp_http *http, mcpi_buf *scratch) {
  mcpi_buf_deinit(&http->scratch);
  mcpi_buf_recycle(scratch, MCPI_ENDPOINT_SCRATCH_KEPT);
  http->scratch = *scratch;
}

void mcpi_endpoint_destroy(mcp_http *http) {
  mcp_server *server = http->server;
  mcpi_shard *shard = http->shard;
  mcpi_buf_deinit(&http->scratch);
  mcpi_redactor_deinit(&http->redactor);
  mcpi_quota_unref(http->waiting);
  mcpi_map_deinit(&http->sessions);
  mcpi_map_deinit(&http->sse);
  mcpi_memory_events_deinit(&http->memory);
  mcpi_accounts_deinit(&http->accounts);
  mcpi_endpoint_rate_deinit(&http->rate);
  mcpi_endpoint_rate_deinit(&http->token_rate);
  mcpi_verifier_free(http->verifier);
  mcpi_endpoint_free_options(&server->allocator, &http->options);
  mcpi_free(&server->allocator, http, sizeof(*http));
  mcpi_shard_enter(shard);
  shard->holds--;
  mcpi_shard_leave(shard);
  mcpi_server_unref(server);
}

void mcpi_endpoint_count(mcp_http *http, mcpi_quota *waiting) {
  mcpi_quota_unref(http->waiting);
  http->waiting = mcpi_quota_ref(waiting);
}

void mcpi_endpoint_set_address(mcp_http *http, const char *address) {
  mcpi_header_host host;
  if (mcpi_header_host_parse(&host, mcpi_str_z(address)) != 0) {
    return;
  }
  http->port = host.port > 0 ? host.port : 0;
  if (mcpi_header_is_loopback(host.name) &&
      host.name.len < sizeof(http->host)) {
    memcpy(http->host, host.name.ptr, host.name.len);
    http->host[host.name.len] = '\0';
  }
}

void mcpi_endpoint_set_secure(mcp_http *http) {
  http->is_secure = 1;
}

void mcpi_endpoint_share_proofs(mcp_http *http, const mcp_http *first) {
  if (http->verifier != NULL) {
    mcpi_verifier_share(http->verifier, mcpi_verifier_proofs(first->verifier));
  }
}

int mcpi_endpoint_has_sessions(const mcp_http *http) {
  return http->options.legacy == MCP_HTTP_SESSIONS &&
         http->options.dialect == MCP_DIALECT_MCP &&
         (http->server->options.eras & MCP_ERA_LEGACY) != 0;
}

/* --- reports ------------------------------------------------------------ */

void mcpi_endpoint_connection_refused(const mcp_http *http, const char *peer,
                                      const mcp_error *err) {
  mcpi_server_connection_refused(http->server, http->shard->loop, peer, err);
}

void mcpi_endpoint_connection_ended(const mcp_http *http, const char *peer,
                                    const mcp_error *err) {
  mcpi_shard *shard = http->shard;
  mcpi_shard_enter(shard);
  mcpi_shard_report(shard, err->code, "%s: %s", peer, err->message);
  mcpi_shard_leave(shard);
}
