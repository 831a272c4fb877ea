/* SPDX-License-Identifier: MIT */
/* The engine that libmcp gives to the schemas. */
#include "regex/ecma.h"
#include "regex/regex.h"

#include <mcp/schema.h>

enum {
  /* Bytes of a pattern in PCRE2's language. It compiles to no more than 64 KB,
   * which few patterns need as much text for. */
  MAX_PATTERN = 256 * 1024
};

/* --- memory: ours wants the size back, PCRE2 does not tell it ------------ */

typedef union header {
  size_t size;
  max_align_t align;
} header;

static void *engine_take(size_t len, void *userdata) {
  (void)userdata;
  size_t size = len + sizeof(header);
  header *memory = mcpi_alloc(mcp_allocator_default(), size);
  if (memory == NULL) {
    return NULL;
  }
  memory->size = size;
  return memory + 1;
}

static void give_back(void *ptr, void *userdata) {
  (void)userdata;
  if (ptr != NULL) {
    header *memory = (header *)ptr - 1;
    mcpi_free(mcp_allocator_default(), memory, memory->size);
  }
}

/* --- the engine ---------------------------------------------------------- */

static int compile_translated(const mcpi_buf *translated, mcpi_str pattern,
                              void **regex, size_t *error_offset) {
  static const mcpi_pcre2_memory memory = {engine_take, give_back};
  const mcpi_pcre2 *pcre2 = mcpi_pcre2_get(NULL);
  if (pcre2 == NULL) {
    return MCP_ERR_PLATFORM;
  }
  size_t offset = 0;
  int rc = pcre2->compile(&memory, translated->len > 0 ? translated->data : "",
                          translated->len, regex, &offset);
  if (rc == MCP_ERR_PARSE) {
    *error_offset = mcpi_regex_ecma_place(pattern, offset);
  }
  return rc;
}

static int engine_compile(void *userdata, const char *pattern, size_t len,
                          void **regex, size_t *error_offset) {
  mcpi_buf translated;
  (void)userdata;
  mcpi_str text = mcpi_str_n(pattern, len);
  mcpi_buf_init(&translated, mcp_allocator_default(), MAX_PATTERN);
  int rc = mcpi_regex_ecma(&translated, text, error_offset);
  if (rc == 0) {
    rc = compile_translated(&translated, text, regex, error_offset);
  }
  mcpi_buf_deinit(&translated);
  return rc;
}

/* A regex was compiled, so the table was found. */
static int engine_match(const void *regex, const char *text, size_t len,
                        size_t *steps_left) {
  return mcpi_pcre2_get(NULL)->match(regex, text, len, steps_left);
}

static void engine_release(void *regex) {
  if (regex != NULL) {
    mcpi_pcre2_get(NULL)->release(regex);
  }
}

static size_t engine_memory(const void *regex) {
  return mcpi_pcre2_get(NULL)->memory(regex);
}

const mcp_regex_engine *mcp_regex_pcre2(void) {
  static const mcp_regex_engine engine = {.size = sizeof(engine),
                                          .compile = engine_compile,
                                          .match = engine_match,
                                          .release = engine_release,
                                          .memory = engine_memory};
  return &engine;
}

/* A tool's schema is compiled when it is added, perhaps before anything else of
 * this library is called. */
__attribute__((constructor)) static void provide(void) {
  mcp_regex_provide(mcp_regex_pcre2());
}
