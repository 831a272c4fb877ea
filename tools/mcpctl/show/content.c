/* SPDX-License-Identifier: MIT */
/* Prints blocks of content, as tools, resources and prompts return them. */
#include "show/content.h"
#include "common/base64.h"
#include "common/json.h"
#include "common/term.h"
#include "common/text.h"
#include "platform/memory.h"
#include "show/image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t decoded_len(const mcp_json *data) {
  size_t len = 0;
  const char *text = mcp_json_string_n(data, &len);
  return ctl_base64_len(text, len);
}

static const char *or_empty(const char *text) {
  return text != NULL ? text : "";
}

static void describe_data(FILE *out, const char *kind, const char *mime_type,
                          const mcp_json *data) {
  fprintf(out, "[%s %s, %zu bytes]", kind,
          mime_type != NULL ? mime_type : "of unknown type", decoded_len(data));
}

static void describe_resource(FILE *out, const mcp_json *resource) {
  const char *mime_type = ctl_json_member(resource, "mimeType");
  const mcp_json *blob = mcp_json_get(resource, "blob");
  fprintf(out, "[resource %s", or_empty(ctl_json_member(resource, "uri")));
  if (mime_type != NULL) {
    fprintf(out, ", %s", mime_type);
  }
  if (blob != NULL) {
    fprintf(out, ", %zu bytes", decoded_len(blob));
  }
  fputc(']', out);
}

static void describe_link(FILE *out, const mcp_json *link) {
  const char *title = ctl_json_member(link, "title");
  title = title != NULL ? title : ctl_json_member(link, "name");
  fprintf(out, "[link %s: %s]", or_empty(ctl_json_member(link, "uri")),
          or_empty(title));
}

static void describe(FILE *out, const mcp_json *block) {
  const char *type = or_empty(ctl_json_member(block, "type"));
  if (strcmp(type, "image") == 0 || strcmp(type, "audio") == 0) {
    describe_data(out, type, ctl_json_member(block, "mimeType"),
                  mcp_json_get(block, "data"));
  } else if (strcmp(type, "resource") == 0) {
    describe_resource(out, mcp_json_get(block, "resource"));
  } else if (strcmp(type, "resource_link") == 0) {
    describe_link(out, block);
  } else {
    fprintf(out, "[%s]", type[0] != '\0' ? type : "content of unknown type");
  }
}

/* The text that `print` prints, not yet neutralised. Owned; NULL when out of
 * memory. */
static char *capture(void (*print)(FILE *out, const mcp_json *value),
                     const mcp_json *value) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  if (out == NULL) {
    return NULL;
  }
  print(out, value);
  if (ctl_memory_close(out, &text, &len) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

char *ctl_content_describe(const mcp_json *block) {
  return capture(describe, block);
}

static void print_description(void (*print)(FILE *out, const mcp_json *value),
                              const mcp_json *value) {
  char *text = capture(print, value);
  ctl_term_style(stdout, CTL_DIM);
  ctl_text_put_line(stdout, or_empty(text), SIZE_MAX);
  ctl_term_style(stdout, CTL_PLAIN);
  fputc('\n', stdout);
  free(text);
}

static void print_text(const mcp_json *value) {
  size_t len = 0;
  const char *text = mcp_json_string_n(value, &len);
  if (text == NULL) {
    return;
  }
  ctl_term_put(text, len);
  if (len > 0 && text[len - 1] != '\n') {
    fputc('\n', stdout);
  }
}

void ctl_content_print(const mcp_json *block) {
  const mcp_json *text = mcp_json_get(block, "text");
  if (mcp_json_type(text) == MCP_JSON_STRING) {
    print_text(text);
    return;
  }
  if (!ctl_image_show(mcp_json_get(block, "data")) &&
      !ctl_image_show(mcp_json_pointer(block, "/resource/blob"))) {
    print_description(describe, block);
  }
  print_text(mcp_json_pointer(block, "/resource/text"));
}

void ctl_content_print_resource(const mcp_json *resource) {
  const mcp_json *text = mcp_json_get(resource, "text");
  if (mcp_json_type(text) == MCP_JSON_STRING) {
    print_text(text);
  } else {
    print_description(describe_resource, resource);
  }
}
