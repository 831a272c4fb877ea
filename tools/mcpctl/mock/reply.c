/* SPDX-License-Identifier: MIT */
#include "mock/reply.h"
#include "common/base64.h"
#include "common/json.h"
#include "common/template.h"

#include <mcp/call.h>
#include <mcp/content.h>
#include <mcp/loop.h>
#include <stdlib.h>
#include <string.h>

/* ---- which answer ------------------------------------------------------ */

int ctl_mock_matches(const mcp_json *when, const mcp_json *arguments) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  if (mcp_json_type(when) != MCP_JSON_OBJECT ||
      mcp_json_type(arguments) != MCP_JSON_OBJECT) {
    return mcp_json_equal(when, arguments);
  }
  mcp_json_iter_init(&iter, when);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    const mcp_json *argument = mcp_json_get_n(arguments, text, len);
    if (argument == NULL || !ctl_mock_matches(value, argument)) {
      return 0;
    }
  }
  return 1;
}

/* The first answer whose `when` matches; NULL: none does. */
static const mcp_json *choose_answer(const mcp_json *item,
                                     const mcp_json *arguments) {
  const mcp_json *answers = mcp_json_get(item, "answers");
  mcp_json_iter iter;
  const mcp_json *answer = NULL;
  if (answers == NULL) {
    return item;
  }
  mcp_json_iter_init(&iter, answers);
  while ((answer = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *when = mcp_json_get(answer, "when");
    if (when == NULL || ctl_mock_matches(when, arguments)) {
      return answer;
    }
  }
  return NULL;
}

/* ---- content ------------------------------------------------------------ */

static int content_type(const char *name) {
  static const struct {
    const char *name;
    int type;
  } types[] = {
      {"image", MCP_CONTENT_IMAGE},
      {"audio", MCP_CONTENT_AUDIO},
      {"resource", MCP_CONTENT_RESOURCE},
      {"resource_link", MCP_CONTENT_RESOURCE_LINK},
  };
  for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
    if (strcmp(name, types[i].name) == 0) {
      return types[i].type;
    }
  }
  return MCP_CONTENT_TEXT;
}

/* The bytes of a base64 text. Owned; NULL: there is no such text, or it is not
 * base64. */
static char *decode(const mcp_json *base64, size_t *len) {
  size_t text_len = 0;
  const char *text = mcp_json_string_n(base64, &text_len);
  if (text == NULL) {
    return NULL;
  }
  *len = ctl_base64_len(text, text_len);
  char *bytes = malloc(*len + 1);
  if (bytes != NULL && ctl_base64_decode(text, text_len, bytes) != 0) {
    free(bytes);
    return NULL;
  }
  return bytes;
}

/* Adds a block of content. What is wrong with it, the library reports. */
static void add_block(mcp_call *call, const mcp_json *block) {
  const mcp_json *resource = mcp_json_get(block, "resource");
  const mcp_json *from = resource != NULL ? resource : block;
  size_t len = 0;
  char *data =
      decode(mcp_json_get(from, resource != NULL ? "blob" : "data"), &len);
  const mcp_content content = {
      .size = sizeof(mcp_content),
      .type = content_type(ctl_json_member(block, "type")),
      .text = ctl_json_member(from, "text"),
      .data = data,
      .data_len = len,
      .mime_type = ctl_json_member(from, "mimeType"),
      .uri = ctl_json_member(from, "uri"),
      .name = ctl_json_member(block, "name"),
      .title = ctl_json_member(block, "title"),
      .description = ctl_json_member(block, "description"),
  };
  mcp_call_add_content(call, &content);
  free(data);
}

static void add_text(mcp_call *call, const mcp_json *answer) {
  size_t len = 0;
  const char *text = mcp_json_string_n(mcp_json_get(answer, "text"), &len);
  if (text != NULL) {
    mcp_call_add_text_n(call, text, len);
  }
}

static void add_blocks(mcp_call *call, const mcp_json *answer) {
  mcp_json_iter iter;
  const mcp_json *block = NULL;
  mcp_json_iter_init(&iter, mcp_json_get(answer, "content"));
  while ((block = mcp_json_iter_next(&iter, NULL)) != NULL) {
    add_block(call, block);
  }
}

static void add_messages(mcp_call *call, const mcp_json *answer) {
  mcp_json_iter iter;
  const mcp_json *message = NULL;
  mcp_json_iter_init(&iter, mcp_json_get(answer, "messages"));
  while ((message = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *block = mcp_json_get(message, "content");
    int is_user = strcmp(ctl_json_member(message, "role"), "user") == 0;
    mcp_call_set_role(call, is_user ? MCP_ROLE_USER : MCP_ROLE_ASSISTANT);
    add_text(call, message);
    if (block != NULL) {
      add_block(call, block);
    }
  }
}

static void add_structured(mcp_call *call, const mcp_json *answer) {
  const mcp_json *value = mcp_json_get(answer, "structured");
  char *text = value != NULL ? mcp_json_to_text(value, NULL) : NULL;
  if (text != NULL) {
    mcp_call_set_structured(call, text);
  }
  mcp_text_free(text);
}

/* ---- replies ------------------------------------------------------------ */

static int reply_rpc_error(mcp_call *call, const mcp_json *error) {
  const char *message = ctl_json_member(error, "message");
  const mcp_json *data = mcp_json_get(error, "data");
  char *text = data != NULL ? mcp_json_to_text(data, NULL) : NULL;
  int rc =
      mcp_call_reply_error(call, (int)mcp_json_int(mcp_json_get(error, "code")),
                           message != NULL ? message : "", text);
  mcp_text_free(text);
  return rc;
}

static int reply_blob(mcp_call *call, const mcp_json *blob) {
  size_t len = 0;
  char *data = decode(blob, &len);
  mcp_call_add_resource_data(call, NULL, NULL, data, len);
  free(data);
  return mcp_call_reply(call);
}

/* Replies with an answer whose references are replaced. */
static int reply_filled(mcp_call *call, const mcp_json *answer) {
  const mcp_json *rpc_error = mcp_json_get(answer, "rpc_error");
  const mcp_json *blob = mcp_json_get(answer, "blob");
  const char *error = ctl_json_member(answer, "error");
  if (rpc_error != NULL) {
    return reply_rpc_error(call, rpc_error);
  }
  if (error != NULL) {
    return mcp_call_reply_failure(call, "%s", error);
  }
  if (blob != NULL) {
    return reply_blob(call, blob);
  }
  add_text(call, answer);
  add_blocks(call, answer);
  add_messages(call, answer);
  add_structured(call, answer);
  return mcp_call_reply(call);
}

static int reply_now(mcp_call *call, const mcp_json *answer,
                     const mcp_json *arguments) {
  mcp_error err = {0};
  mcp_doc *filled = ctl_template_fill(answer, arguments, &err);
  if (filled == NULL) {
    return mcp_call_reply_error(call, MCP_RPC_INTERNAL_ERROR, err.message,
                                NULL);
  }
  int rc = reply_filled(call, mcp_doc_root(filled));
  mcp_doc_free(filled);
  return rc;
}

/* ---- later ------------------------------------------------------------- */

/* A call that waits for its time. It ends, and is freed, when the timer rings
 * or when the client cancels the call or leaves. */
typedef struct delayed {
  mcp_call *call;
  const mcp_json *answer;
  const mcp_json *arguments;
  mcp_timer *timer;
} delayed;

static void delayed_end(delayed *wait) {
  const delayed ended = *wait;
  mcp_timer_free(wait->timer);
  free(wait);
  reply_now(ended.call, ended.answer, ended.arguments);
}

static void delayed_on_time(mcp_timer *timer, void *userdata) {
  (void)timer;
  delayed_end(userdata);
}

/* The library sends no reply to a call that is cancelled, but needs one. */
static void delayed_on_cancel(mcp_call *call, void *userdata) {
  (void)call;
  delayed_end(userdata);
}

static int reply_later(mcp_call *call, const mcp_json *answer,
                       const mcp_json *arguments, uint64_t delay_ms) {
  delayed *wait = malloc(sizeof(*wait));
  if (wait == NULL) {
    return MCP_ERR_NOMEM;
  }
  *wait = (delayed){call, answer, arguments, NULL};
  wait->timer = mcp_timer_new(mcp_call_loop(call), delayed_on_time, wait, NULL);
  int rc = wait->timer != NULL ? mcp_call_defer(call) : MCP_ERR_NOMEM;
  if (rc != 0) {
    mcp_timer_free(wait->timer);
    free(wait);
    return rc;
  }
  rc = mcp_timer_start(wait->timer, delay_ms, 0);
  rc = rc == 0 ? mcp_call_on_cancel(call, delayed_on_cancel, wait) : rc;
  if (rc != 0) {
    delayed_end(wait);
  }
  return 0;
}

/* ---- the handler ------------------------------------------------------- */

static int reply_unmatched(mcp_call *call) {
  static const char text[] =
      "the description has no answer for these arguments: add one without "
      "`when` at the end of `answers`";
  return strcmp(mcp_call_method(call), "tools/call") == 0
             ? mcp_call_reply_failure(call, "%s", text)
             : mcp_call_reply_error(call, MCP_RPC_INVALID_PARAMS, text, NULL);
}

/* A resource with a URI has no arguments: its text may contain ${...}. */
int ctl_mock_reply(mcp_call *call, void *userdata) {
  const mcp_json *item = userdata;
  const mcp_json *arguments =
      mcp_json_get(item, "uri") == NULL ? mcp_call_arguments(call) : NULL;
  const mcp_json *answer = choose_answer(item, arguments);
  if (answer == NULL) {
    return reply_unmatched(call);
  }
  int64_t delay_ms = mcp_json_int(mcp_json_get(answer, "delay_ms"));
  return delay_ms > 0 ? reply_later(call, answer, arguments, (uint64_t)delay_ms)
                      : reply_now(call, answer, arguments);
}
