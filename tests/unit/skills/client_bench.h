/* SPDX-License-Identifier: MIT */
/* A client that is connected to a server with skills, and skills of it. */
#ifndef TESTS_UNIT_SKILLS_CLIENT_BENCH_H
#define TESTS_UNIT_SKILLS_CLIENT_BENCH_H

#include "skills/skill.h"
#include "unit/client/kit.h"
#include <mcp/skills.h>

#define META "\"_meta\":{" META_FOR("{}") "}"
#define CAN(settings)                                                          \
  "{\"resources\":{},\"extensions\":{\"" MCP_SKILLS_EXTENSION "\":" settings   \
  "}}"
#define HELLO(can)                                                             \
  RESULT("1", "{\"resultType\":\"complete\",\"supportedVersions\":"            \
              "[" MODERN_NAMES "],\"capabilities\":" can "}")
#define CACHED ",\"ttlMs\":60000,\"cacheScope\":\"private\"}"

#define TEXT "---\nname: a\ndescription: About a\n---\n# T"
#define TEXT_JSON "---\\nname: a\\ndescription: About a\\n---\\n# T"
#define HEAD "{\"name\":\"a\",\"description\":\"About a\"}"
#define MAIN_URI "skill://a/SKILL.md"

static inline void connect_to(kit *k, const char *hello) {
  mcp_client_options options = options_of(k);
  connect_with(k, &options);
  expect(k, PROBE);
  say(k, hello);
  assert_int_equal(k->connected.status, 0);
}

/* --- skills --------------------------------------------------------------- */

/* An entry as JSON. `len` and `digest` are of SKILL.md; a file "f" follows. */
static inline void put_entry(char out[1000], const char *head,
                             const char *bytes, size_t len) {
  char digest[MCPI_DIGEST_SIZE];
  char other[MCPI_DIGEST_SIZE];
  mcpi_skill_digest(digest, bytes, strlen(bytes));
  mcpi_skill_digest(other, "\0x", 2);
  snprintf(out, 1000,
           "{\"uri\":\"" MAIN_URI "\",\"frontmatter\":%s,\"resources\":["
           "{\"uri\":\"" MAIN_URI "\",\"digest\":\"%s\",\"size\":%zu},"
           "{\"uri\":\"skill://a/f\",\"digest\":\"%s\",\"size\":2}]}",
           head, digest, len, other);
}

static inline mcp_skill *skill_of(const char *entry) {
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(entry, strlen(entry), NULL, NULL, &err);
  assert_non_null(doc);
  mcp_skill *skill = mcp_skill_new(mcp_doc_root(doc), NULL, &err);
  if (skill == NULL) {
    fail_msg("%s", err.message);
  }
  mcp_doc_free(doc);
  return skill;
}

/* The skill whose SKILL.md is TEXT. */
static inline mcp_skill *right_skill(void) {
  char entry[1000];
  put_entry(entry, HEAD, TEXT, strlen(TEXT));
  return skill_of(entry);
}

static inline mcp_skill *dynamic_skill(void) {
  return skill_of("{\"uri\":\"" MAIN_URI "\",\"frontmatter\":" HEAD
                  ",\"resources\":\"dynamic\"}");
}

static inline void keep_result(mcp_client *client, const mcp_outcome *outcome,
                               void *userdata) {
  kit *k = userdata;
  mcp_result_unref(k->kept);
  k->kept = mcp_result_ref(outcome->result);
}

#define CONTENTS(item) "{\"contents\":[" item "]}"
#define FILE_TEXT(uri, text) "{\"uri\":\"" uri "\",\"text\":\"" text "\"}"
#define READ(id, uri)                                                          \
  REQUEST(id, "resources/read", "{\"uri\":\"" uri "\"," META "}")

static inline void start_read(kit *k, const mcp_skill *skill, const char *file,
                              ending *e) {
  mcp_error err = {0};
  int rc =
      mcp_client_read_skill(k->client, skill, file, NULL, on_done, e, &err);
  if (rc != 0) {
    fail_msg("%s", err.message);
  }
}

/* Reads a file; the server answers with this result. `id` is the request's. */

#endif
