/* SPDX-License-Identifier: MIT */
/* Which requests may pass: Host and Origin (MCP 2026-07-28, Streamable HTTP:
 * Security & Endpoint). A web page can make its visitor's browser send requests
 * to the loopback interface. The browser says where the page came from, and
 * which name it has looked up. */
#include "endpoint/host_origin.h"

#include "codec/http_origin.h"
#include "codec/http_value.h"

/* NULL is the default, which allows only the loopback interface. */
static int allows_any(const char *const *list) {
  for (; list != NULL && *list != NULL; list++) {
    if (strcmp(*list, "*") == 0) {
      return 1;
    }
  }
  return 0;
}

static int host_is_listed(const char *const *list, mcpi_str name) {
  for (; *list != NULL; list++) {
    if (mcpi_header_eq_nocase(mcpi_str_z(*list), name)) {
      return 1;
    }
  }
  return 0;
}

static int guard_admits_host(const mcp_http_options *options, const char *text,
                             mcpi_endpoint_host_line *last, mcp_error *err) {
  const char *const *allowed = options->allowed_hosts;
  mcpi_header_host host;
  if (allows_any(allowed) ||
      (text != NULL && text[0] != '\0' && strcmp(text, last->text) == 0)) {
    return 1;
  }
  if (text != NULL && mcpi_header_host_parse(&host, mcpi_str_z(text)) == 0 &&
      (allowed != NULL ? host_is_listed(allowed, host.name)
                       : mcpi_header_is_loopback(host.name))) {
    size_t len = strlen(text);
    if (len < sizeof(last->text)) {
      memcpy(last->text, text, len + 1);
    }
    return 1;
  }
  mcp_error_set(err, MCP_ERR_REFUSED,
                "the host \"%.100s\" is not served here (%.60s)",
                text != NULL ? text : "", options->host_setting);
  return 0;
}

static int origin_is_allowed(const mcp_http_options *options, mcpi_str origin) {
  const char *const *allowed = options->allowed_origins;
  if (allowed == NULL) {
    return mcpi_header_origin_is_loopback(origin);
  }
  for (; *allowed != NULL; allowed++) {
    if (mcpi_header_origin_matches(origin, mcpi_str_z(*allowed))) {
      return 1;
    }
  }
  return allows_any(options->allowed_origins);
}

int mcpi_endpoint_host_admits(const mcp_http_options *options,
                              const mcpi_endpoint_head *head,
                              mcpi_endpoint_host_line *last,
                              int *origin_is_named, mcp_error *err) {
  *origin_is_named = 0;
  if (!guard_admits_host(options, head->host, last, err)) {
    return 0;
  }
  if (head->origin == NULL) {
    return 1;
  }
  if (!origin_is_allowed(options, mcpi_str_z(head->origin))) {
    mcp_error_set(err, MCP_ERR_REFUSED,
                  "pages of \"%.100s\" may not use this server (%.60s)",
                  head->origin, options->origin_setting);
    return 0;
  }
  *origin_is_named = 1;
  return 1;
}
