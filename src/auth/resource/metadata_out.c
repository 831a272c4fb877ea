/* SPDX-License-Identifier: MIT */
#include "auth/resource/metadata_out.h"

#include "auth/resource/challenge.h"
#include "auth/scopes.h"
#include <mcp/json.h>

static void metadata_out_put_words(mcp_builder *builder, const char *name,
                                   mcpi_str words) {
  mcpi_str word;
  mcp_builder_array(builder, name);
  while (mcpi_scopes_next(&words, &word)) {
    mcp_builder_string_n(builder, NULL, word.ptr, word.len);
  }
  mcp_builder_end(builder);
}

static void metadata_out_put_issuers(mcp_builder *builder,
                                     const mcp_protect_options *options) {
  const char *const *more = options->more_issuers;
  mcp_builder_array(builder, "authorization_servers");
  mcp_builder_string(builder, NULL, options->issuer);
  for (; more != NULL && *more != NULL; more++) {
    mcp_builder_string(builder, NULL, *more);
  }
  mcp_builder_end(builder);
}

static void metadata_out_put_string(mcp_builder *builder, const char *name,
                                    const char *string) {
  if (string != NULL) {
    mcp_builder_string(builder, name, string);
  }
}

static void metadata_out_put_all(mcp_builder *builder,
                                 const mcp_protect_options *options,
                                 mcpi_str resource) {
  const char *scopes = options->scopes_supported;
  mcp_builder_object(builder, NULL);
  mcp_builder_string_n(builder, "resource", resource.ptr, resource.len);
  metadata_out_put_issuers(builder, options);
  if (scopes != NULL) {
    metadata_out_put_words(builder, "scopes_supported", mcpi_str_z(scopes));
  }
  mcp_builder_array(builder, "bearer_methods_supported");
  mcp_builder_string(builder, NULL, "header");
  mcp_builder_end(builder);
  metadata_out_put_string(builder, "resource_name", options->resource_name);
  metadata_out_put_string(builder, "resource_documentation",
                          options->documentation_url);
  metadata_out_put_words(builder, "dpop_signing_alg_values_supported",
                         mcpi_str_z(mcpi_refusal_algorithms()));
  if (options->requires_dpop) {
    mcp_builder_bool(builder, "dpop_bound_access_tokens_required", 1);
  }
  mcp_builder_end(builder);
}

int mcpi_resource_metadata_put(mcpi_buf *buf,
                               const mcp_protect_options *options,
                               mcpi_str resource) {
  size_t len = 0;
  mcp_builder *builder = mcp_builder_new(buf->allocator, NULL);
  metadata_out_put_all(builder, options, resource);
  const char *text = mcp_builder_text(builder, &len);
  int rc = MCP_ERR_NOMEM;
  if (text != NULL) {
    mcpi_buf_put(buf, text, len);
    rc = buf->error;
  }
  mcp_builder_free(builder);
  return rc;
}
