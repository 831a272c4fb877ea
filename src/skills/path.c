/* SPDX-License-Identifier: MIT */
#include "skills/path.h"

#include "codec/uri.h"
#include <mcp/error.h>

/* --- what is safe --------------------------------------------------------- */

static int part_is_safe(mcpi_str part) {
  return part.len > 0 && !mcpi_str_eq(part, MCPI_STR(".")) &&
         !mcpi_str_eq(part, MCPI_STR(".."));
}

/* A backslash separates parts on other systems. */
static int char_is_safe(char c) {
  return (unsigned char)c >= 0x20 && c != 0x7f && c != '\\';
}

int mcpi_skill_path_is_safe(mcpi_str path) {
  size_t begin = 0;
  for (size_t i = 0; i < path.len; i++) {
    if (!char_is_safe(path.ptr[i])) {
      return 0;
    }
    if (path.ptr[i] == '/') {
      if (!part_is_safe(mcpi_str_n(path.ptr + begin, i - begin))) {
        return 0;
      }
      begin = i + 1;
    }
  }
  return part_is_safe(mcpi_str_n(path.ptr + begin, path.len - begin)) &&
         mcpi_str_is_utf8(path);
}

/* --- from a URI and to it ------------------------------------------------- */

/* Takes one byte of a path off its URI. An encoded slash would be a part of a
 * name, which no path can express. Returns 0 or MCP_ERR_INVALID. */
static int path_take_byte(mcpi_str *rest, char *out) {
  char c = rest->ptr[0];
  if (c == '?' || c == '#') {
    return MCP_ERR_INVALID;
  }
  if (c != '%') {
    *out = mcpi_str_take(rest, 1).ptr[0];
    return 0;
  }
  if (!mcpi_uri_is_encoded(rest->ptr, rest->len)) {
    return MCP_ERR_INVALID;
  }
  *out = (char)mcpi_uri_decode(mcpi_str_take(rest, 3).ptr);
  return *out != '/' ? 0 : MCP_ERR_INVALID;
}

int mcpi_skill_path_read(mcpi_buf *buf, mcpi_str folder, mcpi_str uri) {
  size_t before = buf->len;
  if (!mcpi_str_starts_with(uri, folder)) {
    return MCP_ERR_INVALID;
  }
  mcpi_str_take(&uri, folder.len);
  if (!mcpi_str_take_char(&uri, '/')) {
    return MCP_ERR_INVALID;
  }
  while (uri.len > 0) {
    char c;
    if (path_take_byte(&uri, &c) != 0) {
      mcpi_buf_rewind(buf, before);
      return MCP_ERR_INVALID;
    }
    mcpi_buf_putc(buf, c);
  }
  if (buf->error != 0) {
    return MCP_ERR_NOMEM;
  }
  mcpi_str path = mcpi_str_n(buf->data, buf->len);
  mcpi_str_take(&path, before);
  if (!mcpi_skill_path_is_safe(path)) {
    mcpi_buf_rewind(buf, before);
    return MCP_ERR_INVALID;
  }
  return 0;
}

void mcpi_skill_path_encode(mcpi_buf *buf, mcpi_str path) {
  for (size_t i = 0; i < path.len; i++) {
    char c = path.ptr[i];
    char encoded[3];
    if (c == '/' || mcpi_uri_is_unreserved(c)) {
      mcpi_buf_putc(buf, c);
    } else {
      mcpi_uri_encode(encoded, c);
      mcpi_buf_put(buf, encoded, sizeof(encoded));
    }
  }
}
