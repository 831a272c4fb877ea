/* SPDX-License-Identifier: MIT */
#include "auth/form.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "codec/uri.h"
#include <mcp/error.h>

/* --- writing -------------------------------------------------------------- */

static void form_put_byte(mcpi_buf *form, char byte) {
  char encoded[3];
  if (mcpi_is_alnum(byte) || byte == '-' || byte == '.' || byte == '_' ||
      byte == '*') {
    mcpi_buf_putc(form, byte);
  } else if (byte == ' ') {
    mcpi_buf_putc(form, '+');
  } else {
    mcpi_uri_encode(encoded, byte);
    mcpi_buf_put(form, encoded, sizeof(encoded));
  }
}

static void form_put_text(mcpi_buf *form, mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    form_put_byte(form, text.ptr[i]);
  }
}

void mcpi_form_put(mcpi_buf *form, size_t begin, const char *name,
                   mcpi_str value) {
  if (form->len > begin) {
    mcpi_buf_putc(form, '&');
  }
  form_put_text(form, mcpi_str_z(name));
  mcpi_buf_putc(form, '=');
  form_put_text(form, value);
}

void mcpi_form_put_basic(mcpi_buf *out, mcpi_str id, mcpi_str secret) {
  mcpi_buf pair;
  mcpi_buf_init_secret(&pair, out->allocator, SIZE_MAX);
  form_put_text(&pair, id);
  mcpi_buf_putc(&pair, ':');
  form_put_text(&pair, secret);
  if (pair.error == 0) {
    mcpi_buf_lit(out, "Basic ");
    mcpi_base64_put(out, pair.data, pair.len);
  } else if (out->error == 0) {
    out->error = pair.error;
  }
  mcpi_buf_deinit(&pair);
}

/* --- reading -------------------------------------------------------------- */

/* Appends the decoded text. Returns 0, MCP_ERR_INVALID, or the buffer's
 * error. */
static int form_decode(mcpi_buf *out, mcpi_str text) {
  while (text.len > 0) {
    char byte = text.ptr[0];
    size_t used = 1;
    if (byte == '+') {
      byte = ' ';
    } else if (byte == '%') {
      if (!mcpi_uri_is_encoded(text.ptr, text.len)) {
        return MCP_ERR_INVALID;
      }
      byte = (char)mcpi_uri_decode(text.ptr);
      used = 3;
    }
    if (byte == '\0') {
      return MCP_ERR_INVALID;
    }
    mcpi_buf_putc(out, byte);
    mcpi_str_take(&text, used);
  }
  return out->error;
}

/* Takes the next member. Returns 0 at the end. */
static int form_next(mcpi_str *form, mcpi_str *name, mcpi_str *value) {
  if (form->len == 0) {
    return 0;
  }
  const char *end = memchr(form->ptr, '&', form->len);
  size_t len = end != NULL ? (size_t)(end - form->ptr) : form->len;
  mcpi_str member = mcpi_str_take(form, len);
  mcpi_str_take_char(form, '&');
  const char *equals =
      member.len > 0 ? memchr(member.ptr, '=', member.len) : NULL;
  size_t name_len = equals != NULL ? (size_t)(equals - member.ptr) : member.len;
  *name = mcpi_str_take(&member, name_len);
  mcpi_str_take_char(&member, '=');
  *value = member;
  return 1;
}

/* Whether a name, which may be encoded, is this one. */
static int form_is_named(mcpi_str name, const char *wanted,
                         const mcp_allocator *allocator, int *rc) {
  mcpi_buf decoded;
  if (name.len == 0 || (memchr(name.ptr, '%', name.len) == NULL &&
                        memchr(name.ptr, '+', name.len) == NULL)) {
    return mcpi_str_eq(name, mcpi_str_z(wanted));
  }
  mcpi_buf_init(&decoded, allocator, SIZE_MAX);
  int is_same = form_decode(&decoded, name) == 0 && decoded.data != NULL &&
                mcpi_str_eq(mcpi_buf_str(&decoded), mcpi_str_z(wanted));
  *rc = decoded.error;
  mcpi_buf_deinit(&decoded);
  return is_same;
}

int mcpi_form_get(mcpi_buf *out, mcpi_str form, const char *name) {
  mcpi_str found = {NULL, 0};
  mcpi_str each;
  mcpi_str value;
  size_t begin = out->len;
  int rc = 0;
  while (rc == 0 && form_next(&form, &each, &value)) {
    if (!form_is_named(each, name, out->allocator, &rc)) {
      continue;
    }
    if (found.ptr != NULL) {
      return MCP_ERR_INVALID;
    }
    found = value.ptr != NULL ? value : MCPI_STR("");
  }
  if (rc == 0 && found.ptr == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  if (rc == 0) {
    mcpi_buf_reserve(out, 1); /* so that data is not NULL */
    rc = form_decode(out, found);
  }
  if (rc != 0 && out->error == 0) {
    mcpi_buf_rewind(out, begin);
  }
  return rc;
}
