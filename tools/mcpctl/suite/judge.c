/* SPDX-License-Identifier: MIT */
#include "suite/judge.h"
#include "common/find.h"
#include "common/json.h"
#include "platform/memory.h"
#include "schema/conform.h"
#include "suite/expected.h"
#include "suite/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures ---------------------------------------------------------- */

int ctl_suite_fail(ctl_verdict *verdict, const char *format, ...) {
  va_list arguments;
  char *message = NULL;
  va_start(arguments, format);
  if (vasprintf(&message, format, arguments) < 0) {
    message = strdup("out of memory");
  }
  va_end(arguments);
  free(verdict->message);
  verdict->message = message;
  return 0;
}

/* A text; it may contain NUL. */
typedef struct words {
  char *text; /* owned; NULL: out of memory */
  size_t len;
} words;

/* A text as JSON. Owned; NULL: out of memory. */
static char *quote(const words *text) {
  mcp_builder *builder =
      text->text != NULL ? mcp_builder_new(NULL, NULL) : NULL;
  if (builder == NULL) {
    return NULL;
  }
  mcp_builder_string_n(builder, NULL, text->text, text->len);
  const char *json = mcp_builder_text(builder, NULL);
  char *copy = json != NULL ? strdup(json) : NULL;
  mcp_builder_free(builder);
  return copy;
}

/* Shows what was expected, and the text that came. */
static void show_text(ctl_verdict *verdict, const mcp_json *expected,
                      const words *got) {
  verdict->expected = ctl_json_text(expected);
  verdict->got = quote(got);
}

static int show_difference(ctl_verdict *verdict, const ctl_difference *found,
                           const char *what) {
  if (found->items > 0) {
    ctl_suite_fail(verdict, "%s: no such item among the %zu there", what,
                   found->items);
  } else if (found->got == NULL) {
    ctl_suite_fail(verdict, "%s: nothing is at this place", what);
  } else if (found->expected == NULL) {
    ctl_suite_fail(verdict, "%s: nothing is expected at this place", what);
  } else {
    ctl_suite_fail(verdict, "%s", what);
  }
  verdict->pointer = strdup(found->pointer);
  verdict->expected =
      found->expected != NULL ? ctl_json_text(found->expected) : NULL;
  verdict->got = found->got != NULL ? ctl_json_text(found->got) : NULL;
  return 0;
}

/* ---- the text of a result ---------------------------------------------- */

/* The text of a content block, an entry of a resource or a message of a prompt;
 * NULL: it has none. */
static const char *item_text(const mcp_json *item, size_t *len) {
  const mcp_json *content = mcp_json_get(item, "content");
  const mcp_json *block = content != NULL ? content : item;
  const mcp_json *text = mcp_json_get(block, "text");
  return mcp_json_string_n(
      text != NULL ? text : mcp_json_pointer(block, "/resource/text"), len);
}

/* All texts of a result, with line feeds between them. The caller frees the
 * text. */
static words join_texts(const mcp_json *result) {
  static const char *const lists[] = {"content", "contents", "messages"};
  words joined = {0};
  const char *joint = "";
  FILE *out = ctl_memory_open(&joined.text, &joined.len);
  for (size_t i = 0; out != NULL && i < 3; i++) {
    mcp_json_iter iter;
    const mcp_json *item = NULL;
    mcp_json_iter_init(&iter, mcp_json_get(result, lists[i]));
    while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
      size_t len = 0;
      const char *text = item_text(item, &len);
      if (text != NULL) {
        fputs(joint, out);
        fwrite(text, 1, len, out);
        joint = "\n";
      }
    }
  }
  if (out != NULL && ctl_memory_close(out, &joined.text, &joined.len) != 0) {
    free(joined.text);
    joined.text = NULL;
  }
  return joined;
}

static int is_text(const words *text, const mcp_json *expected) {
  size_t len = 0;
  const char *wanted = mcp_json_string_n(expected, &len);
  return text->text != NULL && wanted != NULL && text->len == len &&
         memcmp(text->text, wanted, len) == 0;
}

static int has_text(const words *text, const mcp_json *expected) {
  size_t len = 0;
  const char *wanted = mcp_json_string_n(expected, &len);
  return text->text != NULL && wanted != NULL &&
         ctl_find_bytes(text->text, text->len, wanted, len) != NULL;
}

/* ---- assertions: 1 if the result is as expected, else 0 ---------------- */

static int judge_result(const mcp_json *expected, const mcp_json *result,
                        ctl_verdict *verdict) {
  ctl_difference found;
  return ctl_expected_equals(expected, result, &found) ||
         show_difference(verdict, &found, "the result is not equal (result)");
}

static int judge_contains(const mcp_json *expected, const mcp_json *result,
                          ctl_verdict *verdict) {
  ctl_difference found;
  return ctl_expected_is_contained(expected, result, &found) ||
         show_difference(verdict, &found,
                         "the result does not contain this (contains)");
}

static int judge_text(const mcp_json *expected, const mcp_json *result,
                      ctl_verdict *verdict) {
  words text = join_texts(result);
  int is_same = is_text(&text, expected);
  if (!is_same) {
    ctl_suite_fail(verdict, "the text is not equal (text)");
    show_text(verdict, expected, &text);
  }
  free(text.text);
  return is_same;
}

static int judge_text_contains(const mcp_json *expected, const mcp_json *result,
                               ctl_verdict *verdict) {
  words text = join_texts(result);
  int has_it = has_text(&text, expected);
  if (!has_it) {
    ctl_suite_fail(verdict, "the text does not contain this (text_contains)");
    show_text(verdict, expected, &text);
  }
  free(text.text);
  return has_it;
}

static int judge_matches(const mcp_json *expected, const mcp_json *result,
                         ctl_verdict *verdict) {
  mcp_error err = {0};
  return ctl_conform(expected, result, &err) == 0 ||
         ctl_suite_fail(verdict, "the result does not match (matches): %s",
                        err.message);
}

static int judge_tool_error(const mcp_json *expected, const mcp_json *result,
                            ctl_verdict *verdict) {
  words text = join_texts(result);
  int is_any = mcp_json_type(expected) == MCP_JSON_BOOL;
  int is_failure = mcp_json_bool(mcp_json_get(result, "isError"));
  int is_expected = is_failure && (is_any || has_text(&text, expected));
  if (!is_expected) {
    ctl_suite_fail(verdict, "%s (tool_error)",
                   is_failure ? "the tool's error does not contain this"
                              : "the tool reported no error");
    show_text(verdict, expected, &text);
  }
  free(text.text);
  return is_expected;
}

/* A tool's error is a failure unless the test expects it. */
static int judge_no_tool_error(const mcp_json *result, ctl_verdict *verdict) {
  if (!mcp_json_bool(mcp_json_get(result, "isError"))) {
    return 1;
  }
  words text = join_texts(result);
  ctl_suite_fail(verdict, "the tool reported an error");
  verdict->got = quote(&text);
  free(text.text);
  return 0;
}

static const struct {
  const char *name;
  int (*judge)(const mcp_json *expected, const mcp_json *result,
               ctl_verdict *verdict);
} assertions[] = {
    {"tool_error", judge_tool_error},       {"result", judge_result},
    {"contains", judge_contains},           {"text", judge_text},
    {"text_contains", judge_text_contains}, {"matches", judge_matches},
};

static int judge_all(const mcp_json *expect, const mcp_json *result,
                     ctl_verdict *verdict) {
  int is_fine = mcp_json_get(expect, "tool_error") != NULL ||
                judge_no_tool_error(result, verdict);
  for (size_t i = 0; is_fine && i < sizeof(assertions) / sizeof(*assertions);
       i++) {
    const mcp_json *expected = mcp_json_get(expect, assertions[i].name);
    if (expected != NULL) {
      is_fine = assertions[i].judge(expected, result, verdict);
    }
  }
  return is_fine;
}

/* ---- outcomes ---------------------------------------------------------- */

/* The result of a list, with the entries of all pages. Owned; NULL: out of
 * memory. */
static mcp_doc *join_pages(const mcp_result *result, const char *list) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  size_t len = 0;
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  if (out == NULL) {
    return NULL;
  }
  mcp_builder_object(out, NULL);
  mcp_builder_array(out, list);
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    mcp_builder_value(out, NULL, mcp_result_item(result, i));
  }
  mcp_builder_end(out);
  mcp_json_iter_init(&iter, mcp_result_json(result));
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    const char *member = mcp_json_string_n(name, &len);
    if (member != NULL && strcmp(member, list) != 0) {
      mcp_builder_name_n(out, member, len);
      mcp_builder_value(out, NULL, value);
    }
  }
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, &len);
  mcp_doc *doc =
      text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
  mcp_builder_free(out);
  return doc;
}

/* The member of the result that has a list's entries; NULL: the request is not
 * a list. */
static const char *list_of(int request) {
  if (request < CTL_ASK_TOOLS) {
    return NULL;
  }
  return request == CTL_ASK_TEMPLATES ? "resourceTemplates"
                                      : ctl_suite_request_name(request);
}

static int judge_answer(const mcp_result *result, const mcp_json *test,
                        ctl_verdict *verdict) {
  const mcp_json *expect = mcp_json_get(test, "expect");
  const char *list = list_of(ctl_suite_request(test));
  const mcp_json *error = mcp_json_get(expect, "error");
  if (error != NULL) {
    ctl_suite_fail(verdict, "the server answered without an error (error)");
    verdict->expected = ctl_json_text(error);
    verdict->got = ctl_json_text(mcp_result_json(result));
    return 0;
  }
  if (list == NULL) {
    return judge_all(expect, mcp_result_json(result), verdict);
  }
  mcp_doc *joined = join_pages(result, list);
  int is_fine = joined != NULL
                    ? judge_all(expect, mcp_doc_root(joined), verdict)
                    : ctl_suite_fail(verdict, "out of memory");
  mcp_doc_free(joined);
  return is_fine;
}

static int judge_error(const ctl_session *session, const mcp_json *test,
                       ctl_verdict *verdict) {
  const mcp_json *error = mcp_json_pointer(test, "/expect/error");
  int64_t code = session->error.status;
  if (error != NULL &&
      (mcp_json_type(error) == MCP_JSON_BOOL || mcp_json_int(error) == code)) {
    return 1;
  }
  verdict->expected = error != NULL ? ctl_json_text(error) : NULL;
  return ctl_suite_fail(verdict, "the server answered with error %lld: %s",
                        (long long)code, session->error.message);
}

static void judge_time(const mcp_json *test, ctl_verdict *verdict) {
  const mcp_json *max_ms = mcp_json_pointer(test, "/expect/max_ms");
  double took_ms = (double)verdict->took_ns / 1e6;
  if (max_ms != NULL && took_ms > mcp_json_number(max_ms)) {
    ctl_suite_fail(verdict, "the answer took %.3f ms, more than %lld (max_ms)",
                   took_ms, (long long)mcp_json_int(max_ms));
  }
}

void ctl_suite_judge(ctl_session *session, const mcp_json *test,
                     ctl_verdict *verdict) {
  int is_fine = 0;
  if (session->is_unanswered) {
    ctl_suite_fail(verdict, "the server asked a question that --answer does "
                            "not answer");
  } else if (session->status == 0) {
    is_fine = judge_answer(session->result, test, verdict);
  } else if (session->status == MCP_ERR_REMOTE) {
    is_fine = judge_error(session, test, verdict);
  } else {
    ctl_suite_fail(verdict, "%s", session->error.message);
  }
  if (is_fine) {
    judge_time(test, verdict);
  }
}
