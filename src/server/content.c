/* SPDX-License-Identifier: MIT */
/* Content, icons and annotations as JSON (MCP, Tools: Tool Result; MCP, Schema
 * Reference). */
#include "server/content.h"

#include "base/apart.h"
#include "base/widen.h"
#include "schema/say.h"
#include "server/members.h"
#include "json/write.h"

#include <math.h>

/* --- checks ------------------------------------------------------------- */

int mcpi_text_check(const char *member, const char *text, mcp_error *err) {
  mcpi_str string = mcpi_str_z(text);
  size_t valid = mcpi_utf8_valid_prefix(string.ptr, string.len);
  if (valid < string.len) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is not UTF-8 at byte %zu",
                         member, valid);
  }
  return 0;
}

static int is_empty(const char *text) {
  return text == NULL || text[0] == '\0';
}

static int check_needed(const char *member, const char *text, mcp_error *err) {
  if (is_empty(text)) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is required", member);
  }
  return 0;
}

static int starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Whether RFC 3986 allows the character in a URI. Its place is not checked. */
static int is_uri_char(char c) {
  return c > ' ' && c < 0x7F && strchr("\"<>\\^`{|}", c) == NULL;
}

static int content_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t scheme_len(const char *uri) {
  static const char chars[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  return content_is_letter(uri[0]) ? strspn(uri, chars) : 0;
}

int mcpi_uri_check(const char *member, const char *uri, mcp_error *err) {
  int rc = check_needed(member, uri, err);
  if (rc != 0) {
    return rc;
  }
  size_t scheme = scheme_len(uri);
  size_t at = 0;
  while (is_uri_char(uri[at])) {
    at++;
  }
  int has_scheme = scheme > 0 && uri[scheme] == ':';
  if (!has_scheme || uri[at] != '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s \"%s\" is not a URI%s",
                         member, uri,
                         has_scheme ? ""
                                    : ": it must begin with a scheme, such as "
                                      "file://");
  }
  return 0;
}

/* printf's %g writes a comma in some locales. */
MCPI_APART static int refuse_priority(double priority, mcp_error *err) {
  mcpi_sentence number;
  if (!isfinite(priority)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "annotations.priority is not a finite number");
  }
  mcpi_sentence_init(&number);
  mcpi_json_put_number(&number.buf, priority);
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "annotations.priority %.*s is not 0 to 1",
                       (int)number.buf.len, number.buf.data);
}

static int annotations_check(const mcp_annotations *annotations,
                             mcp_error *err) {
  const uint32_t known = MCP_ROLE_USER | MCP_ROLE_ASSISTANT;
  if ((annotations->audience & ~known) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "annotations.audience %lu has unknown bits",
                         (unsigned long)annotations->audience);
  }
  /* Written so that NaN fails too. */
  if (annotations->has_priority &&
      !(annotations->priority >= 0 && annotations->priority <= 1)) {
    return refuse_priority(annotations->priority, err);
  }
  return mcpi_text_check("annotations.lastModified", annotations->last_modified,
                         err);
}

int mcpi_annotations_widen(const mcp_annotations **annotations,
                           mcp_annotations *whole, mcp_error *err) {
  if (*annotations == NULL) {
    return 0;
  }
  int rc =
      mcpi_widen(whole, sizeof(*whole), *annotations, "mcp_annotations", err);
  if (rc == 0) {
    rc = annotations_check(whole, err);
  }
  if (rc == 0) {
    *annotations = whole;
  }
  return rc;
}

static int check_icon_texts(const mcp_icon *icon, mcp_error *err) {
  int rc = mcpi_text_check("icons.src", icon->src, err);
  if (rc == 0) {
    rc = mcpi_text_check("icons.mimeType", icon->mime_type, err);
  }
  if (rc == 0) {
    rc = mcpi_text_check("icons.sizes", icon->sizes, err);
  }
  return rc;
}

static int check_icon(const mcp_icon *icon, mcp_error *err) {
  int rc = check_needed("icons.src", icon->src, err);
  if (rc != 0) {
    return rc;
  }
  if (!starts_with(icon->src, "https:") && !starts_with(icon->src, "data:")) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "icons.src \"%s\" is not an https: or data: URI",
                         icon->src);
  }
  if (icon->theme != NULL && strcmp(icon->theme, "light") != 0 &&
      strcmp(icon->theme, "dark") != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "icons.theme \"%s\" is not light or dark",
                         icon->theme);
  }
  if (mcpi_has_reserved(icon->reserved)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "icons.reserved is not NULL in \"%s\"", icon->src);
  }
  return check_icon_texts(icon, err);
}

int mcpi_icons_check(const mcp_icon *icons, size_t count, mcp_error *err) {
  if (icons == NULL && count > 0) {
    return mcp_error_set(err, MCP_ERR_INVALID, "icons is NULL, icon_count %zu",
                         count);
  }
  int rc = 0;
  for (size_t i = 0; i < count && rc == 0; i++) {
    rc = check_icon(&icons[i], err);
  }
  return rc;
}

/* Checks texts that become members of type string. */
static int content_check_texts(const mcp_content *content, mcp_error *err) {
  const struct {
    const char *member;
    const char *text;
  } texts[] = {
      {"text", content->text},          {"uri", content->uri},
      {"mimeType", content->mime_type}, {"name", content->name},
      {"title", content->title},        {"description", content->description}};
  int rc = 0;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == 0; i++) {
    rc = mcpi_text_check(texts[i].member, texts[i].text, err);
  }
  return rc;
}

/* Images and audio. */
static int check_media(const mcp_content *content, mcp_error *err) {
  if (content->data == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "data is required");
  }
  if (is_empty(content->mime_type) || strchr(content->mime_type, '/') == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "mimeType \"%s\" is not a MIME type",
                         content->mime_type != NULL ? content->mime_type : "");
  }
  return 0;
}

static int check_resource(const mcp_content *content, mcp_error *err) {
  if ((content->text == NULL) == (content->data == NULL)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "a resource has either text or data");
  }
  return mcpi_uri_check("uri", content->uri, err);
}

static int check_link(const mcp_content *content, mcp_error *err) {
  int rc = mcpi_uri_check("uri", content->uri, err);
  return rc != 0 ? rc : check_needed("name", content->name, err);
}

static int content_check_type(const mcp_content *content, mcp_error *err) {
  switch (content->type) {
  case MCP_CONTENT_TEXT:
    if (content->text == NULL) {
      return mcp_error_set(err, MCP_ERR_INVALID, "text is required");
    }
    return 0;
  case MCP_CONTENT_IMAGE:
  case MCP_CONTENT_AUDIO:
    return check_media(content, err);
  case MCP_CONTENT_RESOURCE:
    return check_resource(content, err);
  case MCP_CONTENT_RESOURCE_LINK:
    return check_link(content, err);
  default:
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "content.type %d is not one of MCP_CONTENT_*",
                         (int)content->type);
  }
}

static int content_check_content(const mcp_content *content, mcp_error *err) {
  int rc = content_check_type(content, err);
  if (rc == 0) {
    rc = content_check_texts(content, err);
  }
  if (rc == 0) {
    rc = mcpi_icons_check(content->icons, content->icon_count, err);
  }
  return rc;
}

/* --- annotations and icons ---------------------------------------------- */

static const char *last_modified(const mcp_annotations *annotations,
                                 const mcpi_revision *revision) {
  return mcpi_revision_has(revision, MCPI_HAS_TITLE)
             ? annotations->last_modified
             : NULL;
}

int mcpi_annotations_any(const mcp_annotations *annotations,
                         const mcpi_revision *revision) {
  return annotations != NULL &&
         (annotations->audience != 0 || annotations->has_priority ||
          last_modified(annotations, revision) != NULL);
}

static void put_audience(uint32_t audience, mcpi_buf *out) {
  mcpi_put_name(out, "audience");
  if (audience == MCP_ROLE_USER) {
    mcpi_buf_lit(out, "[\"user\"]");
  } else if (audience == MCP_ROLE_ASSISTANT) {
    mcpi_buf_lit(out, "[\"assistant\"]");
  } else {
    mcpi_buf_lit(out, "[\"user\",\"assistant\"]");
  }
}

void mcpi_annotations_put(const mcp_annotations *annotations,
                          const mcpi_revision *revision, mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  if (annotations->audience != 0) {
    put_audience(annotations->audience, out);
  }
  if (annotations->has_priority) {
    mcpi_put_name(out, "priority");
    mcpi_json_put_number(out, annotations->priority);
  }
  mcpi_put_string_member(out, "lastModified",
                         last_modified(annotations, revision));
  mcpi_buf_putc(out, '}');
}

/* "48x48 96x96" becomes ["48x48","96x96"]. */
static void content_put_sizes(const char *sizes, mcpi_buf *out) {
  mcpi_put_name(out, "sizes");
  mcpi_buf_putc(out, '[');
  const char *comma = "";
  for (;;) {
    sizes += strspn(sizes, " ");
    size_t len = strcspn(sizes, " ");
    if (len == 0) {
      break;
    }
    mcpi_buf_puts(out, mcpi_str_z(comma));
    mcpi_json_put_string(out, mcpi_str_n(sizes, len));
    sizes += len;
    comma = ",";
  }
  mcpi_buf_putc(out, ']');
}

static void content_put_icon(const mcp_icon *icon, mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "src", icon->src);
  mcpi_put_string_member(out, "mimeType", icon->mime_type);
  if (icon->sizes != NULL) {
    content_put_sizes(icon->sizes, out);
  }
  mcpi_put_string_member(out, "theme", icon->theme);
  mcpi_buf_putc(out, '}');
}

void mcpi_icons_put(const mcp_icon *icons, size_t count, mcpi_buf *out) {
  mcpi_buf_putc(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) {
      mcpi_buf_putc(out, ',');
    }
    content_put_icon(&icons[i], out);
  }
  mcpi_buf_putc(out, ']');
}

/* --- content ------------------------------------------------------------ */

static void put_blob(const char *member, const mcp_content *content,
                     mcpi_buf *out) {
  mcpi_put_name(out, member);
  mcpi_json_put_base64(out, content->data, content->data_len);
}

static void put_media(const char *type, const mcp_content *content,
                      mcpi_buf *out) {
  mcpi_put_string_member(out, "type", type);
  put_blob("data", content, out);
  mcpi_put_string_member(out, "mimeType", content->mime_type);
}

static void content_put_resource(const mcp_content *content, const char *uri,
                                 mcpi_buf *out) {
  mcpi_buf_lit(out, "\"type\":\"resource\",\"resource\":{");
  mcpi_put_string_member(out, "uri", uri);
  mcpi_put_string_member(out, "mimeType", content->mime_type);
  if (content->text != NULL) {
    mcpi_put_string_member(out, "text", content->text);
  } else {
    put_blob("blob", content, out);
  }
  mcpi_buf_putc(out, '}');
}

static void put_audio(const mcp_content *content, const mcpi_revision *revision,
                      mcpi_buf *out) {
  if (mcpi_revision_has(revision, MCPI_HAS_AUDIO)) {
    put_media("audio", content, out);
    return;
  }
  /* A resource needs a URI, and this one has none */
  content_put_resource(content, "about:audio", out);
}

static void put_link(const mcp_content *content, const mcpi_revision *revision,
                     mcpi_buf *out) {
  mcpi_buf_lit(out, "\"type\":\"resource_link\"");
  mcpi_put_string_member(out, "uri", content->uri);
  mcpi_put_string_member(out, "name", content->name);
  mcpi_put_string_member(out, "title", content->title);
  mcpi_put_string_member(out, "description", content->description);
  if (content->icon_count > 0 && mcpi_revision_has(revision, MCPI_HAS_ICONS)) {
    mcpi_put_name(out, "icons");
    mcpi_icons_put(content->icons, content->icon_count, out);
  }
  mcpi_put_string_member(out, "mimeType", content->mime_type);
  if (content->resource_size > 0) {
    mcpi_put_uint_member(out, "size", content->resource_size);
  }
}

/* For a client that does not know links: Report <file:///report.txt> */
static void put_link_as_text(const mcp_content *content, mcpi_buf *out) {
  const char *title = content->title != NULL ? content->title : content->name;
  mcpi_buf_lit(out, "\"type\":\"text\",\"text\":");
  mcpi_json_put_string(out, mcpi_str_z(title));
  if (out->error == 0) {
    mcpi_buf_rewind(out, out->len - 1); /* the quote: the string goes on */
  }
  mcpi_buf_lit(out, " <");
  mcpi_buf_puts(out, mcpi_str_z(content->uri)); /* nothing to escape in it */
  mcpi_buf_lit(out, ">\"");
}

static void put_type(const mcp_content *content, const mcpi_revision *revision,
                     mcpi_buf *out) {
  switch (content->type) {
  case MCP_CONTENT_TEXT:
    mcpi_buf_lit(out, "\"type\":\"text\"");
    mcpi_put_string_member(out, "text", content->text);
    break;
  case MCP_CONTENT_IMAGE:
    put_media("image", content, out);
    break;
  case MCP_CONTENT_AUDIO:
    put_audio(content, revision, out);
    break;
  case MCP_CONTENT_RESOURCE:
    content_put_resource(content, content->uri, out);
    break;
  default:
    if (mcpi_revision_has(revision, MCPI_HAS_RESOURCE_LINK)) {
      put_link(content, revision, out);
    } else {
      put_link_as_text(content, out);
    }
    break;
  }
}

int mcpi_object_put(const char *member, const char *json, mcpi_buf *out,
                    mcp_error *err) {
  mcp_error why = {0};
  size_t from = out->len;
  int rc = mcpi_json_put_text(out, mcpi_str_z(json), &why);
  if (rc != 0) {
    return mcp_error_set(err, rc, "%s: %s", member, why.message);
  }
  if (out->data[from] != '{') {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is not an object: %s",
                         member, json);
  }
  return 0;
}

/* The check is the same for every client; the member is kept only for clients
 * that know it. */
static int content_put_meta(const char *meta, const mcpi_revision *revision,
                            mcpi_buf *out, mcp_error *err) {
  size_t from = out->len;
  mcpi_put_name(out, "_meta");
  int rc = mcpi_object_put("_meta", meta, out, err);
  if (rc == 0 && !mcpi_revision_has(revision, MCPI_HAS_TITLE)) {
    mcpi_buf_rewind(out, from);
  }
  return rc;
}

static int put_checked(const mcp_content *content,
                       const mcpi_revision *revision, mcpi_buf *out,
                       mcp_error *err) {
  mcpi_buf_putc(out, '{');
  put_type(content, revision, out);
  if (mcpi_annotations_any(content->annotations, revision)) {
    mcpi_put_name(out, "annotations");
    mcpi_annotations_put(content->annotations, revision, out);
  }
  int rc = out->error;
  if (rc == 0 && content->meta != NULL) {
    rc = content_put_meta(content->meta, revision, out, err);
  }
  mcpi_buf_putc(out, '}');
  return rc != 0 ? rc : out->error;
}

int mcpi_content_put(const mcp_content *content, const mcpi_revision *revision,
                     mcpi_buf *out, mcp_error *err) {
  mcp_content whole;
  mcp_annotations annotations;
  int rc = mcpi_widen(&whole, sizeof(whole), content, "mcp_content", err);
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_content.reserved", whole.reserved, err);
  }
  if (rc == 0) {
    rc = content_check_content(&whole, err);
  }
  if (rc == 0) {
    rc = mcpi_annotations_widen(&whole.annotations, &annotations, err);
  }
  if (rc != 0) {
    return rc;
  }
  size_t from = out->len;
  rc = put_checked(&whole, revision, out, err);
  if (rc != 0 && out->error == 0) {
    mcpi_buf_rewind(out, from);
  }
  return rc;
}
