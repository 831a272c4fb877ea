/* SPDX-License-Identifier: MIT */
/* The restricted schemas of elicitation's forms (MCP, Elicitation: Requested
 * Schema).
 *
 * A schema (form.json) says what a form may be, so a form is checked like any
 * other value. Rules that a schema cannot express are checked here. */
#include "schema/elicit.h"

#include "schema/say.h"
#include "schema/validator.h"
#include "json/json.h"

/* --- the rules ---------------------------------------------------------- */

#define PLAIN "\"string\",\"number\",\"integer\",\"boolean\""
#define RICH PLAIN ",\"array\""
/* The rules, and the two documents that they refer to. */
#define RULES(types, others)                                                   \
  "[{\"$ref\":\"mcp:form\"},{\"enum\":[" types "]}," others "]"

static const char *const texts[MCPI_FORM_COUNT] = {
    [MCPI_FORM_OURS] = RULES(RICH, "false"),
    [MCPI_FORM_PLAIN] = RULES(PLAIN, "true"),
    [MCPI_FORM_RICH] = RULES(RICH, "true"),
};

static int form_compile_rules(mcp_validator **out, int which,
                              const mcp_allocator *allocator, mcp_error *err) {
  mcp_doc *doc;
  int rc = mcpi_doc_parse(&doc, texts[which], strlen(texts[which]), NULL,
                          allocator, err);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *parts = mcp_doc_root(doc);
  const mcp_schema_document documents[] = {
      {.uri = "mcp:form-types", .schema = mcp_json_at(parts, 1)},
      {.uri = "mcp:form-others", .schema = mcp_json_at(parts, 2)}};
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = allocator,
                                         .documents = documents,
                                         .document_count = 2};
  rc = mcpi_validator_compile(out, mcp_json_at(parts, 0), &options, err);
  mcp_doc_free(doc);
  return rc;
}

/* When several threads compile the same rules, the first result is kept. */
static int form_get_rules(mcp_validator **out, mcpi_form_rules *rules,
                          int which, const mcp_allocator *allocator,
                          mcp_error *err) {
  _Atomic(mcp_validator *) *place = &rules->compiled[which];
  mcp_validator *made;
  *out = atomic_load(place);
  if (*out != NULL) {
    return 0;
  }
  int rc = form_compile_rules(&made, which, allocator, err);
  if (rc != 0) {
    return rc;
  }
  if (atomic_compare_exchange_strong(place, out, made)) {
    *out = made;
  } else {
    mcp_validator_unref(made);
  }
  return 0;
}

void mcpi_form_rules_deinit(mcpi_form_rules *rules) {
  for (int i = 0; i < MCPI_FORM_COUNT; i++) {
    mcp_validator_unref(atomic_load(&rules->compiled[i]));
  }
}

/* --- rules that no schema can express
 * -------------------------------------------- */

static int form_check_required(const mcp_json *form, mcp_error *err) {
  const mcp_json *properties = mcp_json_get(form, "properties");
  mcp_json_iter iter;
  const mcp_json *name;
  mcp_json_iter_init(&iter, mcp_json_get(form, "required"));
  while ((name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    if (mcp_json_get_n(properties, key.ptr, key.len) == NULL) {
      return mcpi_schema_error(err, form, name, "the name of a property");
    }
  }
  return 0;
}

static int form_check_names(const mcp_json *form, mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *property;
  mcp_json_iter_init(&iter, mcp_json_get(form, "properties"));
  while ((property = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *names = mcp_json_get(property, "enumNames");
    if (names != NULL &&
        mcp_json_size(names) != mcp_json_size(mcp_json_get(property, "enum"))) {
      return mcpi_schema_error(err, form, names,
                               "a name for each value of enum");
    }
  }
  return 0;
}

static int form_check_ours(const mcp_json *form, const mcp_validator *compiled,
                           mcp_error *err) {
  int rc = form_check_required(form, err);
  if (rc == 0) {
    rc = form_check_names(form, err);
  }
  return rc != 0 ? rc : mcpi_validator_check_defaults(compiled, err);
}

/* --- the form ----------------------------------------------------------- */

int mcpi_form_compile_shown(mcp_validator **out, const mcp_json *shown,
                            const mcp_allocator *allocator, mcp_error *err) {
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = allocator,
                                         .assert_formats = 1};
  return mcpi_validator_compile(out, shown, &options, err);
}

int mcpi_form_compile(mcp_validator **out, const mcp_json *form,
                      mcpi_form_rules *rules, int which,
                      const mcp_allocator *allocator, mcp_error *err) {
  mcp_validator *rule;
  mcp_validator *compiled;
  int rc = form_get_rules(&rule, rules, which, allocator, err);
  if (rc == 0) {
    rc = mcpi_validator_explain(rule, form, err);
  }
  if (rc == 0) {
    rc = mcpi_form_compile_shown(&compiled, form, allocator, err);
  }
  if (rc != 0) {
    return rc;
  }
  if (which == MCPI_FORM_OURS) {
    rc = form_check_ours(form, compiled, err);
  }
  if (rc != 0) {
    mcp_validator_unref(compiled);
    return rc;
  }
  *out = compiled;
  return 0;
}
