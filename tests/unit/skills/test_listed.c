/* SPDX-License-Identifier: MIT */
/* Entries of lists of skills, as a client reads them. */
#include "support/cm.h"

#include "support/failing_alloc.h"
#include <mcp/skills.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ' stands for ". */
static char *quoted(const char *text) {
  char *copy = strdup(text);
  for (char *c = copy; *c != '\0'; c++) {
    *c = *c == '\'' ? '"' : *c;
  }
  return copy;
}

static mcp_skill *read_entry(const char *text, const mcp_allocator *allocator,
                             mcp_error *err) {
  char *json = quoted(text);
  mcp_doc *doc = mcp_doc_parse(json, strlen(json), NULL, NULL, err);
  free(json);
  assert_non_null(doc);
  mcp_skill *skill = mcp_skill_new(mcp_doc_root(doc), allocator, err);
  mcp_doc_free(doc);
  return skill;
}

#define D4 "0123456789abcdef"
#define DIGEST "sha256:" D4 D4 D4 D4
#define FILE_AT(uri, size)                                                     \
  "{'uri':'" uri "','digest':'" DIGEST "','size':" size "}"
#define MAIN FILE_AT("skill://a/SKILL.md", "3")
#define HEAD "{'name':'a','description':'About a','license':'MIT'}"
#define ENTRY(uri, head, files)                                                \
  "{'uri':'" uri "','frontmatter':" head ",'resources':" files "}"
#define LISTS(files) ENTRY("skill://a/SKILL.md", HEAD, "[" MAIN "," files "]")
#define LISTS_ONLY(files) ENTRY("skill://a/SKILL.md", HEAD, files)

/* --- what is right -------------------------------------------------------- */

TEST(an_entry_is_read) {
  mcp_skill *skill =
      read_entry(LISTS(FILE_AT("skill://a/b/c%20d.md", "0")), NULL, NULL);
  assert_string_equal(mcp_skill_uri(skill), "skill://a/SKILL.md");
  assert_string_equal(mcp_skill_name(skill), "a");
  assert_string_equal(mcp_skill_description(skill), "About a");
  assert_string_equal(
      mcp_json_string(mcp_json_get(mcp_skill_frontmatter(skill), "license")),
      "MIT");
  assert_int_equal(mcp_skill_is_dynamic(skill), 0);
  assert_int_equal(mcp_skill_file_count(skill), 2);
  const mcp_skill_file *file = mcp_skill_file_at(skill, 1);
  assert_int_equal(file->size, sizeof(mcp_skill_file));
  assert_string_equal(file->path, "b/c d.md");
  assert_string_equal(file->uri, "skill://a/b/c%20d.md");
  assert_string_equal(file->digest, DIGEST);
  assert_int_equal(file->len, 0);
  assert_null(mcp_skill_file_at(skill, 2));
  assert_ptr_equal(mcp_skill_find(skill, "b/c d.md"), file);
  assert_ptr_equal(mcp_skill_find(skill, "skill://a/b/c%20d.md"), file);
  assert_ptr_equal(mcp_skill_find(skill, NULL), mcp_skill_file_at(skill, 0));
  assert_null(mcp_skill_find(skill, "b"));
  assert_null(mcp_skill_find(skill, ""));
  mcp_skill_free(skill);
}

static void expect_name(const char *text, const char *name) {
  mcp_error err = {0};
  mcp_skill *skill = read_entry(text, NULL, &err);
  if (skill == NULL) {
    fail_msg("%s: %s", text, err.message);
  }
  assert_string_equal(mcp_skill_name(skill), name);
  mcp_skill_free(skill);
}

TEST(a_skill_may_be_anywhere_in_a_server) {
#define AT(folder)                                                             \
  ENTRY(                                                                       \
      folder "/SKILL.md", HEAD,                                                \
      "[" FILE_AT(folder "/SKILL.md", "1") "," FILE_AT(folder "/x", "2") "]")
  expect_name(AT("skill://acme/billing/a"), "a");
  expect_name(AT("github://owner/repo/skills/a"), "a");
  expect_name(AT("file:///srv/skills/a"), "a");
  expect_name(AT("x-y.z+1:/a"), "a");
}

TEST(a_dynamic_skill_lists_no_files) {
  mcp_skill *skill = read_entry(LISTS_ONLY("'dynamic'"), NULL, NULL);
  assert_int_equal(mcp_skill_is_dynamic(skill), 1);
  assert_int_equal(mcp_skill_file_count(skill), 0);
  assert_null(mcp_skill_file_at(skill, 0));
  assert_null(mcp_skill_find(skill, NULL));
  mcp_skill_free(skill);
}

TEST(no_skill_has_nothing) {
  mcp_skill_free(NULL);
  assert_null(mcp_skill_uri(NULL));
  assert_null(mcp_skill_name(NULL));
  assert_null(mcp_skill_description(NULL));
  assert_null(mcp_skill_frontmatter(NULL));
  assert_int_equal(mcp_skill_is_dynamic(NULL), 0);
  assert_int_equal(mcp_skill_file_count(NULL), 0);
  assert_null(mcp_skill_find(NULL, NULL));
}

/* --- what is wrong -------------------------------------------------------- */

static void expect_refused(const char *text, int code, const char *message) {
  mcp_error err = {0};
  mcp_skill *skill = read_entry(text, NULL, &err);
  if (skill != NULL) {
    fail_msg("accepted %s", text);
  }
  assert_string_equal(err.message, message);
  assert_int_equal(err.code, code);
}

#define REFUSED(text, message) expect_refused(text, MCP_ERR_INVALID, message)
/* The message is about the skill at this URI. */
#define BAD(text, message) REFUSED(text, "skill://a/SKILL.md: " message)

TEST(an_entry_is_an_object_with_a_uri) {
#define NO_URI "a skill without uri, a string without NUL"
  mcp_error err = {0};
  REFUSED("[]", "a skill that is not an object");
  REFUSED("{}", NO_URI);
  REFUSED("{'uri':7}", NO_URI);
  REFUSED("{'uri':'skill://a/\\u0000/SKILL.md'}", NO_URI);
  assert_null(mcp_skill_new(NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
}

TEST(the_uri_leads_to_the_skill_md_of_a_folder) {
#define BAD_URI(uri)                                                           \
  REFUSED(ENTRY(uri, HEAD, "'dynamic'"),                                       \
          uri ": the URI is not SCHEME://.../NAME/SKILL.md")
  BAD_URI("skill://a");
  BAD_URI("skill://a/");
  BAD_URI("skill://a/skill.md");
  BAD_URI("skill://a/SKILL.md/");
  BAD_URI("skill://a/SKILL.md?x");
  BAD_URI("skill://a/SKILL.md#x");
  BAD_URI("skill://SKILL.md");
  BAD_URI("skill://a/SKILL%2Emd");
  BAD_URI("skill://b/../a/SKILL.md");
  BAD_URI("skill://b/%2e%2e/a/SKILL.md");
  BAD_URI("skill://b//a/SKILL.md");
  BAD_URI("skill:a/SKILL.md");
  BAD_URI("://a/SKILL.md");
  BAD_URI("1s://a/SKILL.md");
  BAD_URI("a/SKILL.md");
  BAD_URI("/a/SKILL.md");
}

TEST(the_head_has_a_name_and_a_description) {
#define WITH_HEAD(head) ENTRY("skill://a/SKILL.md", head, "'dynamic'")
#define RULE "\" is not valid: 1 to 64 small letters, digits and single hyphens"
  BAD(WITH_HEAD("null"), "frontmatter is not an object");
  BAD(WITH_HEAD("[]"), "frontmatter is not an object");
  BAD(WITH_HEAD("{'description':'x'}"), "the name \"" RULE);
  BAD(WITH_HEAD("{'name':7,'description':'x'}"), "the name \"" RULE);
  BAD(WITH_HEAD("{'name':'../a','description':'x'}"), "the name \"../a" RULE);
  BAD(WITH_HEAD("{'name':'A','description':'x'}"), "the name \"A" RULE);
  BAD(WITH_HEAD("{'name':'b','description':'x'}"),
      "the name \"b\" is not the last part of the folder");
  BAD(WITH_HEAD("{'name':'skill','description':'x'}"),
      "the name \"skill\" is not the last part of the folder");
  BAD(WITH_HEAD("{'name':'a'}"),
      "the description is not a text, or it is empty");
  BAD(WITH_HEAD("{'name':'a','description':''}"),
      "the description is not a text, or it is empty");
  BAD(WITH_HEAD("{'name':'a','description':'\\u0000'}"),
      "the description is not a text, or it is empty");
  REFUSED(ENTRY("skill://xa/SKILL.md", HEAD, "'dynamic'"),
          "skill://xa/SKILL.md: the name \"a\" is not the last part of the "
          "folder");
}

TEST(resources_are_a_list_or_dynamic) {
#define NEITHER "resources is neither an array nor \"dynamic\""
  BAD("{'uri':'skill://a/SKILL.md','frontmatter':" HEAD "}", NEITHER);
  BAD(LISTS_ONLY("null"), NEITHER);
  BAD(LISTS_ONLY("'Dynamic'"), NEITHER);
  BAD(LISTS_ONLY("{}"), NEITHER);
}

TEST(each_file_is_inside_of_the_folder_and_has_a_digest_and_a_size) {
  BAD(LISTS("7"), "it lists a file without uri");
  BAD(LISTS("{'digest':'" DIGEST "','size':1}"), "it lists a file without uri");
#define OUTSIDE(uri)                                                           \
  BAD(LISTS(FILE_AT(uri, "1")),                                                \
      "it lists " uri ", which is not inside its folder")
  OUTSIDE("skill://b/f");
  OUTSIDE("skill://a");
  OUTSIDE("skill://a/../b/f");
  OUTSIDE("skill://a/%2e%2e/b/f");
  OUTSIDE("file:///etc/passwd");
  OUTSIDE("f");
#define NO_DIGEST(digest)                                                      \
  BAD(LISTS("{'uri':'skill://a/f'," digest "'size':1}"),                       \
      "it lists skill://a/f without a digest of \"sha256:\" and 64 small "     \
      "hexadecimal digits")
  NO_DIGEST("");
  NO_DIGEST("'digest':7,");
  NO_DIGEST("'digest':'" D4 D4 D4 D4 "',");
  NO_DIGEST("'digest':'sha256:" D4 D4 D4 "',");
  NO_DIGEST("'digest':'" DIGEST "0',");
  NO_DIGEST("'digest':'sha256:" D4 D4 D4 "0123456789ABCDEF',");
  NO_DIGEST("'digest':'sha512:" D4 D4 D4 D4 "',");
#define NO_SIZE(size)                                                          \
  BAD(LISTS("{'uri':'skill://a/f'," size "'digest':'" DIGEST "'}"),            \
      "it lists skill://a/f without a size in bytes")
  NO_SIZE("");
  NO_SIZE("'size':-1,");
  NO_SIZE("'size':1.5,");
  NO_SIZE("'size':'1',");
  NO_SIZE("'size':99999999999999999999,");
}

TEST(each_file_is_listed_once_and_skill_md_among_them) {
  BAD(LISTS(MAIN), "it lists SKILL.md twice");
  BAD(LISTS(FILE_AT("skill://a/SKILL%2Emd", "1")), "it lists SKILL.md twice");
  BAD(LISTS_ONLY("[]"), "it does not list its SKILL.md");
  BAD(LISTS_ONLY("[" FILE_AT("skill://a/f", "1") "]"),
      "it does not list its SKILL.md");
  BAD(LISTS_ONLY("[" FILE_AT("skill://a/SKILL%2Emd", "1") "]"),
      "it does not list its SKILL.md");
}

static char *many_files(int count) {
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream(&text, &len);
  fputs("{'uri':'skill://a/SKILL.md','frontmatter':" HEAD ",'resources':[" MAIN,
        out);
  for (int i = 1; i < count; i++) {
    fprintf(out, "," FILE_AT("skill://a/%d", "1"), i);
  }
  fputs("]}", out);
  fclose(out);
  return text;
}

TEST(a_skill_has_at_most_512_files) {
  char *most = many_files(512);
  char *more = many_files(513);
  mcp_skill *skill = read_entry(most, NULL, NULL);
  assert_int_equal(mcp_skill_file_count(skill), 512);
  mcp_skill_free(skill);
  expect_refused(more, MCP_ERR_LIMIT,
                 "skill://a/SKILL.md: it has 513 files, more than 512");
  free(more);
  free(most);
}

TEST(the_files_have_at_most_16_mib) {
  static const char *const too_large[] = {
      LISTS(FILE_AT("skill://a/f", "16777214")),
      LISTS(FILE_AT("skill://a/f", "9223372036854775807")),
      LISTS(FILE_AT("skill://a/f", "9223372036854775807") "," FILE_AT(
          "skill://a/g", "9223372036854775807")),
  };
  expect_name(LISTS(FILE_AT("skill://a/f", "16777213")), "a");
  for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++) {
    expect_refused(too_large[i], MCP_ERR_LIMIT,
                   "skill://a/SKILL.md: its files have more than 16777216 "
                   "bytes together");
  }
}

/* --- memory --------------------------------------------------------------- */

static int read_all(const mcp_allocator *allocator, void *userdata) {
  mcp_error err;
  (void)userdata;
  mcp_skill *skill =
      read_entry(LISTS(FILE_AT("skill://a/f", "1")), allocator, &err);
  mcp_skill_free(skill);
  return skill != NULL ? 0 : err.code;
}

TEST(an_entry_without_memory_is_no_skill) {
  failing_alloc_rerun_least(8, read_all, NULL);
}
