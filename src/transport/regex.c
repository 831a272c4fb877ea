/* SPDX-License-Identifier: MIT */
/* Regular expressions of ECMA-262, by PCRE2 (regex_ecma.h says what differs).
 *
 * Matching is bounded in steps and in memory, so that a pattern like (a+)+$
 * cannot hold up a server. */
#include "transport/regex_ecma.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <mcp/error.h>
#include <mcp/schema.h>
#include <pcre2.h>
#include <stdatomic.h>

enum {
  /* Some tens of milliseconds at the worst. */
  MAX_STEPS = 500 * 1000,
  /* Backtracking points that are remembered. */
  MAX_DEPTH = 20 * 1000,
  MAX_HEAP_KB = 20 * 1000,
  /* How deep groups may nest in a pattern. */
  MAX_NESTING = 100,
  /* Bytes of a pattern in PCRE2's language. It compiles to no more than 64 KB,
   * which few patterns need as much text for. */
  MAX_PATTERN = 256 * 1024
};

static const uint32_t compile_options =
    PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF;

typedef struct compiled {
  pcre2_general_context *memory;
  pcre2_compile_context *compiling;
  pcre2_match_context *matching;
  pcre2_code *code;
  /* What a match needs, while no thread has one under way: so that matching
   * again and again asks malloc for nothing. */
  _Atomic(pcre2_match_data *) idle;
} compiled;

/* --- memory: ours wants the size back, PCRE2 does not tell it ------------ */

typedef union header {
  size_t size;
  max_align_t align;
} header;

static void *take(size_t len, void *userdata) {
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

/* --- compiling ----------------------------------------------------------- */

static int make_contexts(compiled *made) {
  made->memory = pcre2_general_context_create(take, give_back, NULL);
  if (made->memory == NULL) {
    return MCP_ERR_NOMEM;
  }
  made->compiling = pcre2_compile_context_create(made->memory);
  made->matching = pcre2_match_context_create(made->memory);
  if (made->compiling == NULL || made->matching == NULL) {
    return MCP_ERR_NOMEM;
  }
  pcre2_set_parens_nest_limit(made->compiling, MAX_NESTING);
  pcre2_set_match_limit(made->matching, MAX_STEPS);
  pcre2_set_depth_limit(made->matching, MAX_DEPTH);
  pcre2_set_heap_limit(made->matching, MAX_HEAP_KB);
  return 0;
}

static int compile(compiled *made, mcpi_str pattern, mcpi_str translated,
                   size_t *error_offset) {
  int code = 0;
  PCRE2_SIZE offset = 0;
  made->code = pcre2_compile((PCRE2_SPTR)translated.ptr, translated.len,
                             compile_options, &code, &offset, made->compiling);
  if (made->code != NULL) {
    return 0;
  }
  if (code == PCRE2_ERROR_HEAP_FAILED) {
    return MCP_ERR_NOMEM;
  }
  if (code == PCRE2_ERROR_PATTERN_TOO_LARGE) {
    return MCP_ERR_LIMIT;
  }
  *error_offset = mcpi_regex_ecma_place(pattern, offset);
  return MCP_ERR_PARSE;
}

static int translate_and_compile(compiled *made, mcpi_str pattern,
                                 size_t *error_offset) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), MAX_PATTERN);
  int rc = mcpi_regex_ecma(&out, pattern, error_offset);
  if (rc == 0) {
    mcpi_str translated =
        out.len > 0 ? mcpi_str_n(out.data, out.len) : MCPI_STR("");
    rc = compile(made, pattern, translated, error_offset);
  }
  mcpi_buf_deinit(&out);
  return rc;
}

static void regex_free(void *regex) {
  compiled *ended = regex;
  if (ended == NULL) {
    return;
  }
  pcre2_match_data_free(atomic_load(&ended->idle));
  pcre2_code_free(ended->code);
  pcre2_match_context_free(ended->matching);
  pcre2_compile_context_free(ended->compiling);
  pcre2_general_context_free(ended->memory);
  mcpi_free(mcp_allocator_default(), ended, sizeof(*ended));
}

static int regex_new(const char *pattern, size_t len, void **regex,
                     size_t *error_offset) {
  compiled *made = mcpi_calloc(mcp_allocator_default(), 1, sizeof(*made));
  int rc = made != NULL ? make_contexts(made) : MCP_ERR_NOMEM;
  if (rc == 0) {
    rc = translate_and_compile(made, mcpi_str_n(pattern, len), error_offset);
  }
  if (rc != 0) {
    regex_free(made);
    return rc;
  }
  *regex = made;
  return 0;
}

static size_t regex_memory(const void *regex) {
  const compiled *measured = regex;
  size_t size = 0;
  pcre2_pattern_info(measured->code, PCRE2_INFO_SIZE, &size);
  return size + sizeof(*measured);
}

/* --- matching ------------------------------------------------------------ */

static pcre2_match_data *take_match_data(compiled *used) {
  pcre2_match_data *data = atomic_exchange(&used->idle, NULL);
  /* One pair of offsets will do: only whether it is found is asked. */
  return data != NULL ? data : pcre2_match_data_create(1, used->memory);
}

static void give_match_data_back(compiled *used, pcre2_match_data *data) {
  pcre2_match_data_free(atomic_exchange(&used->idle, data));
}

static int regex_match(const void *regex, const char *text, size_t len) {
  /* What is compiled does not change; the idle match data is atomic. */
  compiled *used = (compiled *)(uintptr_t)regex;
  pcre2_match_data *data = take_match_data(used);
  if (data == NULL) {
    return MCP_ERR_LIMIT;
  }
  int found = pcre2_match(used->code, (PCRE2_SPTR)text, len, 0, 0, data,
                          used->matching);
  give_match_data_back(used, data);
  if (found >= 0) {
    return 1;
  }
  return found == PCRE2_ERROR_NOMATCH ? 0 : MCP_ERR_LIMIT;
}

/* --- for the schemas ----------------------------------------------------- */

const mcp_regex_engine *mcp_regex_pcre2(void) {
  static const mcp_regex_engine engine = {.size = sizeof(engine),
                                          .compile = regex_new,
                                          .match = regex_match,
                                          .release = regex_free,
                                          .memory = regex_memory};
  return &engine;
}

/* A tool's schema is compiled when it is added, perhaps before anything else of
 * this library is called. */
__attribute__((constructor)) static void provide(void) {
  mcp_regex_provide(mcp_regex_pcre2());
}
