/* SPDX-License-Identifier: MIT */
/* What a compiled program holds besides its arrays: regular expressions. */
#include "schema/program.h"

#include "base/alloc.h"
#include "schema/regex.h"

void mcpi_patterns_release(const mcpi_pattern *patterns, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    mcpi_regex_engine()->release(patterns[i].regex);
  }
}

void mcpi_program_free(mcpi_program *program, const mcp_allocator *allocator) {
  mcpi_patterns_release(program->patterns, program->pattern_count);
  mcpi_free(allocator, program->memory, program->size);
}

size_t mcpi_program_size(const mcpi_program *program) {
  const mcp_regex_engine *engine = mcpi_regex_engine();
  size_t bytes = program->size;
  if (engine == NULL || engine->memory == NULL) {
    return bytes;
  }
  for (uint32_t i = 0; i < program->pattern_count; i++) {
    bytes += engine->memory(program->patterns[i].regex);
  }
  return bytes;
}
