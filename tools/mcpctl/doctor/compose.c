/* SPDX-License-Identifier: MIT */
#include "doctor/compose.h"

#include <mcp/json.h>
#include <mcp/version.h>
#include <string.h>

static char *take_text(mcp_builder *out) {
  const char *text = mcp_builder_text(out, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

static void put_client(mcp_builder *out, const char *name) {
  mcp_builder_object(out, name);
  mcp_builder_string(out, "name", "mcpctl doctor");
  mcp_builder_string(out, "version", mcp_version());
  mcp_builder_end(out);
}

/* Each request of 2026-07-28 says who asks. */
static void put_meta(mcp_builder *out, const char *revision) {
  mcp_builder_object(out, "_meta");
  mcp_builder_string(out, "io.modelcontextprotocol/protocolVersion", revision);
  put_client(out, "io.modelcontextprotocol/clientInfo");
  mcp_builder_object(out, "io.modelcontextprotocol/clientCapabilities");
  mcp_builder_end(out);
  mcp_builder_end(out);
}

static void put_params(mcp_builder *out, const char *modern,
                       const char *params) {
  mcp_doc *doc = mcp_doc_parse(params, strlen(params), NULL, NULL, NULL);
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  mcp_builder_object(out, "params");
  mcp_json_iter_init(&iter, mcp_doc_root(doc));
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcp_builder_value(out, mcp_json_string(name), value);
  }
  if (modern != NULL) {
    put_meta(out, modern);
  }
  mcp_builder_end(out);
  mcp_doc_free(doc);
}

char *ctl_doctor_compose(const char *modern, const char *id, const char *method,
                         const char *params) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "jsonrpc", "2.0");
  if (id != NULL) {
    mcp_builder_json(out, "id", id);
  }
  mcp_builder_string(out, "method", method);
  if (params != NULL || modern != NULL) {
    put_params(out, modern, params != NULL ? params : "{}");
  }
  mcp_builder_end(out);
  return take_text(out);
}

char *ctl_doctor_initialize_params(const char *revision) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "protocolVersion", revision);
  mcp_builder_object(out, "capabilities");
  mcp_builder_end(out);
  put_client(out, "clientInfo");
  mcp_builder_end(out);
  return take_text(out);
}

char *ctl_doctor_params(const char *name, const char *value) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, name, value);
  mcp_builder_end(out);
  return take_text(out);
}
