/* SPDX-License-Identifier: MIT */
#include "auth/resource/challenge.h"

#include "auth/challenge.h"
#include "auth/web_url.h"

const char *mcpi_refusal_algorithms(void) {
  return "ES256 EdDSA PS256 RS256";
}

int mcpi_resource_has_metadata(const mcp_protect_options *options) {
  return options->issuer != NULL;
}

static void refusal_put(mcpi_buf *buf, size_t begin, const char *name,
                        mcpi_str value) {
  if (value.len > 0) {
    mcpi_challenge_put(buf, begin, name, value);
  }
}

static void refusal_put_metadata(mcpi_buf *buf, size_t begin,
                                 mcpi_str resource) {
  mcpi_buf url;
  mcpi_buf_init(&url, buf->allocator, SIZE_MAX);
  mcpi_web_url_put_well_known(&url, resource, "oauth-protected-resource",
                              MCPI_WELL_KNOWN_INSERTED);
  if (url.error != 0) {
    buf->error = url.error;
  }
  mcpi_challenge_put(buf, begin, "resource_metadata", mcpi_buf_str(&url));
  mcpi_buf_deinit(&url);
}

/* Some clients look for parameters only in the first challenge. */
static void refusal_put_parameters(mcpi_buf *buf, size_t begin,
                                   const mcp_protect_options *options,
                                   const mcpi_refusal *refusal,
                                   mcpi_str resource) {
  refusal_put(buf, begin, "error", mcpi_str_z(refusal->error));
  refusal_put(buf, begin, "error_description",
              mcpi_str_z(refusal->description));
  refusal_put(buf, begin, "scope", refusal->scopes);
  if (mcpi_resource_has_metadata(options)) {
    refusal_put_metadata(buf, begin, resource);
  }
}

void mcpi_refusal_put_challenge(mcpi_buf *buf,
                                const mcp_protect_options *options,
                                const mcpi_refusal *refusal,
                                mcpi_str resource) {
  size_t begin = buf->len;
  int is_dpop = refusal->is_dpop || options->requires_dpop;
  if (refusal->is_bearer || !is_dpop) {
    mcpi_buf_lit(buf, "Bearer");
    refusal_put_parameters(buf, begin, options, refusal, resource);
  }
  if (refusal->is_bearer && is_dpop) {
    mcpi_buf_lit(buf, ", ");
    begin = buf->len;
  }
  if (is_dpop) {
    mcpi_buf_lit(buf, "DPoP");
    if (!refusal->is_bearer) {
      refusal_put_parameters(buf, begin, options, refusal, resource);
    }
    mcpi_challenge_put(buf, begin, "algs",
                       mcpi_str_z(mcpi_refusal_algorithms()));
  }
}
