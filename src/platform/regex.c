/* SPDX-License-Identifier: MIT */
/* Regular expressions of ECMA-262, by PCRE2 (regex_ecma.h says what differs).
 *
 * Matching is bounded in steps and in memory, so that a pattern like (a+)+$
 * cannot hold up a server. */
#include "platform/regex_ecma.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <mcp/error.h>
#include <mcp/schema.h>
#include <pcre2.h>
#include <stdatomic.h>

enum {
  /* Items of the pattern that are tried, at all places of the text together:
   * some tens of milliseconds at the worst. */
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

/* PCRE2's own limit of steps begins anew at each place of the text, and tells
 * nobody what was used of it: a callout before each item counts them. */
static const uint32_t compile_options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
                                        PCRE2_MATCH_UNSET_BACKREF |
                                        PCRE2_AUTO_CALLOUT;

typedef struct compiled {
  pcre2_general_context *memory;
  pcre2_compile_context *compiling;
  pcre2_code *code;
} compiled;

/* What a match needs besides, of any pattern. */
typedef struct scratch {
  pcre2_match_context *context;
  pcre2_match_data *data;
  size_t steps_left;
} scratch;

/* One that no match uses, or NULL, so that matching again and again asks malloc
 * for nothing. The process has it: PCRE2 keeps what it once needed, 20 KB and
 * up to MAX_HEAP_KB, which would be too much for each of a schema's
 * patterns. */
static _Atomic(scratch *) idle;

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
  if (made->compiling == NULL) {
    return MCP_ERR_NOMEM;
  }
  pcre2_set_parens_nest_limit(made->compiling, MAX_NESTING);
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
  pcre2_code_free(ended->code);
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

static int count_step(pcre2_callout_block *block, void *userdata) {
  scratch *used = userdata;
  (void)block;
  if (used->steps_left == 0) {
    return PCRE2_ERROR_MATCHLIMIT;
  }
  used->steps_left--;
  return 0;
}

static void scratch_free(scratch *ended) {
  if (ended != NULL) {
    pcre2_match_context_free(ended->context);
    pcre2_match_data_free(ended->data);
    mcpi_free(mcp_allocator_default(), ended, sizeof(*ended));
  }
}

/* One pair of offsets will do: only whether the pattern is found is asked. */
static scratch *scratch_new(pcre2_general_context *memory) {
  scratch *made = mcpi_calloc(mcp_allocator_default(), 1, sizeof(*made));
  if (made == NULL) {
    return NULL;
  }
  made->context = pcre2_match_context_create(memory);
  made->data = pcre2_match_data_create(1, memory);
  if (made->context == NULL || made->data == NULL) {
    scratch_free(made);
    return NULL;
  }
  pcre2_set_match_limit(made->context, MAX_STEPS);
  pcre2_set_depth_limit(made->context, MAX_DEPTH);
  pcre2_set_heap_limit(made->context, MAX_HEAP_KB);
  pcre2_set_callout(made->context, count_step, made);
  return made;
}

static int regex_match(const void *regex, const char *text, size_t len,
                       size_t *steps_left) {
  const compiled *used = regex;
  size_t steps = *steps_left < MAX_STEPS ? *steps_left : MAX_STEPS;
  scratch *own = atomic_exchange(&idle, NULL);
  own = own != NULL ? own : scratch_new(used->memory);
  if (own == NULL) {
    return MCP_ERR_LIMIT;
  }
  own->steps_left = steps;
  int found = pcre2_match(used->code, (PCRE2_SPTR)text, len, 0, 0, own->data,
                          own->context);
  *steps_left -= steps - own->steps_left;
  scratch_free(atomic_exchange(&idle, own));
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
