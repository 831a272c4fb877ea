/* SPDX-License-Identifier: MIT */
/* Compiled schemas for programs (mcp/schema.h). */
#include "schema/validator.h"
#include "base/error.h"
#include "base/widen.h"
#include "schema/compile.h"
#include "schema/defaults.h"
#include "schema/say.h"
#include "schema/validate.h"
#include "json/json.h"

#include <stdatomic.h>

enum {
  DEFAULT_MAX_ERRORS = 8,
  DEFAULT_MAX_NODES = 100000,
  DEFAULT_MAX_DEPTH = 1000,
  DEFAULT_MAX_BYTES = 16 * 1024 * 1024,
  DEFAULT_MAX_STEPS = 10000000
};

struct mcp_validator {
  mcp_allocator allocator;
  atomic_uint refs;
  mcpi_document *documents; /* our copies; the schema itself is the last */
  mcpi_program program;
  size_t max_steps;
  uint32_t max_depth;
};

/* --- its life ----------------------------------------------------------- */

static void options_fill_in(mcp_validator_options *o) {
  o->allocator = o->allocator != NULL ? o->allocator : mcp_allocator_default();
  o->draft = o->draft != NULL ? o->draft : MCP_DRAFT_2020_12;
  o->max_nodes = o->max_nodes != 0 ? o->max_nodes : DEFAULT_MAX_NODES;
  o->max_depth = o->max_depth != 0 ? o->max_depth : DEFAULT_MAX_DEPTH;
  o->max_bytes = o->max_bytes != 0 ? o->max_bytes : DEFAULT_MAX_BYTES;
  o->max_steps = o->max_steps != 0 ? o->max_steps : DEFAULT_MAX_STEPS;
}

static int document_has_reserved(const mcp_schema_document *document) {
  return document->reserved[0] != 0 || document->reserved[1] != 0;
}

static int options_check(const mcp_validator_options *o, mcp_error *err) {
  for (size_t i = 0; i < o->document_count; i++) {
    if (o->documents == NULL || o->documents[i].uri == NULL ||
        o->documents[i].schema == NULL) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "document %zu has no URI or no schema", i);
    }
    if (document_has_reserved(&o->documents[i])) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "document %zu: the reserved members are not zero",
                           i);
    }
  }
  return 0;
}

static mcp_validator *validator_make(const mcp_validator_options *o) {
  mcp_validator *v = mcpi_calloc(o->allocator, 1, sizeof(*v));
  if (v != NULL) {
    v->allocator = *o->allocator;
    atomic_init(&v->refs, 1);
    v->max_steps = o->max_steps < SIZE_MAX ? (size_t)o->max_steps : SIZE_MAX;
    v->max_depth = o->max_depth;
  }
  return v;
}

int mcpi_validator_compile(mcp_validator **out, const mcp_json *schema,
                           const mcp_validator_options *options,
                           mcp_error *err) {
  mcp_validator_options o = {.size = sizeof(mcp_validator_options)};
  if (schema == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the schema is NULL");
  }
  int rc = options != NULL ? mcpi_widen(&o, sizeof(o), options,
                                        "mcp_validator_options", err)
                           : 0;
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_validator_options.reserved", o.reserved, err);
  }
  if (rc == 0) {
    options_fill_in(&o);
    rc = options_check(&o, err);
  }
  if (rc != 0) {
    return rc;
  }
  mcp_validator *v = validator_make(&o);
  if (v == NULL) {
    return mcpi_no_memory(err);
  }
  rc = mcpi_program_compile(&v->program, &v->documents, schema, &o, err);
  if (rc != 0) {
    mcp_validator_unref(v);
    return rc == MCP_ERR_NOMEM ? mcpi_no_memory(err) : rc;
  }
  *out = v;
  return 0;
}

mcp_validator *mcp_validator_new(const mcp_json *schema,
                                 const mcp_validator_options *options,
                                 mcp_error *err) {
  mcp_validator *validator = NULL;
  mcpi_validator_compile(&validator, schema, options, err);
  return validator;
}

int mcpi_validator_new(mcp_validator **out, const mcp_json *schema,
                       const mcp_allocator *allocator, mcp_error *err) {
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = allocator};
  return mcpi_validator_compile(out, schema, &options, err);
}

mcp_validator *mcp_validator_ref(mcp_validator *validator) {
  if (validator != NULL) {
    atomic_fetch_add_explicit(&validator->refs, 1, memory_order_relaxed);
  }
  return validator;
}

void mcp_validator_unref(mcp_validator *validator) {
  /* Release and acquire: other threads' last reads come before the freeing. */
  if (validator == NULL ||
      atomic_fetch_sub_explicit(&validator->refs, 1, memory_order_acq_rel) !=
          1) {
    return;
  }
  mcp_allocator allocator = validator->allocator;
  mcpi_program_free(&validator->program, &allocator);
  mcpi_documents_free(validator->documents, &allocator);
  mcpi_free(&allocator, validator, sizeof(*validator));
}

size_t mcpi_validator_size(const mcp_validator *validator) {
  return sizeof(*validator) + mcpi_program_size(&validator->program) +
         mcpi_documents_size(validator->documents);
}

const mcp_json *mcpi_validator_schema(const mcp_validator *validator) {
  return mcpi_documents_last(validator->documents)->root;
}

const mcpi_header *mcpi_validator_headers(const mcp_validator *validator,
                                          size_t *count) {
  *count = validator->program.header_count;
  return validator->program.headers;
}

/* --- validating --------------------------------------------------------- */

static mcpi_run validator_run(const mcp_validator *v, mcpi_report *report) {
  return (mcpi_run){.program = &v->program,
                    .report = report,
                    .steps_left = v->max_steps,
                    .depth_left = v->max_depth};
}

/* NULL is not a value of any type. */
static int visit_value(mcpi_run *run, uint32_t node, const mcp_json *value) {
  if (value != NULL) {
    return mcpi_visit(run, node, value, NULL);
  }
  if (run->report != NULL) {
    mcpi_report_type(run->report, &run->program->nodes[node], value);
  }
  return 0;
}

/* An aborted run refuses: it has not checked all of the value. */
int mcp_validator_accepts(const mcp_validator *validator,
                          const mcp_json *value) {
  if (validator == NULL) {
    return 0;
  }
  mcpi_run run = validator_run(validator, NULL);
  return visit_value(&run, 0, value) && !run.is_aborted;
}

int mcp_validator_check(const mcp_validator *validator, const mcp_json *value,
                        const mcp_validate_options *options,
                        mcp_builder *errors) {
  mcp_validate_options o = {.size = 0};
  if (validator == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = options != NULL ? mcpi_widen(&o, sizeof(o), options,
                                        "mcp_validate_options", NULL)
                           : 0;
  if (rc != 0) {
    return rc;
  }
  mcpi_report report = {
      .errors = errors,
      .documents = validator->documents,
      .instance = value,
      .left = o.max_errors != 0 ? o.max_errors : DEFAULT_MAX_ERRORS,
      .max_message = o.max_message != 0 ? o.max_message : MCPI_SENTENCE_SIZE};
  mcpi_run run = validator_run(validator, errors != NULL ? &report : NULL);
  if (errors != NULL) {
    mcp_builder_array(errors, NULL);
  }
  int is_fine = visit_value(&run, 0, value);
  if (errors != NULL) {
    if (run.is_aborted) {
      mcpi_report_cost(&report, &run.slow);
    }
    rc = mcp_builder_end(errors);
    if (rc != 0) {
      return rc;
    }
  }
  if (run.is_aborted) {
    return MCP_ERR_LIMIT;
  }
  return is_fine ? 0 : MCP_ERR_SCHEMA;
}

int mcpi_validator_say(const mcp_validator *validator, const mcp_json *value,
                       uint32_t max, const char *separator, mcpi_buf *out) {
  mcpi_report report = {.sentences = out,
                        .separator = separator,
                        .documents = validator->documents,
                        .instance = value,
                        .left = max != 0 ? max : DEFAULT_MAX_ERRORS};
  mcpi_run run = validator_run(validator, &report);
  visit_value(&run, 0, value);
  if (run.is_aborted) {
    mcpi_report_cost(&report, &run.slow);
  }
  return out->error;
}

static int validator_explain(const mcp_validator *v, uint32_t node,
                             const mcp_json *root, const mcp_json *value,
                             mcp_error *err) {
  mcpi_report report = {
      .err = err, .documents = v->documents, .instance = root, .left = 1};
  mcpi_run run = validator_run(v, &report);
  int is_fine = visit_value(&run, node, value);
  if (run.is_aborted) {
    mcpi_report_cost(&report, &run.slow);
  }
  return is_fine && !run.is_aborted ? 0 : MCP_ERR_SCHEMA;
}

int mcpi_validator_explain(const mcp_validator *validator,
                           const mcp_json *value, mcp_error *err) {
  return validator_explain(validator, 0, value, value, err);
}

/* --- defaults ----------------------------------------------------------- */

int mcp_validator_apply_defaults(const mcp_validator *validator,
                                 const mcp_json *value, const char *name,
                                 mcp_builder *builder) {
  if (validator == NULL || value == NULL) {
    return MCP_ERR_INVALID;
  }
  mcpi_run run = validator_run(validator, NULL);
  return mcpi_apply_defaults(&run, value, name, builder);
}

int mcpi_validator_check_default(const mcp_validator *validator,
                                 const mcp_json *subschema, mcp_error *err) {
  const mcpi_program *program = &validator->program;
  for (uint32_t i = 0; i < program->node_count; i++) {
    if (program->nodes[i].schema == subschema) {
      const mcp_json *value = mcp_json_get(subschema, "default");
      return validator_explain(validator, i, value, value, err);
    }
  }
  return 0;
}

int mcpi_validator_check_defaults(const mcp_validator *validator,
                                  mcp_error *err) {
  const mcpi_program *program = &validator->program;
  const mcp_json *root = mcpi_validator_schema(validator);
  int rc = 0;
  for (uint32_t i = 0; rc == 0 && i < program->node_count; i++) {
    const mcp_json *value = mcp_json_get(program->nodes[i].schema, "default");
    rc = value != NULL ? validator_explain(validator, i, root, value, err) : 0;
  }
  return rc;
}
