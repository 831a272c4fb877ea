/* SPDX-License-Identifier: MIT */
#include "auth/client/record.h"

#include "auth/client/wiping.h"
#include "base/alloc.h"
#include "json/parse.h"
#include <mcp/error.h>

enum {
  /* A record has objects in an object, and less than 30 values. */
  RECORD_DEPTH = 4,
  RECORD_VALUES = 200
};

void mcpi_auth_record_init(mcpi_auth_record *record) {
  *record =
      (mcpi_auth_record){.life_ms = INT64_MAX, .client.expires_ms = INT64_MAX};
}

void mcpi_auth_record_deinit(mcpi_auth_record *record,
                             const mcp_allocator *allocator) {
  mcpi_token_free(record->token, allocator);
  mcpi_registration_deinit(&record->client, allocator);
  mcpi_strfree(allocator, record->scopes);
  mcpi_strfree(allocator, record->bound_client);
  mcpi_strfree(allocator, record->bound_issuer);
  mcpi_auth_record_init(record);
}

int mcpi_auth_record_is_empty(const mcpi_auth_record *record) {
  return record->token == NULL && record->client.client_id == NULL;
}

/* --- reading -------------------------------------------------------------- */

static int record_read_token(mcpi_auth_record *out, const mcp_json *root,
                             const mcp_allocator *allocator) {
  const mcp_json *object = mcp_json_get(root, "token");
  const char *access = mcp_json_string(mcp_json_get(object, "access_token"));
  if (access == NULL || !mcpi_token_can_be_sent(access) ||
      mcp_json_string(mcp_json_get(object, "issuer")) == NULL) {
    return 0;
  }
  out->token = mcpi_token_read(object, allocator);
  if (out->token == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcp_json_try_int(mcp_json_get(root, "token_life_ms"), &out->life_ms);
  return 0;
}

static int record_read_client(mcpi_auth_record *out, const mcp_json *root,
                              const mcp_allocator *allocator) {
  const mcp_json *object = mcp_json_get(root, "client");
  mcpi_registration client;
  int rc = mcpi_registration_read(&client, object, allocator);
  if (rc == 0) {
    out->client = client;
  }
  return rc == MCP_ERR_NOMEM ? rc : 0;
}

static int record_read_scopes(mcpi_auth_record *out, const mcp_json *root,
                              const mcp_allocator *allocator) {
  const char *scopes = mcp_json_string(mcp_json_get(root, "scopes"));
  out->scopes = mcpi_strdup(allocator, scopes);
  return scopes != NULL && out->scopes == NULL ? MCP_ERR_NOMEM : 0;
}

static int record_read_bound(mcpi_auth_record *out, const mcp_json *root,
                             const mcp_allocator *allocator) {
  const mcp_json *bound = mcp_json_get(root, "bound");
  const char *client = mcp_json_string(mcp_json_get(bound, "client_id"));
  const char *issuer = mcp_json_string(mcp_json_get(bound, "issuer"));
  if (client == NULL || issuer == NULL) {
    return 0;
  }
  out->bound_client = mcpi_strdup(allocator, client);
  out->bound_issuer = mcpi_strdup(allocator, issuer);
  return out->bound_client != NULL && out->bound_issuer != NULL ? 0
                                                                : MCP_ERR_NOMEM;
}

static int record_read_root(mcpi_auth_record *out, const mcp_json *root,
                            const char *key, const mcp_allocator *allocator) {
  const char *server = mcp_json_string(mcp_json_get(root, "server"));
  if (server == NULL || strcmp(server, key) != 0) {
    return MCP_ERR_PARSE;
  }
  int rc = record_read_token(out, root, allocator);
  if (rc == 0) {
    rc = record_read_client(out, root, allocator);
  }
  if (rc == 0) {
    rc = record_read_scopes(out, root, allocator);
  }
  if (rc == 0) {
    rc = record_read_bound(out, root, allocator);
  }
  return rc;
}

int mcpi_auth_record_read(mcpi_auth_record *out, mcpi_str text, const char *key,
                          const mcp_allocator *allocator) {
  const mcp_allocator wiping = mcpi_wiping_allocator(allocator);
  mcp_json_limits limits = MCP_JSON_LIMITS_INIT;
  mcp_doc *doc = NULL;
  if (text.ptr == NULL) {
    return 0;
  }
  if (text.len > MCPI_AUTH_RECORD_MAX) {
    return MCP_ERR_PARSE;
  }
  limits.max_depth = RECORD_DEPTH;
  limits.max_values = RECORD_VALUES;
  /* Without an error, which would quote the text. */
  int rc = mcpi_doc_parse(&doc, text.ptr, text.len, &limits, &wiping, NULL);
  if (rc != 0) {
    return rc == MCP_ERR_NOMEM ? MCP_ERR_NOMEM : MCP_ERR_PARSE;
  }
  rc = record_read_root(out, mcp_doc_root(doc), key, allocator);
  mcp_doc_free(doc);
  if (rc != 0) {
    mcpi_auth_record_deinit(out, allocator);
  }
  return rc;
}

/* --- writing -------------------------------------------------------------- */

static void record_write(mcp_builder *builder, const mcpi_auth_record *record,
                         const char *key) {
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "server", key);
  if (record->token != NULL) {
    mcp_builder_name_n(builder, "token", 5);
    mcpi_token_write(record->token, builder);
    if (record->life_ms != INT64_MAX) {
      mcp_builder_int(builder, "token_life_ms", record->life_ms);
    }
  }
  if (record->client.client_id != NULL) {
    mcp_builder_name_n(builder, "client", 6);
    mcpi_registration_write(&record->client, builder);
  }
  if (record->scopes != NULL) {
    mcp_builder_string(builder, "scopes", record->scopes);
  }
  if (record->bound_client != NULL) {
    mcp_builder_object(builder, "bound");
    mcp_builder_string(builder, "client_id", record->bound_client);
    mcp_builder_string(builder, "issuer", record->bound_issuer);
    mcp_builder_end(builder);
  }
  mcp_builder_end(builder);
}

void mcpi_auth_record_put(mcpi_buf *to, const mcpi_auth_record *record,
                          const char *key) {
  const mcp_allocator wiping = mcpi_wiping_allocator(to->allocator);
  mcp_builder *builder = mcp_builder_new(&wiping, NULL);
  size_t len = 0;
  record_write(builder, record, key);
  const char *text = mcp_builder_text(builder, &len);
  if (text != NULL) {
    mcpi_buf_put(to, text, len);
  } else if (to->error == 0) {
    to->error = mcp_builder_error(builder)->code;
  }
  mcp_builder_free(builder);
}
