/* SPDX-License-Identifier: MIT */
/* Forms that the server wants filled. */
#include "client/elicit.h"

#include "schema/elicit.h"

/* --- the question ------------------------------------------------------- */

static int check_form(const mcp_json *params, mcp_error *err) {
  if (mcp_json_type(mcp_json_get(params, "requestedSchema")) !=
      MCP_JSON_OBJECT) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "params.requestedSchema is missing: it must be an object");
    return MCP_RPC_INVALID_PARAMS;
  }
  return 0;
}

static int check_url(const mcp_client *client, const mcp_json *params,
                     mcp_error *err) {
  if (!client->options.can_elicit_url) {
    mcp_error_set(err, MCP_ERR_CAPABILITY,
                  "elicitation by URL was not declared");
    return MCP_RPC_INVALID_PARAMS;
  }
  if (mcp_json_string(mcp_json_get(params, "url")) == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "params.url is missing: it must be a string");
    return MCP_RPC_INVALID_PARAMS;
  }
  return 0;
}

/* Where the revision has one mode only, the member is none of its own. */
int mcpi_elicit_check(const mcp_client *client, const mcp_json *params,
                      int *is_url, mcp_error *err) {
  mcpi_str mode = mcpi_json_member_str(params, "mode");
  *is_url = 0;
  if (mode.len == 0 || mcpi_str_eq(mode, MCPI_STR("form")) ||
      !mcpi_revision_has(client->revision, MCPI_HAS_ELICIT_URL)) {
    return check_form(params, err);
  }
  if (mcpi_str_eq(mode, MCPI_STR("url"))) {
    *is_url = 1;
    return check_url(client, params, err);
  }
  mcp_error_set(err, MCP_ERR_INVALID,
                "params.mode \"%.*s\" is neither form nor url",
                (int)(mode.len < 64 ? mode.len : 64), mode.ptr);
  return MCP_RPC_INVALID_PARAMS;
}

/* --- URLs that are being visited ---------------------------------------- */

/* A keyed hash stands for an id, which may be of any length: what a server can
 * make of two that collide is one notification too many. 0 is a free place. */
static uint64_t hash_id(const mcp_client *client, const mcp_json *params) {
  mcpi_str id = mcpi_json_member_str(params, "elicitationId");
  uint64_t hash = mcpi_str_hash(id, client->loop->hash_seed);
  return hash != 0 ? hash : 1;
}

static uint64_t *find_id(mcp_client *client, uint64_t hash) {
  for (size_t i = 0; i < MCPI_CLIENT_MAX_VISITS; i++) {
    if (client->visits[i] == hash) {
      return &client->visits[i];
    }
  }
  return NULL;
}

void mcpi_elicit_remember(mcp_client *client, const mcp_json *params) {
  uint64_t hash = hash_id(client, params);
  if (mcp_json_string(mcp_json_get(params, "elicitationId")) != NULL &&
      find_id(client, hash) == NULL) {
    client->visits[client->next_visit] = hash;
    client->next_visit = (client->next_visit + 1) % MCPI_CLIENT_MAX_VISITS;
  }
}

void mcpi_elicit_remember_all(mcp_client *client, const mcp_json *data) {
  const mcp_json *elicitations = mcp_json_get(data, "elicitations");
  mcp_json_iter iter;
  const mcp_json *params;
  if (mcp_json_type(elicitations) != MCP_JSON_ARRAY) {
    return;
  }
  mcp_json_iter_init(&iter, elicitations);
  for (size_t left = MCPI_CLIENT_MAX_VISITS;
       left > 0 && (params = mcp_json_iter_next(&iter, NULL)) != NULL; left--) {
    mcpi_elicit_remember(client, params);
  }
}

int mcpi_elicit_forget(mcp_client *client, const mcp_json *params) {
  uint64_t *visit = find_id(client, hash_id(client, params));
  if (visit == NULL) {
    return 0;
  }
  *visit = 0;
  return 1;
}

void mcpi_elicit_forget_all(mcp_client *client) {
  memset(client->visits, 0, sizeof(client->visits));
}

/* --- the answer --------------------------------------------------------- */

/* The first complaint is the one to tell. */
static int complain(const mcp_validator *validator, const mcp_json *content,
                    const mcp_allocator *allocator, mcp_error *err) {
  const mcp_validate_options options = {.size = MCP_VALIDATE_OPTIONS_INIT,
                                        .max_errors = 1};
  mcp_builder *errors = mcp_builder_new(allocator);
  mcp_doc *doc = NULL;
  const char *message = NULL;
  int rc = mcp_validator_check(validator, content, &options, errors);
  size_t len;
  const char *text = mcp_builder_text(errors, &len);
  if ((rc == MCP_ERR_SCHEMA || rc == MCP_ERR_LIMIT) && text != NULL &&
      mcp_doc_parse(&doc, text, len, NULL, allocator, NULL) == 0) {
    message = mcp_json_string(
        mcp_json_get(mcp_json_at(mcp_doc_root(doc), 0), "message"));
  }
  mcp_error_set(err, MCP_ERR_SCHEMA, "%s",
                message != NULL ? message : "the answer does not fit the form");
  mcp_doc_free(doc);
  mcp_builder_free(errors);
  return MCP_ERR_SCHEMA;
}

static int validate(mcp_client *client, const mcp_validator *validator,
                    mcpi_str content, mcp_error *err) {
  mcpi_message *message;
  int rc = mcpi_client_parse(client, "content", content, &message, err);
  if (rc != 0) {
    return rc;
  }
  if (!mcp_validator_accepts(validator, message->root)) {
    rc = complain(validator, message->root, &client->loop->allocator, err);
  }
  mcpi_message_unref(message);
  return rc;
}

int mcpi_elicit_put(mcp_client *client, const mcp_validator *validator,
                    const mcp_json *params, const char *content, mcpi_buf *buf,
                    mcp_error *err) {
  mcpi_message *given;
  int rc =
      mcpi_client_parse(client, "content", mcpi_str_z(content), &given, err);
  if (rc != 0) {
    return rc;
  }
  size_t from = buf->len;
  if (client->options.apply_defaults) {
    mcpi_elicit_apply_defaults(mcp_json_get(params, "requestedSchema"),
                               given->root, buf);
  } else {
    mcpi_json_put_value(buf, given->root);
  }
  mcpi_message_unref(given);
  if (buf->error != 0) {
    return mcp_error_set(err, buf->error, "out of memory");
  }
  return validate(client, validator,
                  mcpi_str_n(buf->data + from, buf->len - from), err);
}
