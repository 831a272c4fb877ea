/* SPDX-License-Identifier: MIT */
/* MCP_PROFILE=small on this computer: what is left out is named by errors, and
 * yyjson touches only the memory that it gets (json/parse.c; the address
 * sanitizer sees the rest). */
#include <mcp/json.h>
#include <mcp/schema.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failed;

static void check(int is_fine, const char *what, const mcp_error *err) {
  if (!is_fine) {
    printf("%s: %d \"%s\" at %lu\n", what, err->code, err->message,
           (unsigned long)err->offset);
    failed = 1;
  }
}

static void check_schema(const char *text, const char *option) {
  mcp_error err = {0};
  mcp_validator_options options = MCP_VALIDATOR_OPTIONS_INIT;
  options.assert_formats = 1;
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  mcp_validator *validator =
      mcp_validator_new(mcp_doc_root(doc), &options, &err);
  check((validator == NULL) == (option != NULL) &&
            (option == NULL || strstr(err.message, option) != NULL),
        text, &err);
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
}

static void check_fault(const char *text, int code, uint64_t offset) {
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  check(doc == NULL && err.code == code &&
            (code != MCP_ERR_PARSE || err.offset == offset),
        text, &err);
  mcp_doc_free(doc);
}

static void check_text(const char *text) {
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  check(doc != NULL, text, &err);
  mcp_doc_free(doc);
}

/* Every length, and as many values as fit into it. */
static void check_lengths(void) {
  char text[2048];
  for (size_t len = 3; len < sizeof(text) - 1; len++) {
    memset(text, '0', len);
    for (size_t i = 2; i + 2 < len; i += 2) {
      text[i] = ',';
    }
    text[0] = '[';
    text[len - 2] = len % 2 != 0 ? '0' : ' ';
    text[len - 1] = ']';
    text[len] = '\0';
    check_text(text);
  }
}

/* Texts that are seldom JSON, but are made of what JSON is made of. */
static void check_garbage(void) {
  static const char pieces[] = "[[[]]]{{}},,,::\"\"\"\\\n  0012.eE-+tfnulrase";
  uint32_t state = 1;
  for (int round = 0; round < 300000; round++) {
    char text[40];
    size_t len = 0;
    do {
      state = state * 1664525 + 1013904223;
      text[len++] = pieces[(state >> 16) % (sizeof(pieces) - 1)];
    } while (len < sizeof(text) && (state >> 8) % 24 != 0);
    mcp_doc_free(mcp_doc_parse(text, len, NULL, NULL, NULL));
  }
}

int main(void) {
  check_schema("{\"type\":\"object\",\"required\":[\"a\"]}", NULL);
  check_schema("{\"items\":true}", "MCP_SCHEMA_ARRAYS");
  check_schema("{\"properties\":{\"a\":{\"uniqueItems\":true}}}",
               "MCP_SCHEMA_ARRAYS");
  check_schema("{\"anyOf\":[true]}", "MCP_SCHEMA_CHOICES");
  check_schema("{\"$ref\":\"#\"}", "MCP_SCHEMA_CHOICES");
  check_schema("{\"format\":\"date\"}", "MCP_SCHEMA_FORMATS");
  check_fault("{\"a\":tru}", MCP_ERR_PARSE, 5);
  check_fault("[", MCP_ERR_PARSE, 1);
  check_fault("{}x", MCP_ERR_PARSE, 2);
  check_fault(" [1,]", MCP_ERR_PARSE, 3);
  check_fault("[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]", MCP_ERR_LIMIT, 0);
  check_text(" {}");
  check_text("12");
  check_lengths();
  check_garbage();
  return failed;
}
