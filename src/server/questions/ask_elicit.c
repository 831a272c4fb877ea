/* SPDX-License-Identifier: MIT */
/* Questions to the user (MCP, Elicitation): by a form, or by a URL. */
#include "server/ask.h"

#include "base/widen.h"
#include "schema/build.h"
#include "schema/validator.h"
#include "server/content.h"
#include "server/members.h"

/* --- the form, as a revision has it ------------------------------------- */

static int is_any_of(mcpi_str name, const char *const *list) {
  for (; *list != NULL; list++) {
    if (mcpi_str_eq(name, mcpi_str_z(*list))) {
      return 1;
    }
  }
  return 0;
}

/* Titled choices as 2025-06-18 has them: the values, then their names. */
static void put_enum(const char *member, const mcp_json *choices,
                     const char *from, mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *choice;
  int is_first = 1;
  mcpi_put_name(out, member);
  mcpi_buf_putc(out, '[');
  mcp_json_iter_init(&iter, choices);
  while ((choice = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_first) {
      mcpi_buf_putc(out, ',');
    }
    is_first = 0;
    mcpi_json_put_value(out, mcp_json_get(choice, from));
  }
  mcpi_buf_putc(out, ']');
}

/* Writes a keyword of one property. No schema of the protocol has `pattern`,
 * although a page of the specification shows one. */
static void put_keyword(const mcp_json *name, const mcp_json *value, int rich,
                        mcpi_buf *out) {
  mcpi_str text = mcpi_json_str(name);
  int is_default = mcpi_str_eq(text, MCPI_STR("default"));
  if (mcpi_str_eq(text, MCPI_STR("pattern")) || (is_default && !rich)) {
    return;
  }
  if (mcpi_str_eq(text, MCPI_STR("oneOf")) && !rich) {
    put_enum("enum", value, "const", out);
    put_enum("enumNames", value, "title", out);
    return;
  }
  mcpi_put_comma(out);
  mcpi_json_put_value(out, name);
  mcpi_buf_putc(out, ':');
  mcpi_json_put_value(out, value);
}

static void elicit_put_property(const mcp_json *schema, int rich,
                                mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcpi_buf_putc(out, '{');
  mcp_json_iter_init(&iter, schema);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    put_keyword(name, value, rich, out);
  }
  mcpi_buf_putc(out, '}');
}

static void put_properties(const mcp_json *properties, int rich,
                           mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *schema;
  mcpi_put_name(out, "properties");
  mcpi_buf_putc(out, '{');
  mcp_json_iter_init(&iter, properties);
  while ((schema = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_put_comma(out);
    mcpi_json_put_value(out, name);
    mcpi_buf_putc(out, ':');
    elicit_put_property(schema, rich, out);
  }
  mcpi_buf_putc(out, '}');
}

/* Writes only the keywords that the protocol names: MCP_OBJECT writes
 * `additionalProperties` too. */
static void put_form(const mcp_json *form, int rich, mcpi_buf *out) {
  static const char *const kept[] = {"type", "required", NULL};
  static const char *const kept_rich[] = {"$schema", "type", "required", NULL};
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcpi_buf_putc(out, '{');
  mcp_json_iter_init(&iter, form);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str text = mcpi_json_str(name);
    if (mcpi_str_eq(text, MCPI_STR("properties"))) {
      put_properties(value, rich, out);
    } else if (is_any_of(text, rich ? kept_rich : kept)) {
      mcpi_put_comma(out);
      mcpi_json_put_value(out, name);
      mcpi_buf_putc(out, ':');
      mcpi_json_put_value(out, value);
    }
  }
  mcpi_buf_putc(out, '}');
}

/* 2025-06-18 has no way to choose several. */
static int has_multiple(const mcp_json *form) {
  mcp_json_iter iter;
  const mcp_json *schema;
  mcp_json_iter_init(&iter, mcp_json_get(form, "properties"));
  while ((schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcpi_str_eq(mcpi_json_member_str(schema, "type"), MCPI_STR("array"))) {
      return 1;
    }
  }
  return 0;
}

/* --- asking by a form --------------------------------------------------- */

static int fail_form(mcp_call *call, int rc, const mcp_error *why) {
  int code = rc == MCP_ERR_NOMEM || rc == MCP_ERR_LIMIT ? rc : MCP_ERR_INVALID;
  return mcpi_call_fail(call, code, MCP_RPC_INTERNAL_ERROR, "form: %s",
                        why->message);
}

/* Checks the form and sets *out to it. */
static int compile_form(mcp_call *call, const mcp_schema *schema,
                        mcp_validator **out) {
  mcp_server *server = call->shard->server;
  mcp_doc *doc = NULL;
  mcp_error why;
  mcpi_buf text;
  mcpi_buf_init(&text, &server->allocator, SIZE_MAX);
  int rc = mcpi_schema_put(&text, schema, &why);
  if (rc == 0) {
    rc = mcpi_doc_parse(&doc, text.data, text.len, NULL, text.allocator, &why);
  }
  mcpi_buf_deinit(&text);
  if (rc == 0) {
    rc = mcpi_form_compile(out, mcp_doc_root(doc), &server->form_rules,
                           MCPI_FORM_OURS, &server->allocator, &why);
  }
  mcp_doc_free(doc);
  return rc != 0 ? fail_form(call, rc, &why) : 0;
}

static void put_form_question(const mcpi_revision *revision,
                              const char *message, const mcp_json *form,
                              mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  if (mcpi_revision_has(revision, MCPI_HAS_ELICIT_URL)) {
    mcpi_put_string_member(out, "mode", "form");
  }
  mcpi_put_string_member(out, "message", message);
  mcpi_put_name(out, "requestedSchema");
  put_form(form, mcpi_revision_has(revision, MCPI_HAS_ELICIT_RICH), out);
  mcpi_buf_putc(out, '}');
}

static int note_form(mcp_call *call, const char *key, const mcp_json *form,
                     const mcpi_buf *params) {
  const mcpi_revision *revision = call->context.revision;
  int rc = mcpi_call_require(call, "elicitation.form");
  if (rc != 0) {
    return rc;
  }
  if (!mcpi_revision_has(revision, MCPI_HAS_ELICIT_RICH) &&
      has_multiple(form)) {
    return mcpi_call_fail(call, MCP_ERR_UNSUPPORTED, MCP_RPC_INTERNAL_ERROR,
                          "form: %s has no choice of several", revision->name);
  }
  return mcpi_ask_note(call, key, MCPI_M_ELICIT, params);
}

/* --- the user's answer -------------------------------------------------- */

int mcp_answer_action(const mcp_json *answer) {
  mcpi_str action = mcpi_json_member_str(answer, "action");
  if (mcpi_str_eq(action, MCPI_STR("accept"))) {
    return MCP_ACTION_ACCEPT;
  }
  if (mcpi_str_eq(action, MCPI_STR("decline"))) {
    return MCP_ACTION_DECLINE;
  }
  return mcpi_str_eq(action, MCPI_STR("cancel")) ? MCP_ACTION_CANCEL
                                                 : MCP_ACTION_NONE;
}

static int check_action(mcp_call *call, const char *key,
                        const mcp_json *answer) {
  if (mcp_answer_action(answer) == MCP_ACTION_NONE) {
    return mcpi_ask_malformed(call, key,
                              "its action must be accept, decline or cancel");
  }
  return 0;
}

/* Compiles a validator of the form that the question's params show. */
static int compile_shown(mcp_call *call, const mcpi_buf *params,
                         mcp_validator **out) {
  mcp_doc *doc = NULL;
  mcp_error why = {0};
  int rc = mcpi_doc_parse(&doc, params->data, params->len, NULL,
                          params->allocator, &why);
  if (rc == 0) {
    rc = mcpi_form_compile_shown(
        out, mcp_json_get(mcp_doc_root(doc), "requestedSchema"),
        params->allocator, &why);
  }
  mcp_doc_free(doc);
  return rc != 0 ? fail_form(call, rc, &why) : 0;
}

/* The answer is checked against the form as the client saw it: the user knows
 * nothing else. */
static int elicit_check_content(mcp_call *call, const char *key,
                                const mcp_json *content,
                                const mcpi_buf *params) {
  mcp_validator *shown = NULL;
  mcp_error why;
  if (mcp_json_type(content) != MCP_JSON_OBJECT) {
    return mcpi_ask_malformed(call, key, "its content must be an object");
  }
  int rc = compile_shown(call, params, &shown);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_validator_explain(shown, content, &why);
  mcp_validator_unref(shown);
  return rc == 0 ? 0 : mcpi_ask_malformed(call, key, why.message);
}

static int elicit_check_answer(mcp_call *call, const char *key,
                               const mcp_json *answer, const mcpi_buf *params) {
  int rc = check_action(call, key, answer);
  if (rc == 0 && mcp_answer_action(answer) == MCP_ACTION_ACCEPT) {
    rc = elicit_check_content(call, key, mcp_json_get(answer, "content"),
                              params);
  }
  return rc == 0 ? mcpi_ask_accept(call, key, answer) : rc;
}

/* --- what the program calls --------------------------------------------- */

static int elicit_check_message(mcp_call *call, const char *message) {
  if (message == NULL) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "the message of a question is NULL");
  }
  if (mcpi_text_check("message", message, NULL) != 0) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "the message of a question is not UTF-8");
  }
  return 0;
}

static int read_question(mcp_call *call, const mcp_elicitation *question,
                         mcp_elicitation *wide, mcp_validator **form) {
  mcp_error why;
  int rc = mcpi_widen(wide, sizeof(*wide), question, "mcp_elicitation", &why);
  if (rc != 0) {
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s", why.message);
  }
  rc = elicit_check_message(call, wide->message);
  if (rc == 0 && wide->form == NULL) {
    rc = mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                        "a question needs a form: the schema of its answer");
  }
  return rc == 0 ? compile_form(call, wide->form, form) : rc;
}

static int ask_form(mcp_call *call, const char *key, const char *message,
                    const mcp_json *schema, const mcp_json *found) {
  mcpi_buf params;
  mcpi_buf_init(&params, &call->shard->server->allocator, SIZE_MAX);
  put_form_question(call->context.revision, message, schema, &params);
  int rc = mcpi_ask_claim(call, key, MCPI_M_ELICIT, &params);
  if (rc == 0) {
    rc = found != NULL ? elicit_check_answer(call, key, found, &params)
                       : note_form(call, key, schema, &params);
  }
  mcpi_buf_deinit(&params);
  return rc;
}

int mcp_call_ask_elicit(mcp_call *call, const char *key,
                        const mcp_elicitation *question,
                        const mcp_json **answer) {
  const mcp_json *found;
  mcp_elicitation wide;
  mcp_validator *form = NULL;
  if (call == NULL || answer == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_ask_look(call, key, &found);
  if (rc == 0) {
    rc = read_question(call, question, &wide, &form);
  }
  if (rc == 0) {
    rc = ask_form(call, key, wide.message, mcpi_validator_schema(form), found);
  }
  mcp_validator_unref(form);
  if (rc == 0) {
    *answer = found;
  }
  return rc;
}

/* --- asking by a URL ---------------------------------------------------- */

/* Makes an id from the key and a number that is hashed with random bytes of the
 * loop. It is unique for the server until the server has made 2^32 ids. The
 * counter has 32 bits because not every processor adds 64 bits atomically. */
static void put_made_id(mcp_call *call, const char *key, mcpi_buf *out) {
  uint32_t count = atomic_fetch_add(&call->shard->server->elicitation_count, 1);
  const char bytes[8] = {(char)count, (char)(count >> 8), (char)(count >> 16),
                         (char)(count >> 24)};
  uint64_t number = mcpi_str_hash(mcpi_str_n(bytes, sizeof(bytes)),
                                  call->shard->loop->hash_seed);
  mcpi_buf id;
  mcpi_buf_init(&id, out->allocator, SIZE_MAX);
  mcpi_buf_puts(&id, mcpi_str_z(key));
  mcpi_buf_putc(&id, '-');
  mcpi_json_put_uint(&id, number);
  mcpi_put_name(out, "elicitationId");
  mcpi_json_put_string(out, mcpi_str_n(id.data, id.len));
  mcpi_buf_deinit(&id);
}

static int note_url(mcp_call *call, const char *key, int needs_id,
                    mcpi_buf *params) {
  int rc = mcpi_call_require(call, "elicitation.url");
  if (rc != 0) {
    return rc;
  }
  if (needs_id) {
    put_made_id(call, key, params);
  }
  mcpi_buf_putc(params, '}');
  return mcpi_ask_note(call, key, MCPI_M_ELICIT, params);
}

static int accept_url(mcp_call *call, const char *key, const mcp_json *found) {
  int rc = check_action(call, key, found);
  return rc == 0 ? mcpi_ask_accept(call, key, found) : rc;
}

static int ask_url(mcp_call *call, const char *key, const char *message,
                   const char *url, const char *elicitation_id,
                   const mcp_json *found) {
  int has_id = mcpi_revision_has(call->context.revision, MCPI_HAS_ELICIT_ID);
  mcpi_buf params;
  mcpi_buf_init(&params, &call->shard->server->allocator, SIZE_MAX);
  mcpi_buf_putc(&params, '{');
  mcpi_put_string_member(&params, "mode", "url");
  mcpi_put_string_member(&params, "message", message);
  mcpi_put_string_member(&params, "url", url);
  mcpi_put_string_member(&params, "elicitationId",
                         has_id ? elicitation_id : NULL);
  int rc = mcpi_ask_claim(call, key, MCPI_M_ELICIT, &params);
  if (rc == 0) {
    rc = found != NULL
             ? accept_url(call, key, found)
             : note_url(call, key, has_id && elicitation_id == NULL, &params);
  }
  mcpi_buf_deinit(&params);
  return rc;
}

static int elicit_check_url(mcp_call *call, const char *message,
                            const char *url, const char *elicitation_id) {
  mcp_error why;
  int rc = elicit_check_message(call, message);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_uri_check("url", url, &why);
  if (rc == 0) {
    rc = mcpi_text_check("elicitation_id", elicitation_id, &why);
  }
  if (rc != 0) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR, "%s",
                          why.message);
  }
  return 0;
}

int mcp_call_ask_url(mcp_call *call, const char *key, const char *message,
                     const char *url, const char *elicitation_id,
                     const mcp_json **answer) {
  const mcp_json *found;
  if (call == NULL || answer == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_ask_look(call, key, &found);
  if (rc == 0) {
    rc = elicit_check_url(call, message, url, elicitation_id);
  }
  if (rc == 0) {
    rc = ask_url(call, key, message, url, elicitation_id, found);
  }
  if (rc == 0) {
    *answer = found;
  }
  return rc;
}
