/* SPDX-License-Identifier: MIT */
/* Output schemas, and results that are checked with them. */
#include "client/outputs.h"

#include "client/request.h"
#include "schema/validator.h"

/* What one tool's structured result must be. */
typedef struct output {
  mcp_validator *validator;
  size_t bytes; /* of memory, this included */
  size_t name_len;
  char name[];
} output;

/* --- what is known -------------------------------------------------------- */

void mcpi_outputs_init(mcp_client *client) {
  mcpi_map_init(&client->outputs.by_name, &client->loop->allocator,
                client->loop->hash_seed);
}

static mcpi_str name_of(const output *entry) {
  return mcpi_str_n(entry->name, entry->name_len);
}

static size_t size_of(mcpi_str name) {
  return sizeof(output) + name.len;
}

static void output_free(mcp_client *client, output *entry) {
  if (entry != NULL) {
    client->outputs.bytes -= entry->bytes;
    mcp_validator_unref(entry->validator);
    mcpi_free(&client->loop->allocator, entry, size_of(name_of(entry)));
  }
}

static void free_all(mcp_client *client) {
  size_t index = 0;
  output *entry;
  while ((entry = mcpi_map_next(&client->outputs.by_name, &index)) != NULL) {
    output_free(client, entry);
  }
  mcpi_map_deinit(&client->outputs.by_name);
}

void mcpi_outputs_forget(mcp_client *client) {
  client->outputs.forgets++;
  free_all(client);
}

/* --- learning from a list ------------------------------------------------- */

static int no_memory(mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
}

/* Takes the validator. */
static int add(mcp_client *client, mcpi_str name, mcp_validator *validator,
               mcp_error *err) {
  mcpi_outputs *outputs = &client->outputs;
  size_t limit = client->options.max_output_schemas;
  size_t bytes = size_of(name) + mcpi_validator_size(validator);
  if (bytes > limit - outputs->bytes) {
    mcp_validator_unref(validator);
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "more than %zu bytes for all of them: the limit is "
                         "max_output_schemas of mcp_client_options",
                         limit);
  }
  output *entry = mcpi_alloc(&client->loop->allocator, size_of(name));
  if (entry == NULL) {
    mcp_validator_unref(validator);
    return no_memory(err);
  }
  *entry =
      (output){.validator = validator, .bytes = bytes, .name_len = name.len};
  memcpy(entry->name, name.ptr, name.len);
  outputs->bytes += bytes;
  if (mcpi_map_add(&outputs->by_name, name_of(entry), entry) != 0) {
    output_free(client, entry);
    return no_memory(err);
  }
  return 0;
}

/* A text that is longer than what it may take compiled is not looked at. */
static int learn_tool(mcp_client *client, const mcp_json *tool,
                      mcp_error *err) {
  mcpi_str name = mcpi_json_member_str(tool, "name");
  const mcp_json *schema = mcp_json_get(tool, "outputSchema");
  mcp_validator *validator;
  const mcp_validator_options options = {
      .size = MCP_VALIDATOR_OPTIONS_INIT,
      .allocator = &client->loop->allocator,
      .max_bytes = client->options.max_output_schemas};
  if (name.ptr == NULL || schema == NULL) {
    return 0;
  }
  int rc = mcp_validator_new(&validator, schema, &options, err);
  if (rc != 0) {
    return rc;
  }
  output_free(client, mcpi_map_remove(&client->outputs.by_name, name));
  return add(client, name, validator, err);
}

static void report(mcp_client *client, const mcp_json *tool,
                   const mcp_error *why) {
  mcp_error err;
  mcpi_str name = mcpi_json_member_str(tool, "name");
  mcp_error_set(&err, why->code,
                "results of the tool \"%.*s\" are not checked: its "
                "outputSchema: %s",
                (int)(name.len < 60 ? name.len : 60),
                name.ptr != NULL ? name.ptr : "", why->message);
  mcpi_client_report(client, &err);
}

/* A report may end the connection, or the client, and so all that is known. */
void mcpi_outputs_learn(mcp_client *client, const mcp_result *tools,
                        uint64_t forgets) {
  const mcpi_outputs *outputs = &client->outputs;
  if (client->options.no_output_check ||
      !mcpi_revision_has(client->revision, MCPI_HAS_STRUCTURED) ||
      outputs->forgets != forgets) {
    return;
  }
  free_all(client);
  for (size_t i = 0; i < mcp_result_count(tools); i++) {
    const mcp_json *tool = mcp_result_item(tools, i);
    mcp_error err;
    if (learn_tool(client, tool, &err) != 0) {
      report(client, tool, &err);
    }
    if (outputs->forgets != forgets) {
      return;
    }
  }
}

/* --- checking a result ---------------------------------------------------- */

/* An extension's result is of another form, and a tool that failed need not
 * keep to its schema. */
static int must_conform(const mcpi_request *request, const mcp_json *result) {
  const mcp_json *type = mcp_json_get(result, "resultType");
  if (mcpi_client_is_modern(request->client) && type != NULL &&
      !mcpi_str_eq(mcpi_json_str(type), MCPI_STR("complete"))) {
    return 0;
  }
  return !mcp_json_bool(mcp_json_get(result, "isError"));
}

static int blame(const mcpi_request *request, int code, const char *sentence,
                 mcp_error *err) {
  return mcp_error_set(err, code, "tool \"%.60s\": structured result: %s",
                       request->bufs.name.data, sentence);
}

/* The first of the errors is what the error says. */
static int explain(const mcpi_request *request, const mcp_validator *validator,
                   const mcp_json *value, int code, mcpi_message **errors,
                   mcp_error *err) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcp_loop *loop = request->client->loop;
  mcp_builder *builder = mcp_builder_new(&loop->allocator);
  size_t len;
  if (builder == NULL) {
    return no_memory(err);
  }
  mcp_validator_check(validator, value, NULL, builder);
  const char *text = mcp_builder_text(builder, &len);
  int rc = text != NULL ? mcpi_message_parse(errors, &loop->pool, text, len,
                                             &limits, NULL)
                        : MCP_ERR_NOMEM;
  mcp_builder_free(builder);
  if (rc != 0) {
    return no_memory(err);
  }
  const mcp_json *first = mcp_json_at((*errors)->root, 0);
  return blame(request, code, mcp_json_string(mcp_json_get(first, "message")),
               err);
}

int mcpi_outputs_check(const mcpi_request *request, const mcp_json *result,
                       mcpi_message **errors, mcp_error *err) {
  const mcpi_buf *name = &request->bufs.name;
  const mcpi_map *known = &request->client->outputs.by_name;
  const output *entry = NULL;
  if (known->count > 0 && !request->is_raw && request->row != NULL &&
      request->row->id == MCPI_M_TOOLS_CALL) {
    entry = mcpi_map_get(known, mcpi_str_n(name->data, name->len - 1));
  }
  *errors = NULL;
  if (entry == NULL || !must_conform(request, result)) {
    return 0;
  }
  const mcp_json *value = mcp_json_get(result, "structuredContent");
  if (value == NULL) {
    return blame(request, MCP_ERR_SCHEMA, "there is none", err);
  }
  int rc = mcp_validator_check(entry->validator, value, NULL, NULL);
  return rc == 0 ? 1
                 : explain(request, entry->validator, value, rc, errors, err);
}
