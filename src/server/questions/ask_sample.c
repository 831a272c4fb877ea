/* SPDX-License-Identifier: MIT */
/* Questions to the client's model (MCP, Sampling). */
#include "server/ask.h"

#include "base/error.h"
#include "base/widen.h"
#include "core/sampling.h"
#include "schema/degrade.h"
#include "server/content.h"
#include "server/members.h"

/* The capabilities that the question needs besides `sampling`. */
typedef struct sample_needs {
  int tools;
  int context;
} sample_needs;

static int fail_question(mcp_call *call, int rc, const mcp_error *why) {
  int is_ours =
      rc == MCP_ERR_NOMEM || rc == MCP_ERR_LIMIT || rc == MCP_ERR_UNSUPPORTED;
  int code = is_ours ? rc : MCP_ERR_INVALID;
  return mcpi_call_fail(call, code, MCP_RPC_INTERNAL_ERROR, "%s", why->message);
}

/* --- the messages ------------------------------------------------------- */

static void sample_put_message(const mcp_json *message, const mcp_json *block,
                               mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  mcpi_put_name(out, "role");
  mcpi_json_put_value(out, mcp_json_get(message, "role"));
  mcpi_put_name(out, "content");
  mcpi_json_put_value(out, block);
  mcpi_buf_putc(out, '}');
}

/* Before 2025-11-25 a message had one block: one with several becomes several
 * messages. */
static void put_single_blocks(const mcp_json *messages, mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *message;
  int is_first = 1;
  mcp_json_iter_init(&iter, messages);
  while ((message = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *content = mcp_json_get(message, "content");
    int is_array = mcp_json_type(content) == MCP_JSON_ARRAY;
    size_t count = is_array ? mcp_json_size(content) : 1;
    for (size_t i = 0; i < count; i++) {
      if (!is_first) {
        mcpi_buf_putc(out, ',');
      }
      is_first = 0;
      sample_put_message(message, is_array ? mcp_json_at(content, i) : content,
                         out);
    }
  }
}

/* Returns the feature that brought a type of blocks; 0: every revision has the
 * type. */
static uint32_t feature_of(mcpi_str type) {
  if (mcpi_str_eq(type, MCPI_STR("audio"))) {
    return MCPI_HAS_AUDIO;
  }
  return mcpi_str_eq(type, MCPI_STR("tool_use")) ||
                 mcpi_str_eq(type, MCPI_STR("tool_result"))
             ? MCPI_HAS_SAMPLING_TOOLS
             : 0;
}

static int check_block(const mcpi_revision *revision, const mcp_json *block,
                       mcp_error *why) {
  mcpi_str type = mcpi_json_member_str(block, "type");
  uint32_t feature = feature_of(type);
  if (feature == 0 && !mcpi_str_eq(type, MCPI_STR("text")) &&
      !mcpi_str_eq(type, MCPI_STR("image"))) {
    return mcp_error_set(why, MCP_ERR_INVALID,
                         "messages: a model takes no content of the type "
                         "\"%.*s\": use text, image, audio, tool_use or "
                         "tool_result",
                         (int)(type.len < 64 ? type.len : 64),
                         type.len > 0 ? type.ptr : "");
  }
  if (feature == 0 || mcpi_revision_has(revision, feature)) {
    return 0;
  }
  return mcp_error_set(why, MCP_ERR_UNSUPPORTED,
                       "messages: the revision %s has no content of the type "
                       "%.*s: leave it out, or say it as text",
                       revision->name, (int)type.len, type.ptr);
}

/* A block that the revision lacks is refused: another type in its place would
 * change what the model reads. */
static int check_blocks(const mcpi_revision *revision, const mcp_json *messages,
                        mcp_error *why) {
  mcp_json_iter iter;
  const mcp_json *message;
  int rc = 0;
  mcp_json_iter_init(&iter, messages);
  while (rc == 0 && (message = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *content = mcp_json_get(message, "content");
    mcp_json_iter blocks;
    const mcp_json *block;
    int is_array = mcp_json_type(content) == MCP_JSON_ARRAY;
    rc = is_array ? 0 : check_block(revision, content, why);
    mcp_json_iter_init(&blocks, is_array ? content : NULL);
    while (rc == 0 && (block = mcp_json_iter_next(&blocks, NULL)) != NULL) {
      rc = check_block(revision, block, why);
    }
  }
  return rc;
}

static void sample_put_prompt(const char *prompt, mcpi_buf *out) {
  mcpi_buf_lit(out, "[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                    "\"text\":");
  mcpi_json_put_string(out, mcpi_str_z(prompt));
  mcpi_buf_lit(out, "}}]");
}

/* Parses a text of the program that must be an array. */
static int parse_array(const mcp_call *call, const char *member,
                       const char *json, mcp_doc **doc, mcp_error *why) {
  const mcp_allocator *allocator = &call->shard->server->allocator;
  int rc = mcpi_doc_parse(doc, json, strlen(json), NULL, allocator, why);
  if (rc == 0 && mcp_json_type(mcp_doc_root(*doc)) != MCP_JSON_ARRAY) {
    rc = mcp_error_set(why, MCP_ERR_INVALID, "%s is not an array", member);
  }
  return rc;
}

/* Clients refuse a conversation in which tool uses lack results; the program
 * learns this earlier from an error here. */
static int put_conversation(mcp_call *call, const mcp_json *messages,
                            mcpi_buf *out, mcp_error *why) {
  const mcpi_revision *revision = call->context.revision;
  int rc = check_blocks(revision, messages, why);
  if (rc != 0) {
    return rc;
  }
  if (!mcpi_revision_has(revision, MCPI_HAS_SAMPLING_TOOLS)) {
    mcpi_buf_putc(out, '[');
    put_single_blocks(messages, out);
    mcpi_buf_putc(out, ']');
    return 0;
  }
  mcpi_json_put_value(out, messages);
  return mcpi_sampling_check(messages, &call->shard->server->allocator,
                             call->shard->loop->hash_seed, why);
}

static int put_messages(mcp_call *call, const mcp_sampling *question,
                        mcpi_buf *out) {
  mcpi_put_name(out, "messages");
  if (question->messages == NULL) {
    sample_put_prompt(question->prompt, out);
    return 0;
  }
  mcp_error why = {0};
  mcp_doc *doc = NULL;
  int rc = parse_array(call, "messages", question->messages, &doc, &why);
  if (rc == 0) {
    rc = put_conversation(call, mcp_doc_root(doc), out, &why);
  }
  mcp_doc_free(doc);
  return rc != 0 ? fail_question(call, rc, &why) : 0;
}

/* --- the rest of the question ------------------------------------------- */

static void note_needs(const mcp_json *more, sample_needs *needs) {
  mcpi_str context = mcpi_json_member_str(more, "includeContext");
  if (mcp_json_get(more, "tools") != NULL ||
      mcp_json_get(more, "toolChoice") != NULL) {
    needs->tools = 1;
  }
  if (context.len > 0 && !mcpi_str_eq(context, MCPI_STR("none"))) {
    needs->context = 1;
  }
}

/* `more` contains the members of an object, without braces. Whether the
 * question is asked as a task, the options of the server say. */
static int sample_put_more(mcp_call *call, const char *more, mcpi_buf *out,
                           sample_needs *needs) {
  mcp_error why = {0};
  mcp_doc *doc = NULL;
  mcpi_buf text;
  mcpi_buf_init(&text, out->allocator, SIZE_MAX);
  mcpi_buf_putc(&text, '{');
  mcpi_buf_puts(&text, mcpi_str_z(more));
  mcpi_buf_putc(&text, '}');
  int rc = text.error;
  if (rc != 0) {
    mcp_error_set(&why, rc, "%s", mcp_error_text(rc));
  } else {
    rc = mcpi_doc_parse(&doc, text.data, text.len, NULL, out->allocator, &why);
  }
  if (rc == 0) {
    mcpi_put_members(out, mcp_doc_root(doc), "task");
    note_needs(mcp_doc_root(doc), needs);
  }
  mcp_doc_free(doc);
  mcpi_buf_deinit(&text);
  return rc != 0 ? fail_question(call, rc, &why) : 0;
}

static void sample_put_tool(const mcp_json *tool, const mcpi_revision *revision,
                            mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  if (mcp_json_type(tool) != MCP_JSON_OBJECT ||
      mcpi_revision_has(revision, MCPI_HAS_BOOLEAN_SCHEMAS)) {
    mcpi_json_put_value(out, tool);
    return;
  }
  mcpi_buf_putc(out, '{');
  mcp_json_iter_init(&iter, tool);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str member = mcpi_json_str(name);
    mcpi_put_comma(out);
    mcpi_json_put_value(out, name);
    mcpi_buf_putc(out, ':');
    if (mcpi_str_eq(member, MCPI_STR("inputSchema")) ||
        mcpi_str_eq(member, MCPI_STR("outputSchema"))) {
      mcpi_schema_put_objects(value, out);
    } else {
      mcpi_json_put_value(out, value);
    }
  }
  mcpi_buf_putc(out, '}');
}

static int put_tool_list(mcp_call *call, const char *tools, mcpi_buf *out) {
  mcp_error why = {0};
  mcp_doc *doc = NULL;
  mcp_json_iter iter;
  const mcp_json *tool;
  int is_first = 1;
  int rc = parse_array(call, "tools", tools, &doc, &why);
  mcpi_put_name(out, "tools");
  mcpi_buf_putc(out, '[');
  mcp_json_iter_init(&iter, mcp_doc_root(doc));
  while ((tool = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_first) {
      mcpi_buf_putc(out, ',');
    }
    is_first = 0;
    sample_put_tool(tool, call->context.revision, out);
  }
  mcpi_buf_putc(out, ']');
  mcp_doc_free(doc);
  return rc != 0 ? fail_question(call, rc, &why) : 0;
}

static int put_tools(mcp_call *call, const mcp_sampling *question,
                     mcpi_buf *out) {
  int rc = 0;
  if (question->tools != NULL) {
    rc = put_tool_list(call, question->tools, out);
  }
  if (question->tool_choice != NULL) {
    mcpi_put_name(out, "toolChoice");
    mcpi_buf_putc(out, '{');
    mcpi_put_string_member(out, "mode", question->tool_choice);
    mcpi_buf_putc(out, '}');
  }
  return rc;
}

/* A member of `more` may be one that another text has written. */
static int check_params(mcp_call *call, const mcpi_buf *params) {
  mcp_error why;
  int rc;
  if (params->error != 0) {
    rc = mcpi_no_memory(&why);
  } else {
    rc = mcpi_json_check_text(params->allocator, mcpi_buf_str(params), &why);
  }
  return rc != 0 ? fail_question(call, rc, &why) : 0;
}

static int put_question(mcp_call *call, const mcp_sampling *question,
                        mcpi_buf *out, sample_needs *needs) {
  needs->tools = question->tools != NULL || question->tool_choice != NULL;
  mcpi_buf_putc(out, '{');
  int rc = put_messages(call, question, out);
  mcpi_put_string_member(out, "systemPrompt", question->system_prompt);
  mcpi_put_name(out, "maxTokens");
  mcpi_json_put_int(out, question->max_tokens);
  if (rc == 0) {
    rc = put_tools(call, question, out);
  }
  if (rc == 0 && question->more != NULL) {
    rc = sample_put_more(call, question->more, out, needs);
  }
  mcpi_buf_putc(out, '}');
  return rc != 0 ? rc : check_params(call, out);
}

static int is_tool_choice(const char *mode) {
  return mode == NULL || strcmp(mode, "auto") == 0 ||
         strcmp(mode, "required") == 0 || strcmp(mode, "none") == 0;
}

static int check_question(mcp_call *call, const mcp_sampling *question) {
  mcp_error why;
  int rc = mcpi_text_check("prompt", question->prompt, &why);
  if (rc == 0) {
    rc = mcpi_text_check("system_prompt", question->system_prompt, &why);
  }
  if (rc == 0 && question->messages == NULL && question->prompt == NULL) {
    rc = mcp_error_set(&why, MCP_ERR_INVALID,
                       "neither messages nor a prompt is given");
  }
  if (rc == 0 && question->max_tokens < 1) {
    rc = mcp_error_set(&why, MCP_ERR_INVALID,
                       "max_tokens is %lld, not 1 or "
                       "more",
                       (long long)question->max_tokens);
  }
  if (rc == 0 && !is_tool_choice(question->tool_choice)) {
    rc = mcp_error_set(&why, MCP_ERR_INVALID,
                       "tool_choice \"%s\" is not auto, required or none",
                       question->tool_choice);
  }
  return rc != 0 ? fail_question(call, rc, &why) : 0;
}

/* --- answers ------------------------------------------------------------ */

static int check_sampled(mcp_call *call, const char *key,
                         const mcp_json *answer) {
  int type = mcp_json_type(mcp_json_get(answer, "content"));
  mcpi_str role = mcpi_json_member_str(answer, "role");
  if (!mcpi_str_eq(role, MCPI_STR("assistant")) &&
      !mcpi_str_eq(role, MCPI_STR("user"))) {
    return mcpi_ask_malformed(call, key, "its role must be user or assistant");
  }
  if (type != MCP_JSON_OBJECT && type != MCP_JSON_ARRAY) {
    return mcpi_ask_malformed(call, key,
                              "its content must be a block or an array");
  }
  if (mcp_json_type(mcp_json_get(answer, "model")) != MCP_JSON_STRING) {
    return mcpi_ask_malformed(call, key, "its model must be a string");
  }
  return mcpi_ask_accept(call, key, answer);
}

/* --- what the program calls --------------------------------------------- */

/* Before there was a capability for includeContext, each client that supports
 * sampling accepted it. */
static int note_sample(mcp_call *call, const char *key,
                       const sample_needs *needs, const mcpi_buf *params) {
  int rc =
      mcpi_call_require(call, needs->tools ? "sampling.tools" : "sampling");
  if (rc == 0 && needs->context &&
      mcpi_revision_has(call->context.revision, MCPI_HAS_SAMPLING_CONTEXT)) {
    rc = mcpi_call_require(call, "sampling.context");
  }
  return rc != 0 ? rc : mcpi_ask_note(call, key, MCPI_M_SAMPLE, params);
}

static int ask_sample(mcp_call *call, const char *key,
                      const mcp_sampling *question, const mcp_json *found) {
  sample_needs needs = {0};
  mcpi_buf params;
  mcpi_buf_init(&params, &call->shard->server->allocator, SIZE_MAX);
  int rc = put_question(call, question, &params, &needs);
  if (rc == 0) {
    rc = mcpi_ask_claim(call, key, MCPI_M_SAMPLE, &params);
  }
  if (rc == 0) {
    rc = found != NULL ? check_sampled(call, key, found)
                       : note_sample(call, key, &needs, &params);
  }
  mcpi_buf_deinit(&params);
  return rc;
}

int mcp_call_ask_sample(mcp_call *call, const char *key,
                        const mcp_sampling *question, const mcp_json **answer) {
  const mcp_json *found;
  mcp_sampling wide;
  mcp_error why;
  if (call == NULL || answer == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_ask_look(call, key, &found);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_widen(&wide, sizeof(wide), question, "mcp_sampling", &why);
  rc = rc != 0 ? fail_question(call, rc, &why) : check_question(call, &wide);
  if (rc == 0) {
    rc = ask_sample(call, key, &wide, found);
  }
  if (rc == 0) {
    *answer = found;
  }
  return rc;
}
