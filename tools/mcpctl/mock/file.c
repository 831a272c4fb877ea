/* SPDX-License-Identifier: MIT */
/* The form of a description. A JSON Schema says most of it, so that the
 * library's messages name the place of a mistake; the rest follows below. */
#include "mock/file.h"
#include "common/base64.h"
#include "common/file.h"
#include "common/json.h"
#include "common/jsonc.h"
#include "schema/conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the schema -------------------------------------------------------- */

/* `answer` has the members that answer a request. What has no `answers` of its
 * own answers by these members itself. The names of $defs are those of the
 * lists. */
static const char schema_text[] = MCP_JSON({
  "type": "object",
  "properties": {
    "$schema": true,
    "name": {"type": "string"},
    "version": {"type": "string"},
    "title": {"type": "string"},
    "description": {"type": "string"},
    "instructions": {"type": "string"},
    "tools": {"type": "array", "items": {"$ref": "#/$defs/tool"}},
    "prompts": {"type": "array", "items": {"$ref": "#/$defs/prompt"}},
    "resources": {"type": "array", "items": {"$ref": "#/$defs/resource"}},
    "templates": {"type": "array", "items": {"$ref": "#/$defs/template"}}
  },
  "additionalProperties": false,
  "$defs": {
    "named": {
      "type": "object",
      "properties": {
        "name": {"type": "string"},
        "title": {"type": "string"},
        "description": {"type": "string"}
      }
    },
    "answer": {
      "type": "object",
      "properties": {
        "text": {"type": "string"},
        "content": {"type": "array", "items": {"$ref": "#/$defs/block"}},
        "structured": true,
        "messages": {"type": "array", "items": {"$ref": "#/$defs/message"}},
        "blob": {"type": "string"},
        "error": {"type": "string"},
        "rpc_error": {
          "type": "object",
          "properties": {
            "code": {"type": "integer", "minimum": -2147483648,
                     "maximum": 2147483647},
            "message": {"type": "string"},
            "data": true
          },
          "required": ["code", "message"],
          "additionalProperties": false
        },
        "delay_ms": {"type": "integer", "minimum": 0, "maximum": 86400000}
      }
    },
    "item": {
      "allOf": [{"$ref": "#/$defs/named"}, {"$ref": "#/$defs/answer"}],
      "properties": {
        "answers": {
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/$defs/answer",
            "properties": {"when": {"type": "object"}},
            "unevaluatedProperties": false
          }
        }
      }
    },
    "tool": {
      "$ref": "#/$defs/item",
      "properties": {
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object"},
        "annotations": {
          "type": "object",
          "properties": {
            "title": {"type": "string"},
            "readOnlyHint": {"type": "boolean"},
            "destructiveHint": {"type": "boolean"},
            "idempotentHint": {"type": "boolean"},
            "openWorldHint": {"type": "boolean"}
          },
          "additionalProperties": false
        },
        "_meta": {"type": "object"}
      },
      "required": ["name"],
      "unevaluatedProperties": false
    },
    "prompt": {
      "$ref": "#/$defs/item",
      "properties": {
        "arguments": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/named",
            "properties": {"required": {"type": "boolean"}},
            "required": ["name"],
            "unevaluatedProperties": false
          }
        }
      },
      "required": ["name"],
      "unevaluatedProperties": false
    },
    "resource": {
      "$ref": "#/$defs/item",
      "properties": {
        "uri": {"type": "string"},
        "mimeType": {"type": "string"}
      },
      "required": ["uri"],
      "unevaluatedProperties": false
    },
    "template": {
      "$ref": "#/$defs/item",
      "properties": {
        "uriTemplate": {"type": "string"},
        "mimeType": {"type": "string"}
      },
      "required": ["uriTemplate"],
      "unevaluatedProperties": false
    },
    "block": {
      "$ref": "#/$defs/named",
      "properties": {
        "type": {
          "enum": ["text", "image", "audio", "resource", "resource_link"]
        },
        "text": {"type": "string"},
        "data": {"type": "string"},
        "mimeType": {"type": "string"},
        "uri": {"type": "string"},
        "resource": {
          "type": "object",
          "properties": {
            "uri": {"type": "string"},
            "mimeType": {"type": "string"},
            "text": {"type": "string"},
            "blob": {"type": "string"}
          },
          "required": ["uri"],
          "additionalProperties": false
        }
      },
      "required": ["type"],
      "unevaluatedProperties": false
    },
    "message": {
      "type": "object",
      "properties": {
        "role": {"enum": ["user", "assistant"]},
        "text": {"type": "string"},
        "content": {"$ref": "#/$defs/block"}
      },
      "required": ["role"],
      "additionalProperties": false
    }
  }
});

/* ---- what the schema does not say -------------------------------------- */

/* Where an object is, for messages. */
typedef struct place {
  char text[96];
} place;

static place place_of(const char *list, size_t index) {
  place at;
  snprintf(at.text, sizeof(at.text), "/%s/%zu", list, index);
  return at;
}

static place place_in(const place *outer, const char *list, size_t index) {
  place at;
  snprintf(at.text, sizeof(at.text), "%.40s/%s/%zu", outer->text, list, index);
  return at;
}

static int has(const mcp_json *object, const char *name) {
  return mcp_json_get(object, name) != NULL;
}

/* Whether a member, if it is there, is base64. */
static int check_base64(const mcp_json *object, const char *name,
                        const place *at, mcp_error *err) {
  size_t len = 0;
  const char *text = mcp_json_string_n(mcp_json_get(object, name), &len);
  char *bytes = text != NULL ? malloc(ctl_base64_len(text, len) + 1) : NULL;
  int is_wrong = bytes != NULL && ctl_base64_decode(text, len, bytes) != 0;
  free(bytes);
  return is_wrong ? mcp_error_set(err, MCP_ERR_INVALID,
                                  "%s/%s: this is not base64", at->text, name)
                  : 0;
}

static int demand(const mcp_json *object, const char *name, const place *at,
                  mcp_error *err) {
  return has(object, name)
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "%s: missing the required member \"%s\"", at->text,
                             name);
}

/* A block of content needs other members for each type. */
static int check_block(const mcp_json *block, const place *at, mcp_error *err) {
  const char *type = ctl_json_member(block, "type");
  const mcp_json *resource = mcp_json_get(block, "resource");
  int rc = 0;
  if (strcmp(type, "text") == 0) {
    return demand(block, "text", at, err);
  }
  if (strcmp(type, "resource_link") == 0) {
    rc = demand(block, "uri", at, err);
    return rc == 0 ? demand(block, "name", at, err) : rc;
  }
  if (strcmp(type, "resource") == 0) {
    rc = demand(block, "resource", at, err);
    if (rc == 0 && has(resource, "text") == has(resource, "blob")) {
      rc = mcp_error_set(err, MCP_ERR_INVALID,
                         "%s/resource: give either text or blob", at->text);
    }
    return rc == 0 ? check_base64(resource, "blob", at, err) : rc;
  }
  rc = demand(block, "data", at, err);
  rc = rc == 0 ? demand(block, "mimeType", at, err) : rc;
  return rc == 0 ? check_base64(block, "data", at, err) : rc;
}

static int check_blocks(const mcp_json *answer, const place *at,
                        mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *block = NULL;
  int rc = 0;
  mcp_json_iter_init(&iter, mcp_json_get(answer, "content"));
  for (size_t i = 0;
       rc == 0 && (block = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    const place inner = place_in(at, "content", i);
    rc = check_block(block, &inner, err);
  }
  return rc;
}

static int check_messages(const mcp_json *answer, const place *at,
                          mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *message = NULL;
  int rc = 0;
  mcp_json_iter_init(&iter, mcp_json_get(answer, "messages"));
  for (size_t i = 0;
       rc == 0 && (message = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    const place inner = place_in(at, "messages", i);
    const mcp_json *block = mcp_json_get(message, "content");
    if (has(message, "text") == (block != NULL)) {
      rc = mcp_error_set(err, MCP_ERR_INVALID,
                         "%s: give either text or content", inner.text);
    } else if (block != NULL) {
      rc = check_block(block, &inner, err);
    }
  }
  return rc;
}

/* What each kind of object may answer with: one of `ways`, which end with
 * NULL; `structured` may come with a text or a content. */
typedef struct kind {
  const char *list;
  const char *const *ways;
  const char *all; /* the ways, for a message */
} kind;

static const char *const tool_ways[] = {"text",  "content",   "structured",
                                        "error", "rpc_error", NULL};
static const char *const prompt_ways[] = {"text", "messages", "rpc_error",
                                          NULL};
static const char *const resource_ways[] = {"text", "blob", "rpc_error", NULL};

static const kind kinds[] = {
    {"tools", tool_ways, "text, content, structured, error or rpc_error"},
    {"prompts", prompt_ways, "text, messages or rpc_error"},
    {"resources", resource_ways, "text, blob or rpc_error"},
    {"templates", resource_ways, "text, blob or rpc_error"},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static int is_way(const kind *of, const char *name) {
  for (const char *const *way = of->ways; *way != NULL; way++) {
    if (strcmp(*way, name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* A way that another kind of object has. NULL: there is none. */
static const char *find_foreign(const kind *of, const mcp_json *answer) {
  for (size_t i = 0; i < KINDS; i++) {
    for (const char *const *way = kinds[i].ways; *way != NULL; way++) {
      if (has(answer, *way) && !is_way(of, *way)) {
        return *way;
      }
    }
  }
  return NULL;
}

static size_t count_ways(const kind *of, const mcp_json *answer) {
  size_t count = 0;
  for (const char *const *way = of->ways; *way != NULL; way++) {
    count += (size_t)has(answer, *way);
  }
  return count;
}

static int check_answer(const kind *of, const mcp_json *answer, const place *at,
                        mcp_error *err) {
  const char *foreign = find_foreign(of, answer);
  size_t allowed =
      1 + (size_t)(has(answer, "structured") &&
                   (has(answer, "text") || has(answer, "content")));
  if (foreign != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s: unknown member \"%s\"; this answers with %s",
                         at->text, foreign, of->all);
  }
  if (count_ways(of, answer) != allowed) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s: give one of %s", at->text,
                         of->all);
  }
  int rc = check_base64(answer, "blob", at, err);
  rc = rc == 0 ? check_blocks(answer, at, err) : rc;
  return rc == 0 ? check_messages(answer, at, err) : rc;
}

static int check_answers(const kind *of, const mcp_json *item, const place *at,
                         mcp_error *err) {
  const mcp_json *answers = mcp_json_get(item, "answers");
  mcp_json_iter iter;
  const mcp_json *answer = NULL;
  int rc = 0;
  if (answers == NULL) {
    return check_answer(of, item, at, err);
  }
  if (count_ways(of, item) > 0 || has(item, "delay_ms")) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s: it has answers, so %s go there", at->text,
                         of->all);
  }
  mcp_json_iter_init(&iter, answers);
  for (size_t i = 0;
       rc == 0 && (answer = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    const place inner = place_in(at, "answers", i);
    rc = check_answer(of, answer, &inner, err);
  }
  return rc;
}

static int check_list(const kind *of, const mcp_json *root, mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *item = NULL;
  int rc = 0;
  mcp_json_iter_init(&iter, mcp_json_get(root, of->list));
  for (size_t i = 0;
       rc == 0 && (item = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    const place at = place_of(of->list, i);
    rc = check_answers(of, item, &at, err);
  }
  return rc;
}

int ctl_mock_parse(mcp_doc **out, char *text, size_t len, mcp_error *err) {
  mcp_doc *doc = NULL;
  *out = NULL;
  ctl_jsonc_clean(text, len);
  int rc = ctl_file_parse(&doc, text, len, err);
  rc = rc == 0 ? ctl_conform_to_text(schema_text, mcp_doc_root(doc), err) : rc;
  for (size_t i = 0; rc == 0 && i < KINDS; i++) {
    rc = check_list(&kinds[i], mcp_doc_root(doc), err);
  }
  if (rc == 0) {
    *out = doc;
  } else {
    mcp_doc_free(doc);
  }
  return rc;
}
