/* SPDX-License-Identifier: MIT */
/* Compares a file that a server sent with the entry of its skill (SEP-2640,
 * Integrity and Verification). */
#ifndef MCPI_SKILLS_VERIFY_H
#define MCPI_SKILLS_VERIFY_H

#include "skills/listed.h"

/* What a file must be. */
typedef struct mcpi_expected {
  const mcp_skill *skill;
  const char *uri;
  const mcp_skill_file *listed; /* NULL: the skill is dynamic */
  int is_main;                  /* it is the skill's own SKILL.md */
} mcpi_expected;

/* Whether this build and this machine have what it takes. Returns 0, or
 * MCP_ERR_UNSUPPORTED, MCP_ERR_PLATFORM or MCP_ERR_NOMEM. */
int mcpi_expected_prepare(const mcpi_expected *expected, mcp_error *err);

/* Compares the result of `resources/read`. Returns 0; MCP_ERR_MISMATCH;
 * MCP_ERR_PROTOCOL: it does not have the bytes of this one file;
 * MCP_ERR_LIMIT; MCP_ERR_NOMEM. */
int mcpi_expected_check(const mcpi_expected *expected, mcp_result *result,
                        mcp_error *err);

#endif
