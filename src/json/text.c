/* SPDX-License-Identifier: MIT */
/* One value as a text of its own (mcp/json.h). */
#include "json/text.h"

#include "json/write.h"

/* The text contains no NUL, because JSON escapes it. So mcpi_strfree finds the
 * size of memory that is exactly as long as the text. */
char *mcpi_json_to_text(const mcp_json *value, const mcp_allocator *allocator,
                        size_t *len) {
  if (len != NULL) {
    *len = 0;
  }
  if (value == NULL) {
    return NULL;
  }
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_json_put_value(&buf, value);
  mcpi_buf_putc(&buf, '\0');
  char *text = NULL;
  if (buf.error == 0) {
    text = mcpi_realloc(allocator, buf.data, buf.cap, buf.len);
  }
  if (text == NULL) {
    mcpi_buf_deinit(&buf);
    return NULL;
  }
  if (len != NULL) {
    *len = buf.len - 1;
  }
  return text;
}

char *mcp_json_to_text(const mcp_json *value, size_t *len) {
  return mcpi_json_to_text(value, mcp_allocator_default(), len);
}

void mcp_text_free(char *text) {
  mcpi_strfree(mcp_allocator_default(), text);
}
