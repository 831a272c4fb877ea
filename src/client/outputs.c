/* SPDX-License-Identifier: MIT */
/* Output schemas, and results that are checked with them. */
#include "client/outputs.h"

#include "base/error.h"
#include "schema/validator.h"

/* What one tool's structured result must be. */
typedef struct output {
  mcp_validator *validator;
  size_t bytes; /* of memory, this included */
  size_t name_len;
  char name[];
} output;

/* --- what is known -------------------------------------------------------- */

void mcpi_outputs_init(mcpi_outputs *outputs, const mcp_allocator *allocator,
                       const uint64_t seed[2]) {
  outputs->allocator = allocator;
  mcpi_map_init(&outputs->by_name, allocator, seed);
}

static mcpi_str output_name(const output *entry) {
  return mcpi_str_n(entry->name, entry->name_len);
}

static size_t output_size(mcpi_str name) {
  return sizeof(output) + name.len;
}

static void output_free(mcpi_outputs *outputs, output *entry) {
  if (entry != NULL) {
    outputs->bytes -= entry->bytes;
    mcp_validator_unref(entry->validator);
    mcpi_free(outputs->allocator, entry, output_size(output_name(entry)));
  }
}

void mcpi_outputs_clear(mcpi_outputs *outputs) {
  size_t index = 0;
  output *entry;
  while ((entry = mcpi_map_next(&outputs->by_name, &index)) != NULL) {
    output_free(outputs, entry);
  }
  mcpi_map_deinit(&outputs->by_name);
}

void mcpi_outputs_forget(mcpi_outputs *outputs) {
  outputs->forgets++;
  mcpi_outputs_clear(outputs);
}

/* --- learning from a list ------------------------------------------------- */

/* Takes the validator. */
static int outputs_add(mcpi_outputs *outputs, mcpi_str name,
                       mcp_validator *validator, size_t max_bytes,
                       mcp_error *err) {
  size_t bytes = output_size(name) + mcpi_validator_size(validator);
  if (bytes > max_bytes - outputs->bytes) {
    mcp_validator_unref(validator);
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "the compiled schema needs %zu bytes, and %zu of %zu "
                         "are left: raise max_output_schemas of "
                         "mcp_client_options",
                         bytes, max_bytes - outputs->bytes, max_bytes);
  }
  output *entry = mcpi_alloc(outputs->allocator, output_size(name));
  if (entry == NULL) {
    mcp_validator_unref(validator);
    return mcpi_no_memory(err);
  }
  *entry =
      (output){.validator = validator, .bytes = bytes, .name_len = name.len};
  memcpy(entry->name, name.ptr, name.len);
  outputs->bytes += bytes;
  if (mcpi_map_add(&outputs->by_name, output_name(entry), entry) != 0) {
    output_free(outputs, entry);
    return mcpi_no_memory(err);
  }
  return 0;
}

/* A text that is longer than what it may take compiled is not looked at. */
int mcpi_outputs_learn(mcpi_outputs *outputs, const mcp_json *tool,
                       size_t max_bytes, mcp_error *err) {
  mcpi_str name = mcpi_json_member_str(tool, "name");
  const mcp_json *schema = mcp_json_get(tool, "outputSchema");
  mcp_validator *validator;
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = outputs->allocator,
                                         .max_bytes = max_bytes};
  if (name.ptr == NULL || schema == NULL) {
    return 0;
  }
  int rc = mcpi_validator_compile(&validator, schema, &options, err);
  if (rc != 0) {
    return rc;
  }
  output_free(outputs, mcpi_map_remove(&outputs->by_name, name));
  return outputs_add(outputs, name, validator, max_bytes, err);
}

/* --- checking a result ---------------------------------------------------- */

/* The sentence may name a member of the server whose name contains NUL. */
static int output_error(mcpi_str tool, int code, mcpi_str sentence,
                        mcp_error *err) {
  char text[MCP_ERROR_TEXT_SIZE];
  size_t len =
      sentence.len < sizeof(text) - 1 ? sentence.len : sizeof(text) - 1;
  for (size_t i = 0; i < len; i++) {
    text[i] = sentence.ptr[i];
    if (text[i] == '\0') {
      text[i] = '?';
    }
  }
  text[len] = '\0';
  return mcp_error_set(err, code, "tool \"%.*s\": structured result: %s",
                       (int)(tool.len < 60 ? tool.len : 60), tool.ptr, text);
}

/* The first of the errors is what the error says. */
static int output_explain(mcpi_str tool, const mcp_validator *validator,
                          const mcp_json *value, int code, mcpi_pool *pool,
                          const mcp_allocator *allocator, mcpi_message **errors,
                          mcp_error *err) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcp_builder *builder = mcp_builder_new(allocator, NULL);
  size_t len;
  mcp_validator_check(validator, value, NULL, builder);
  const char *text = mcp_builder_text(builder, &len);
  int rc;
  if (text != NULL) {
    rc = mcpi_message_parse(errors, pool, text, len, &limits, err);
  } else {
    const mcp_error *why = mcp_builder_error(builder);
    rc = mcp_error_set(err, why->code, "%s", why->message);
  }
  mcp_builder_free(builder);
  if (*errors == NULL) {
    return rc;
  }
  const mcp_json *first = mcp_json_at((*errors)->root, 0);
  return output_error(tool, code, mcpi_json_member_str(first, "message"), err);
}

int mcpi_outputs_check(const mcpi_outputs *outputs, mcpi_str tool,
                       const mcp_json *result, mcpi_pool *pool,
                       mcpi_message **errors, mcp_error *err) {
  const output *entry = mcpi_map_get(&outputs->by_name, tool);
  *errors = NULL;
  if (entry == NULL) {
    return 0;
  }
  const mcp_json *value = mcp_json_get(result, "structuredContent");
  if (value == NULL) {
    return output_error(tool, MCP_ERR_SCHEMA, MCPI_STR("it is missing"), err);
  }
  int rc = mcp_validator_check(entry->validator, value, NULL, NULL);
  return rc == 0 ? 1
                 : output_explain(tool, entry->validator, value, rc, pool,
                                  outputs->allocator, errors, err);
}
