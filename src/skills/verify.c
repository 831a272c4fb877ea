/* SPDX-License-Identifier: MIT */
#include "skills/verify.h"

#include "base/error.h"
#include "skills/folder.h"
#include "skills/head.h"
#include "skills/skill.h"
#include "yaml/yaml.h"

/* What a message quotes: bytes of a URI and of a value, and the digits of a
 * digest. */
enum { QUOTED_URI = 100, QUOTED_VALUE = 36, QUOTED_DIGEST = 7 + 16 };

int mcpi_expected_prepare(const mcpi_expected *expected, mcp_error *err) {
  char digest[MCPI_DIGEST_SIZE];
  mcp_error why;
  if (expected->is_main && mcpi_yaml_get(&why) == NULL) {
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  int rc = expected->listed != NULL ? mcpi_skill_digest(digest, "", 0) : 0;
  return rc == 0 ? 0
                 : mcp_error_set(err, rc, "no SHA-256: %s", mcp_error_text(rc));
}

/* --- the bytes ------------------------------------------------------------ */

static int refuse_answer(const mcpi_expected *expected, const char *why,
                         mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_PROTOCOL, "%.*s: %s", QUOTED_URI,
                       expected->uri, why);
}

/* There must be one reading of the answer: the program may look at its JSON, or
 * call mcp_result_text, and must not find other bytes there than those that
 * were compared. */
static int check_item(const mcpi_expected *expected, const mcp_result *result,
                      mcp_error *err) {
  const mcp_json *item = mcp_result_item(result, 0);
  const char *uri = mcp_json_string(mcp_json_get(item, "uri"));
  int has_text = mcp_json_get(item, "text") != NULL;
  int has_blob = mcp_json_get(item, "blob") != NULL;
  if (mcp_result_count(result) != 1) {
    return refuse_answer(expected,
                         "the server sent not one file, but several "
                         "or none",
                         err);
  }
  if (uri == NULL || strcmp(uri, expected->uri) != 0) {
    return refuse_answer(expected, "the server sent another file", err);
  }
  if (has_text == has_blob || mcp_json_get(item, "content") != NULL) {
    return refuse_answer(expected,
                         "the server sent neither a text alone nor a "
                         "blob alone",
                         err);
  }
  return 0;
}

static int get_bytes(const mcpi_expected *expected, mcp_result *result,
                     mcpi_str *out, mcp_error *err) {
  int rc = check_item(expected, result, err);
  if (rc != 0) {
    return rc;
  }
  out->ptr = mcp_result_bytes(result, &out->len);
  if (out->ptr == NULL) {
    return refuse_answer(expected, "the blob is not base64", err);
  }
  return 0;
}

static int check_listed(const mcpi_expected *expected, mcpi_str bytes,
                        mcp_error *err) {
  char digest[MCPI_DIGEST_SIZE];
  const mcp_skill_file *listed = expected->listed;
  if (bytes.len != listed->len) {
    return mcp_error_set(
        err, MCP_ERR_MISMATCH, "%.*s: it has %zu bytes, and %llu are listed",
        QUOTED_URI, expected->uri, bytes.len, (unsigned long long)listed->len);
  }
  int rc = mcpi_skill_digest(digest, bytes.ptr, bytes.len);
  if (rc != 0) {
    return mcp_error_set(err, rc, "no SHA-256: %s", mcp_error_text(rc));
  }
  if (strcmp(digest, listed->digest) != 0) {
    return mcp_error_set(err, MCP_ERR_MISMATCH,
                         "%.*s: its digest is %.*s..., and %.*s... is listed",
                         QUOTED_URI, expected->uri, QUOTED_DIGEST, digest,
                         QUOTED_DIGEST, listed->digest);
  }
  return 0;
}

/* --- the head ------------------------------------------------------------- */

static int name_member(const mcpi_expected *expected, const char *name,
                       const char *how, mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_MISMATCH, "%.*s: its head %s \"%.*s\"",
                       QUOTED_URI, expected->uri, how, QUOTED_VALUE, name);
}

/* Says how a value differs. Without memory, only that it does. */
static int name_values(const mcpi_expected *expected, const char *name,
                       const mcp_json *listed, const mcp_json *value,
                       mcp_error *err) {
  mcp_builder *texts = mcp_builder_new(&expected->skill->allocator, NULL);
  char sent[QUOTED_VALUE + 1] = "";
  if (texts == NULL) {
    return name_member(expected, name, "has another", err);
  }
  mcp_builder_value(texts, NULL, value);
  const char *text = mcp_builder_text(texts, NULL);
  strncat(sent, text != NULL ? text : "", QUOTED_VALUE);
  mcp_builder_clear(texts);
  mcp_builder_value(texts, NULL, listed);
  text = mcp_builder_text(texts, NULL);
  mcp_error_set(err, MCP_ERR_MISMATCH,
                "%.*s: its head says \"%.*s\": %s, and %.*s is listed",
                QUOTED_URI, expected->uri, QUOTED_VALUE, name, sent,
                QUOTED_VALUE, text != NULL ? text : "");
  mcp_builder_free(texts);
  return MCP_ERR_MISMATCH;
}

/* Names the first member that differs. A name may have a NUL. */
static int head_differs(const mcpi_expected *expected, const mcp_json *head,
                        mcp_error *err) {
  const mcp_json *listed = mcp_skill_frontmatter(expected->skill);
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *value;
  size_t len;
  mcp_json_iter_init(&iter, listed);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string_n(key, &len);
    const mcp_json *sent = mcp_json_get_n(head, name, len);
    if (sent == NULL) {
      return name_member(expected, name, "does not have the listed", err);
    }
    if (!mcp_json_equal(value, sent)) {
      return name_values(expected, name, value, sent, err);
    }
  }
  mcp_json_iter_init(&iter, head);
  while (mcp_json_iter_next(&iter, &key) != NULL) {
    const char *name = mcp_json_string_n(key, &len);
    if (mcp_json_get_n(listed, name, len) == NULL) {
      return name_member(expected, name, "has the unlisted", err);
    }
  }
  return mcp_error_set(err, MCP_ERR_MISMATCH,
                       "%.*s: its head is not the one that is listed",
                       QUOTED_URI, expected->uri);
}

static int check_head(const mcpi_expected *expected, mcpi_str bytes,
                      mcp_error *err) {
  mcp_doc *head;
  mcp_error why;
  if (!mcpi_skill_is_text(bytes.ptr, bytes.len)) {
    return mcp_error_set(err, MCP_ERR_MISMATCH,
                         "%.*s: it is not UTF-8, or has a NUL, so it has no "
                         "head",
                         QUOTED_URI, expected->uri);
  }
  int rc = mcpi_skill_head_parse(&head, bytes.ptr, bytes.len,
                                 &expected->skill->allocator, &why);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  if (rc != 0) {
    return mcp_error_set(err, MCP_ERR_MISMATCH,
                         "%.*s: its head cannot be compared: %s", QUOTED_URI,
                         expected->uri, why.message);
  }
  if (!mcp_json_equal(mcp_skill_frontmatter(expected->skill),
                      mcp_doc_root(head))) {
    rc = head_differs(expected, mcp_doc_root(head), err);
  }
  mcp_doc_free(head);
  return rc;
}

/* --- the whole ------------------------------------------------------------ */

static int check_length(const mcpi_expected *expected, mcpi_str bytes,
                        mcp_error *err) {
  if (bytes.len <= MCPI_SKILL_MAX_BYTES) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_LIMIT, "%.*s: it has more than %d bytes",
                       QUOTED_URI, expected->uri, MCPI_SKILL_MAX_BYTES);
}

int mcpi_expected_check(const mcpi_expected *expected, mcp_result *result,
                        mcp_error *err) {
  mcpi_str bytes;
  int rc = get_bytes(expected, result, &bytes, err);
  if (rc == 0) {
    rc = expected->listed != NULL ? check_listed(expected, bytes, err)
                                  : check_length(expected, bytes, err);
  }
  if (rc == 0 && expected->is_main) {
    rc = check_head(expected, bytes, err);
  }
  return rc;
}
