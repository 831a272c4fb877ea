/* SPDX-License-Identifier: MIT */
#include "core/extension_id.h"

#include "base/alloc.h"
#include "base/str.h"

static int extension_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_alphanumeric(char c) {
  return extension_is_letter(c) || (c >= '0' && c <= '9');
}

/* Whether the text begins and ends with a letter or digit, and has only those
 * and the characters of `more` inside. */
static int is_made_of(mcpi_str text, const char *more) {
  if (text.len == 0 || !is_alphanumeric(text.ptr[0]) ||
      !is_alphanumeric(text.ptr[text.len - 1])) {
    return 0;
  }
  for (size_t i = 0; i < text.len; i++) {
    if (!is_alphanumeric(text.ptr[i]) && strchr(more, text.ptr[i]) == NULL) {
      return 0;
    }
  }
  return 1;
}

static int is_prefix(mcpi_str prefix) {
  const char *end = prefix.ptr + prefix.len;
  for (const char *label = prefix.ptr; label <= end;) {
    const char *dot = memchr(label, '.', (size_t)(end - label));
    size_t len = (size_t)((dot != NULL ? dot : end) - label);
    if (!is_made_of(mcpi_str_n(label, len), "-") ||
        !extension_is_letter(label[0])) {
      return 0;
    }
    label += len + 1;
  }
  return 1;
}

int mcpi_extension_id_check(const char *id, mcp_error *err) {
  const char *slash = id != NULL ? strchr(id, '/') : NULL;
  if (id == NULL || id[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID, "extension: id is missing");
  }
  if (slash == NULL || !is_prefix(mcpi_str_n(id, (size_t)(slash - id))) ||
      !is_made_of(mcpi_str_z(slash + 1), "-_.")) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "extension \"%s\": the id must have a prefix and a "
                         "name, such as \"com.example/reports\"",
                         id);
  }
  return 0;
}

int mcpi_extension_path(char **out, const char *id,
                        const mcp_allocator *allocator) {
  static const char prefix[] = "extensions.";
  size_t len = strlen(id);
  char *path = mcpi_alloc(allocator, sizeof(prefix) + len);
  if (path == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(path, prefix, sizeof(prefix) - 1);
  memcpy(path + sizeof(prefix) - 1, id, len + 1);
  *out = path;
  return 0;
}
