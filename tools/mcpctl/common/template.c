/* SPDX-License-Identifier: MIT */
#include "common/template.h"
#include "platform/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a reference names: the text between "${" and "}". */
typedef struct reference {
  const char *name;
  size_t len;
} reference;

/* Reads the reference that begins at `at`, and returns the place after it.
 * NULL: none begins there. */
static const char *read_reference(const char *at, const char *end,
                                  reference *found) {
  if (end - at < 3 || at[0] != '$' || at[1] != '{') {
    return NULL;
  }
  const char *close = memchr(at, '}', (size_t)(end - at));
  if (close == NULL) {
    return NULL;
  }
  *found = (reference){at + 2, (size_t)(close - at) - 2};
  return close + 1;
}

static const mcp_json *look_up(const mcp_json *arguments,
                               const reference *named) {
  if (named->len == 0 || named->name[0] != '/') {
    return mcp_json_get_n(arguments, named->name, named->len);
  }
  char *pointer = strndup(named->name, named->len);
  const mcp_json *value =
      pointer != NULL ? mcp_json_pointer(arguments, pointer) : NULL;
  free(pointer);
  return value;
}

/* ---- a text with references --------------------------------------------- */

static void write_value(FILE *out, const mcp_json *value) {
  size_t len = 0;
  const char *string = mcp_json_string_n(value, &len);
  if (string != NULL) {
    fwrite(string, 1, len, out);
  } else if (value != NULL) {
    char *text = mcp_json_to_text(value, &len);
    fwrite(text != NULL ? text : "", 1, text != NULL ? len : 0, out);
    mcp_text_free(text);
  }
}

static void write_filled(FILE *out, const char *text, size_t len,
                         const mcp_json *arguments) {
  const char *end = text + len;
  reference found;
  while (text < end) {
    const char *after = read_reference(text, end, &found);
    if (after != NULL) {
      write_value(out, look_up(arguments, &found));
      text = after;
    } else if (end - text > 2 && memcmp(text, "$${", 3) == 0) {
      fputs("${", out);
      text += 3;
    } else {
      fputc(*text++, out);
    }
  }
}

/* A memory stream fails only when there is no memory, which the builder then
 * reports for a string that it cannot copy. */
static int put_filled(mcp_builder *builder, const char *name, const char *text,
                      size_t len, const mcp_json *arguments) {
  char *filled = NULL;
  size_t filled_len = 0;
  FILE *out = ctl_memory_open(&filled, &filled_len);
  if (out == NULL) {
    return MCP_ERR_NOMEM;
  }
  write_filled(out, text, len, arguments);
  int rc = ctl_memory_close(out, &filled, &filled_len) == 0
               ? mcp_builder_string_n(builder, name, filled, filled_len)
               : MCP_ERR_NOMEM;
  free(filled);
  return rc;
}

static int put_string(mcp_builder *builder, const char *name,
                      const mcp_json *value, const mcp_json *arguments) {
  size_t len = 0;
  const char *text = mcp_json_string_n(value, &len);
  reference whole;
  if (arguments == NULL || memchr(text, '$', len) == NULL) {
    return mcp_builder_string_n(builder, name, text, len);
  }
  if (read_reference(text, text + len, &whole) == text + len) {
    return mcp_builder_value(builder, name, look_up(arguments, &whole));
  }
  return put_filled(builder, name, text, len, arguments);
}

/* ---- arrays and objects ------------------------------------------------- */

/* Recursive: the parser has bounded the depth. */
static int put_elements(mcp_builder *builder, const mcp_json *value,
                        const mcp_json *arguments) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *element = NULL;
  int is_object = mcp_json_type(value) == MCP_JSON_OBJECT;
  int rc = 0;
  mcp_json_iter_init(&iter, value);
  while (rc == 0 && (element = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = is_object ? mcp_json_string_n(name, &len) : NULL;
    if (text != NULL) {
      rc = mcp_builder_name_n(builder, text, len);
    }
    rc = rc == 0 ? ctl_template_put(builder, NULL, element, arguments) : rc;
  }
  return rc == 0 ? mcp_builder_end(builder) : rc;
}

int ctl_template_put(mcp_builder *builder, const char *name,
                     const mcp_json *value, const mcp_json *arguments) {
  int type = mcp_json_type(value);
  int rc = 0;
  if (type == MCP_JSON_STRING) {
    return put_string(builder, name, value, arguments);
  }
  if (type != MCP_JSON_ARRAY && type != MCP_JSON_OBJECT) {
    return mcp_builder_value(builder, name, value);
  }
  rc = type == MCP_JSON_ARRAY ? mcp_builder_array(builder, name)
                              : mcp_builder_object(builder, name);
  return rc == 0 ? put_elements(builder, value, arguments) : rc;
}

mcp_doc *ctl_template_fill(const mcp_json *value, const mcp_json *arguments,
                           mcp_error *err) {
  mcp_builder *builder = mcp_builder_new(NULL, err);
  mcp_doc *doc = NULL;
  size_t len = 0;
  if (builder == NULL) {
    return NULL;
  }
  ctl_template_put(builder, NULL, value, arguments);
  const char *text = mcp_builder_text(builder, &len);
  if (text != NULL) {
    doc = mcp_doc_parse(text, len, NULL, NULL, err);
  } else {
    *err = *mcp_builder_error(builder);
  }
  mcp_builder_free(builder);
  return doc;
}
