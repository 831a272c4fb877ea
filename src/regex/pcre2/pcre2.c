/* SPDX-License-Identifier: MIT */
/* Compiling and matching, by PCRE2. This file may call PCRE2 and the C library
 * alone: it is a library of its own that knows none of our symbols.
 *
 * Matching is bounded in steps and in memory, so that a pattern like (a+)+$
 * cannot hold up a server. */
#include "regex/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <mcp/error.h>
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
  MAX_NESTING = 100
};

/* PCRE2's own limit of steps begins anew at each place of the text, and tells
 * nobody what was used of it: a callout before each item counts them. */
static const uint32_t compile_options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
                                        PCRE2_MATCH_UNSET_BACKREF |
                                        PCRE2_AUTO_CALLOUT;

typedef struct compiled {
  const mcpi_pcre2_memory *allocator;
  pcre2_general_context *memory;
  pcre2_compile_context *compiling;
  pcre2_code *code;
} compiled;

/* What a match needs besides, of any pattern. */
typedef struct scratch {
  const mcpi_pcre2_memory *allocator;
  pcre2_match_context *context;
  pcre2_match_data *data;
  size_t steps_left;
} scratch;

/* One that no match uses, or NULL, so that matching again and again asks malloc
 * for nothing. The process has it: PCRE2 keeps what it once needed, 20 KB and
 * up to MAX_HEAP_KB, which would be too much for each of a schema's
 * patterns. */
static _Atomic(scratch *) idle;

/* --- compiling ----------------------------------------------------------- */

static int make_contexts(compiled *made) {
  made->memory = pcre2_general_context_create(made->allocator->take,
                                              made->allocator->give_back, NULL);
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

static int compile_code(compiled *made, const char *pattern, size_t len,
                        size_t *error_offset) {
  int code = 0;
  PCRE2_SIZE offset = 0;
  made->code = pcre2_compile((PCRE2_SPTR)pattern, len, compile_options, &code,
                             &offset, made->compiling);
  if (made->code != NULL) {
    return 0;
  }
  if (code == PCRE2_ERROR_HEAP_FAILED) {
    return MCP_ERR_NOMEM;
  }
  if (code == PCRE2_ERROR_PATTERN_TOO_LARGE) {
    return MCP_ERR_LIMIT;
  }
  *error_offset = offset;
  return MCP_ERR_PARSE;
}

static void regex_free(void *regex) {
  compiled *ended = regex;
  if (ended == NULL) {
    return;
  }
  pcre2_code_free(ended->code);
  pcre2_compile_context_free(ended->compiling);
  pcre2_general_context_free(ended->memory);
  ended->allocator->give_back(ended, NULL);
}

static int regex_new(const mcpi_pcre2_memory *memory, const char *pattern,
                     size_t len, void **regex, size_t *error_offset) {
  compiled *made = memory->take(sizeof(*made), NULL);
  if (made == NULL) {
    return MCP_ERR_NOMEM;
  }
  *made = (compiled){.allocator = memory};
  int rc = make_contexts(made);
  if (rc == 0) {
    rc = compile_code(made, pattern, len, error_offset);
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
    ended->allocator->give_back(ended, NULL);
  }
}

/* One pair of offsets will do: only whether the pattern is found is asked. */
static scratch *scratch_new(const compiled *used) {
  scratch *made = used->allocator->take(sizeof(*made), NULL);
  if (made == NULL) {
    return NULL;
  }
  *made = (scratch){.allocator = used->allocator,
                    .context = pcre2_match_context_create(used->memory),
                    .data = pcre2_match_data_create(1, used->memory)};
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
  own = own != NULL ? own : scratch_new(used);
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

const mcpi_pcre2 *mcpi_pcre2_table(void) {
  static const mcpi_pcre2 table = {.head = {sizeof(table), MCP_VERSION_STRING},
                                   .compile = regex_new,
                                   .match = regex_match,
                                   .release = regex_free,
                                   .memory = regex_memory};
  return &table;
}
