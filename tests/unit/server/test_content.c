/* SPDX-License-Identifier: MIT */
#include "server/content.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <math.h>
#include <mcp/error.h>

/* The content as a revision's JSON. Static; overwritten by the next call. */
static const char *put(const mcp_content *content, int revision) {
  static char text[1024];
  mcpi_buf buf;
  mcp_error err = {0};
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_content_put(content, &mcpi_revisions[revision], &buf, &err);
  assert_string_equal(err.message, "");
  assert_int_equal(rc, 0);
  assert_true(buf.len < sizeof(text));
  memcpy(text, buf.data, buf.len);
  text[buf.len] = '\0';
  mcpi_buf_deinit(&buf);
  return text;
}

static void assert_refused(const mcp_content *content, int code,
                           const char *message) {
  mcpi_buf buf;
  mcp_error err = {0};
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_lit(&buf, "before");
  assert_int_equal(mcpi_content_put(content,
                                    &mcpi_revisions[MCPI_REVISION_2026_07_28],
                                    &buf, &err),
                   code);
  assert_string_equal(err.message, message);
  assert_int_equal(buf.len, 6);
  assert_int_equal(buf.error, 0);
  mcpi_buf_deinit(&buf);
}

static mcp_content text_content(const char *text) {
  return (mcp_content){
      .size = sizeof(mcp_content), .type = MCP_CONTENT_TEXT, .text = text};
}

static mcp_content media(int32_t type, const char *mime_type) {
  return (mcp_content){.size = sizeof(mcp_content),
                       .type = type,
                       .data = "abc",
                       .data_len = 3,
                       .mime_type = mime_type};
}

static mcp_content a_link(void) {
  return (mcp_content){.size = sizeof(mcp_content),
                       .type = MCP_CONTENT_RESOURCE_LINK,
                       .uri = "file:///r.txt",
                       .name = "r"};
}

/* --- kinds -------------------------------------------------------------- */

TEST(text_is_escaped) {
  mcp_content content = text_content("a\"b\n\xC3\xA9");
  assert_string_equal(put(&content, MCPI_REVISION_2024_11_05),
                      "{\"type\":\"text\",\"text\":\"a\\\"b\\n\xC3\xA9\"}");
  content = text_content("");
  assert_string_equal(put(&content, MCPI_REVISION_2026_07_28),
                      "{\"type\":\"text\",\"text\":\"\"}");
}

TEST(media_go_as_base64) {
  mcp_content content = media(MCP_CONTENT_IMAGE, "image/png");
  assert_string_equal(
      put(&content, MCPI_REVISION_2024_11_05),
      "{\"type\":\"image\",\"data\":\"YWJj\",\"mimeType\":\"image/png\"}");
  content = media(MCP_CONTENT_AUDIO, "audio/wav");
  assert_string_equal(
      put(&content, MCPI_REVISION_2025_03_26),
      "{\"type\":\"audio\",\"data\":\"YWJj\",\"mimeType\":\"audio/wav\"}");
}

TEST(the_first_revision_gets_audio_as_a_resource) {
  mcp_content content = media(MCP_CONTENT_AUDIO, "audio/wav");
  assert_string_equal(put(&content, MCPI_REVISION_2024_11_05),
                      "{\"type\":\"resource\",\"resource\":{"
                      "\"uri\":\"about:audio\",\"mimeType\":\"audio/wav\","
                      "\"blob\":\"YWJj\"}}");
}

TEST(resources_have_text_or_data) {
  mcp_content content = {.size = sizeof(mcp_content),
                         .type = MCP_CONTENT_RESOURCE,
                         .uri = "file:///a",
                         .text = "hello"};
  assert_string_equal(put(&content, MCPI_REVISION_2025_11_25),
                      "{\"type\":\"resource\",\"resource\":{"
                      "\"uri\":\"file:///a\",\"text\":\"hello\"}}");
  content.text = NULL;
  content.data = "";
  content.mime_type = "application/octet-stream";
  assert_string_equal(
      put(&content, MCPI_REVISION_2025_11_25),
      "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a\","
      "\"mimeType\":\"application/octet-stream\",\"blob\":\"\"}}");
}

TEST(links_have_all_their_members) {
  const mcp_icon icons[] = {{.src = "https://x/y.png",
                             .mime_type = "image/png",
                             .sizes = " 48x48  96x96 ",
                             .theme = "dark"},
                            {.src = "data:,"}};
  mcp_content content = a_link();
  content.title = "The report";
  content.description = "of today";
  content.mime_type = "text/plain";
  content.resource_size = 12;
  content.icons = icons;
  content.icon_count = 2;
  assert_string_equal(
      put(&content, MCPI_REVISION_2025_11_25),
      "{\"type\":\"resource_link\",\"uri\":\"file:///r.txt\",\"name\":\"r\","
      "\"title\":\"The report\",\"description\":\"of today\",\"icons\":["
      "{\"src\":\"https://x/y.png\",\"mimeType\":\"image/png\","
      "\"sizes\":[\"48x48\",\"96x96\"],\"theme\":\"dark\"},"
      "{\"src\":\"data:,\"}],\"mimeType\":\"text/plain\",\"size\":12}");
  assert_string_equal(
      put(&content, MCPI_REVISION_2025_06_18),
      "{\"type\":\"resource_link\",\"uri\":\"file:///r.txt\",\"name\":\"r\","
      "\"title\":\"The report\",\"description\":\"of today\","
      "\"mimeType\":\"text/plain\",\"size\":12}");
}

TEST(older_revisions_get_links_as_text) {
  mcp_content content = a_link();
  assert_string_equal(put(&content, MCPI_REVISION_2025_03_26),
                      "{\"type\":\"text\",\"text\":\"r <file:///r.txt>\"}");
  content.title = "\"T\"";
  assert_string_equal(
      put(&content, MCPI_REVISION_2024_11_05),
      "{\"type\":\"text\",\"text\":\"\\\"T\\\" <file:///r.txt>\"}");
}

TEST(annotations_and_meta_follow_the_revision) {
  const mcp_annotations annotations = {.size = sizeof(mcp_annotations),
                                       .audience =
                                           MCP_ROLE_USER | MCP_ROLE_ASSISTANT,
                                       .has_priority = 1,
                                       .priority = 0.5,
                                       .last_modified = "2026-01-02T03:04:05Z"};
  mcp_content content = text_content("x");
  content.annotations = &annotations;
  content.meta = " {\n\"a/b\": 1}\n";
  assert_string_equal(
      put(&content, MCPI_REVISION_2025_06_18),
      "{\"type\":\"text\",\"text\":\"x\",\"annotations\":{"
      "\"audience\":[\"user\",\"assistant\"],\"priority\":0.5,"
      "\"lastModified\":\"2026-01-02T03:04:05Z\"},\"_meta\":{\"a/b\": 1}}");
  assert_string_equal(
      put(&content, MCPI_REVISION_2025_03_26),
      "{\"type\":\"text\",\"text\":\"x\",\"annotations\":{"
      "\"audience\":[\"user\",\"assistant\"],\"priority\":0.5}}");
}

TEST(empty_annotations_are_left_out) {
  mcp_annotations annotations = {.size = sizeof(mcp_annotations),
                                 .last_modified = "2026-01-02"};
  mcp_content content = text_content("x");
  content.annotations = &annotations;
  assert_string_equal(put(&content, MCPI_REVISION_2025_03_26),
                      "{\"type\":\"text\",\"text\":\"x\"}");
  annotations = (mcp_annotations){.size = sizeof(mcp_annotations),
                                  .audience = MCP_ROLE_ASSISTANT};
  assert_string_equal(put(&content, MCPI_REVISION_2025_03_26),
                      "{\"type\":\"text\",\"text\":\"x\","
                      "\"annotations\":{\"audience\":[\"assistant\"]}}");
}

/* --- refusals ----------------------------------------------------------- */

TEST(the_type_and_its_members_are_checked) {
  mcp_content content = text_content(NULL);
  assert_refused(&content, MCP_ERR_INVALID, "text is required");
  content.type = 0;
  assert_refused(&content, MCP_ERR_INVALID,
                 "content.type 0 is not one of MCP_CONTENT_*");
  content.size = 0;
  assert_refused(
      &content, MCP_ERR_INVALID,
      "mcp_content has no size: set its member size to sizeof(mcp_content)");
  assert_refused(NULL, MCP_ERR_INVALID, "mcp_content is NULL");
  content = media(MCP_CONTENT_IMAGE, NULL);
  assert_refused(&content, MCP_ERR_INVALID, "mimeType \"\" is not a MIME type");
  content = media(MCP_CONTENT_AUDIO, "wav");
  assert_refused(&content, MCP_ERR_INVALID,
                 "mimeType \"wav\" is not a MIME type");
  content.data = NULL;
  assert_refused(&content, MCP_ERR_INVALID, "data is required");
  content = a_link();
  content.name = "";
  assert_refused(&content, MCP_ERR_INVALID, "name is required");
  content.uri = NULL;
  assert_refused(&content, MCP_ERR_INVALID, "uri is required");
  content.type = MCP_CONTENT_RESOURCE;
  assert_refused(&content, MCP_ERR_INVALID,
                 "a resource has either text or data");
}

TEST(uris_are_checked) {
  static const char *const bad[] = {"a",    ":x",     "1a:x",      "a b:c",
                                    "a:\"", "a:\x7F", "a:\xC3\xA9"};
  static const char *const good[] = {"a:", "file:///", "x+y-1.z:?#[]%41"};
  mcp_error err;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(mcpi_uri_check("uri", bad[i], &err), MCP_ERR_INVALID);
  }
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_int_equal(mcpi_uri_check("uri", good[i], &err), 0);
  }
  mcpi_uri_check("uri", "not a uri", &err);
  assert_string_equal(err.message, "uri \"not a uri\" is not a URI: it must "
                                   "begin with a scheme, such as file://");
  mcpi_uri_check("uri", "x:a b", &err);
  assert_string_equal(err.message, "uri \"x:a b\" is not a URI");
}

TEST(texts_are_utf8) {
  mcp_content content = text_content("ab\xFF");
  assert_refused(&content, MCP_ERR_INVALID, "text is not UTF-8 at byte 2");
  content = a_link();
  content.description = "\xC3";
  assert_refused(&content, MCP_ERR_INVALID,
                 "description is not UTF-8 at byte 0");
}

TEST(meta_is_an_object) {
  mcp_content content = text_content("x");
  content.meta = "[1]";
  assert_refused(&content, MCP_ERR_INVALID, "_meta is not an object: [1]");
}

TEST(meta_is_json) {
  mcp_content content = text_content("x");
  mcpi_buf buf;
  mcp_error err;
  content.meta = "{";
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(mcpi_content_put(&content,
                                    &mcpi_revisions[MCPI_REVISION_2024_11_05],
                                    &buf, &err),
                   MCP_ERR_PARSE);
  assert_memory_equal(err.message, "_meta: ", 7);
  assert_int_equal(buf.len, 0);
  mcpi_buf_deinit(&buf);
}

TEST(a_reserved_member_must_be_zero) {
  mcp_content content = text_content("x");
  content.reserved = 7;
  assert_refused(&content, MCP_ERR_INVALID,
                 "mcp_content.reserved is 7, but a reserved member must be 0");
}

TEST(annotations_are_checked) {
  mcp_annotations annotations = {
      .size = sizeof(mcp_annotations), .has_priority = 1, .priority = 1.5};
  mcp_content content = text_content("x");
  content.annotations = &annotations;
  assert_refused(&content, MCP_ERR_INVALID,
                 "annotations.priority 1.5 is not 0 to 1");
  annotations.priority = NAN;
  assert_refused(&content, MCP_ERR_INVALID,
                 "annotations.priority is not a finite number");
  annotations =
      (mcp_annotations){.size = sizeof(mcp_annotations), .audience = 4};
  assert_refused(&content, MCP_ERR_INVALID,
                 "annotations.audience 4 has unknown bits");
  annotations = (mcp_annotations){.size = sizeof(mcp_annotations),
                                  .last_modified = "\xFF"};
  assert_refused(&content, MCP_ERR_INVALID,
                 "annotations.lastModified is not UTF-8 at byte 0");
  annotations = (mcp_annotations){.size = 0, .audience = MCP_ROLE_USER};
  assert_refused(&content, MCP_ERR_INVALID,
                 "mcp_annotations has no size: set its member size to "
                 "sizeof(mcp_annotations)");
}

/* Those of a program that was compiled when last_modified did not exist. */
TEST(older_annotations_are_accepted) {
  const mcp_annotations annotations = {
      .size = offsetof(mcp_annotations, last_modified),
      .has_priority = 1,
      .priority = 0.5,
      .last_modified = "\xFF"};
  mcp_content content = text_content("x");
  content.annotations = &annotations;
  assert_string_equal(put(&content, MCPI_REVISION_2025_11_25),
                      "{\"type\":\"text\",\"text\":\"x\","
                      "\"annotations\":{\"priority\":0.5}}");
}

TEST(icons_are_checked) {
  mcp_error err;
  mcp_icon icon = {.src = "http://x"};
  assert_int_equal(mcpi_icons_check(&icon, 1, &err), MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "icons.src \"http://x\" is not an https: or data: URI");
  icon = (mcp_icon){.src = "data:,", .theme = "grey"};
  assert_int_equal(mcpi_icons_check(&icon, 1, &err), MCP_ERR_INVALID);
  assert_string_equal(err.message, "icons.theme \"grey\" is not light or dark");
  icon = (mcp_icon){.src = NULL};
  assert_int_equal(mcpi_icons_check(&icon, 1, &err), MCP_ERR_INVALID);
  assert_string_equal(err.message, "icons.src is required");
  for (size_t i = 0; i < 2; i++) {
    icon = (mcp_icon){.src = "data:,"};
    icon.reserved[i] = &icon;
    assert_int_equal(mcpi_icons_check(&icon, 1, &err), MCP_ERR_INVALID);
    assert_string_equal(err.message,
                        "icons.reserved is not NULL in \"data:,\"");
  }
  assert_int_equal(mcpi_icons_check(NULL, 1, &err), MCP_ERR_INVALID);
  assert_int_equal(mcpi_icons_check(NULL, 0, &err), 0);
}

/* --- memory ------------------------------------------------------------- */

static int put_everything(const mcp_allocator *allocator, void *userdata) {
  mcp_content content = a_link();
  mcpi_buf buf;
  char meta[2003]; /* too long to be checked on the stack */
  memset(meta, ' ', sizeof(meta));
  meta[0] = '{';
  memcpy(meta + sizeof(meta) - 2, "}", 2);
  content.meta = meta;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  int rc = mcpi_content_put(&content, &mcpi_revisions[MCPI_REVISION_2026_07_28],
                            &buf, NULL);
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(failing_memory_is_reported) {
  assert_true(failing_alloc_rerun(put_everything, NULL) >= 1);
}
