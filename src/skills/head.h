/* SPDX-License-Identifier: MIT */
/* The head of a SKILL.md: YAML between two lines "---", as a JSON object
 * (SEP-2640; Agent Skills, "Frontmatter"). */
#ifndef MCPI_SKILLS_HEAD_H
#define MCPI_SKILLS_HEAD_H

#include "base/buf.h"
#include <mcp/json.h>

enum {
  /* Limits of a head. A list of skills has all heads, and models read them. */
  MCPI_HEAD_MAX_BYTES = 64 * 1024,
  MCPI_HEAD_MAX_DEPTH = 16,
  MCPI_HEAD_MAX_VALUES = 4096,
  MCPI_SKILL_NAME_MAX = 64
};

typedef struct mcpi_skill_head {
  mcpi_buf json; /* the object, in one line */
  char *name;
  char *description;
} mcpi_skill_head;

/* Reads the head of a SKILL.md of `len` bytes. The text after the head is not
 * looked at. *out is set only on success; free it with mcpi_skill_head_deinit.
 * Returns 0; MCP_ERR_INVALID: there is no head, or it breaks a rule;
 * MCP_ERR_PARSE: it is not YAML; MCP_ERR_LIMIT; MCP_ERR_UNSUPPORTED and
 * MCP_ERR_PLATFORM: there is no YAML; MCP_ERR_NOMEM. The message has the line.
 * On any thread. */
int mcpi_skill_head_read(mcpi_skill_head *out, const char *text, size_t len,
                         const mcp_allocator *allocator, mcp_error *err);
void mcpi_skill_head_deinit(mcpi_skill_head *head);

/* Reads a head as JSON, without the rules for what it must have: it is that of
 * another server. The text is UTF-8. The caller frees *out. Returns what
 * mcpi_skill_head_read does. */
int mcpi_skill_head_parse(mcp_doc **out, const char *text, size_t len,
                          const mcp_allocator *allocator, mcp_error *err);

/* Whether a text is a name of a skill: 1 to 64 small letters, digits and single
 * hyphens, with no hyphen at either end. */
int mcpi_skill_name_is_valid(mcpi_str name);

#endif
