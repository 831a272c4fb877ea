/* SPDX-License-Identifier: MIT */
/* The form of a file of tests. A JSON Schema says most of it, so that the
 * library's messages name the place of a mistake; the rest follows below. */
#include "suite/file.h"
#include "common/file.h"
#include "common/jsonc.h"
#include "schema/conform.h"

#include <mcp/schema.h>
#include <stdio.h>

/* ---- the schema -------------------------------------------------------- */

static const char schema_text[] = MCP_JSON({
  "type": "object",
  "properties": {
    "$schema": true,
    "tests": {
      "type": "array", "minItems": 1, "items": {"$ref": "#/$defs/test"}
    }
  },
  "required": ["tests"],
  "additionalProperties": false,
  "$defs": {
    "test": {
      "type": "object",
      "properties": {
        "name": {"type": "string"},
        "skip": {"type": "string"},
        "call": {"type": "string"},
        "read": {"type": "string"},
        "prompt": {"type": "string"},
        "raw": {"type": "string"},
        "tools": {"const": true},
        "resources": {"const": true},
        "templates": {"const": true},
        "prompts": {"const": true},
        "arguments": {"type": "object"},
        "params": {"type": "object"},
        "expect": {"$ref": "#/$defs/expect"}
      },
      "additionalProperties": false
    },
    "expect": {
      "type": "object",
      "properties": {
        "result": true,
        "contains": true,
        "text": {"type": "string"},
        "text_contains": {"type": "string"},
        "matches": {"type": ["object", "boolean"]},
        "error": {"type": ["integer", "boolean"]},
        "tool_error": {"type": ["string", "boolean"]},
        "max_ms": {"type": "integer", "minimum": 0, "maximum": 86400000}
      },
      "additionalProperties": false
    }
  }
});

/* ---- what the schema does not say -------------------------------------- */

static const char *const requests[] = {
    [CTL_ASK_CALL] = "call",           [CTL_ASK_READ] = "read",
    [CTL_ASK_PROMPT] = "prompt",       [CTL_ASK_RAW] = "raw",
    [CTL_ASK_TOOLS] = "tools",         [CTL_ASK_RESOURCES] = "resources",
    [CTL_ASK_TEMPLATES] = "templates", [CTL_ASK_PROMPTS] = "prompts",
};
enum { REQUESTS = sizeof(requests) / sizeof(*requests) };

/* The member's bit in a set of CTL_ASK_*. */
#define ASK(name) (1U << CTL_ASK_##name)

/* The requests with which a member goes. */
typedef struct pairing {
  const char *member;
  unsigned int with;
  const char *all; /* the same, for a message */
} pairing;

static const pairing of_test[] = {
    {"arguments", ASK(CALL) | ASK(PROMPT), "call or prompt"},
    {"params", ASK(RAW), "raw"},
};

static const pairing of_expect[] = {
    {"text", ASK(CALL) | ASK(READ) | ASK(PROMPT) | ASK(RAW),
     "call, read, prompt or raw"},
    {"text_contains", ASK(CALL) | ASK(READ) | ASK(PROMPT) | ASK(RAW),
     "call, read, prompt or raw"},
    {"tool_error", ASK(CALL) | ASK(RAW), "call or raw"},
};

/* What a test that expects an error of JSON-RPC cannot expect, too. */
static const char *const of_result[] = {
    "result", "contains", "text", "text_contains", "matches", "tool_error",
};

int ctl_suite_request(const mcp_json *test) {
  int found = 0;
  while (found + 1 < REQUESTS && mcp_json_get(test, requests[found]) == NULL) {
    found++;
  }
  return found;
}

const char *ctl_suite_request_name(int request) {
  return requests[request];
}

static int check_request(const mcp_json *test, const char *at, mcp_error *err) {
  int count = 0;
  for (int i = 0; i < REQUESTS; i++) {
    count += mcp_json_get(test, requests[i]) != NULL;
  }
  return count == 1
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "%s: give one of call, read, prompt, raw, tools, "
                             "resources, templates or prompts",
                             at);
}

static int check_pairing(const mcp_json *object, const pairing *one,
                         int request, const char *at, mcp_error *err) {
  if (mcp_json_get(object, one->member) == NULL ||
      (one->with & (1U << request)) != 0) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID, "%s/%s: this goes with %s, not %s",
                       at, one->member, one->all, requests[request]);
}

/* `false` would mean the same as no member. */
static int check_flag(const mcp_json *expect, const char *name,
                      const char *other, const char *at, mcp_error *err) {
  const mcp_json *value = mcp_json_get(expect, name);
  if (mcp_json_type(value) != MCP_JSON_BOOL || mcp_json_bool(value)) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "%s/%s: give true or %s; without this member the test "
                       "expects no error",
                       at, name, other);
}

static int check_error(const mcp_json *expect, const char *at, mcp_error *err) {
  if (mcp_json_get(expect, "error") == NULL) {
    return 0;
  }
  for (size_t i = 0; i < sizeof(of_result) / sizeof(*of_result); i++) {
    if (mcp_json_get(expect, of_result[i]) != NULL) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "%s/%s: this goes without error: an answer with an "
                           "error has no result",
                           at, of_result[i]);
    }
  }
  return 0;
}

/* The message of a schema begins with the place in it, if that is not all. */
static int check_matches(const mcp_json *expect, const char *at,
                         mcp_error *err) {
  const mcp_json *schema = mcp_json_get(expect, "matches");
  mcp_error why = {0};
  if (schema == NULL) {
    return 0;
  }
  mcp_validator *validator = mcp_validator_new(schema, NULL, &why);
  int is_valid = validator != NULL;
  mcp_validator_unref(validator);
  return is_valid
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID, "%s/matches%s%s", at,
                             why.message[0] == '/' ? "" : ": ", why.message);
}

static int check_expect(const mcp_json *expect, int request, const char *at,
                        mcp_error *err) {
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(of_expect) / sizeof(*of_expect);
       i++) {
    rc = check_pairing(expect, &of_expect[i], request, at, err);
  }
  rc = rc == 0 ? check_flag(expect, "error", "a code", at, err) : rc;
  rc = rc == 0 ? check_flag(expect, "tool_error", "a text", at, err) : rc;
  rc = rc == 0 ? check_error(expect, at, err) : rc;
  return rc == 0 ? check_matches(expect, at, err) : rc;
}

static int check_test(const mcp_json *test, size_t index, mcp_error *err) {
  char at[64];
  int request = ctl_suite_request(test);
  snprintf(at, sizeof(at), "/tests/%zu", index);
  int rc = check_request(test, at, err);
  for (size_t i = 0; rc == 0 && i < sizeof(of_test) / sizeof(*of_test); i++) {
    rc = check_pairing(test, &of_test[i], request, at, err);
  }
  snprintf(at, sizeof(at), "/tests/%zu/expect", index);
  return rc == 0 ? check_expect(mcp_json_get(test, "expect"), request, at, err)
                 : rc;
}

int ctl_suite_parse(mcp_doc **out, char *text, size_t len, mcp_error *err) {
  mcp_doc *doc = NULL;
  mcp_json_iter iter;
  const mcp_json *test = NULL;
  *out = NULL;
  ctl_jsonc_clean(text, len);
  int rc = ctl_file_parse(&doc, text, len, err);
  rc = rc == 0 ? ctl_conform_to_text(schema_text, mcp_doc_root(doc), err) : rc;
  mcp_json_iter_init(&iter, mcp_json_get(mcp_doc_root(doc), "tests"));
  for (size_t i = 0;
       rc == 0 && (test = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    rc = check_test(test, i, err);
  }
  if (rc == 0) {
    *out = doc;
  } else {
    mcp_doc_free(doc);
  }
  return rc;
}
