/* SPDX-License-Identifier: MIT */
/* What is wrong with a bundle, finding by finding, as `verify` and `pack` print
 * it. */
#ifndef CTL_FINDINGS_H
#define CTL_FINDINGS_H

#include <mcp/export.h>
#include <mcp/json.h>
#include <stddef.h>

/* A fault makes hosts refuse the bundle or fail with it; a warning is likely to
 * make trouble; a note is worth knowing. */
enum { CTL_FAULT, CTL_WARNING, CTL_NOTE, CTL_LEVELS };

typedef struct ctl_finding {
  int level;
  const char *id; /* static */
  char *text;     /* owned */
} ctl_finding;

typedef struct ctl_findings {
  ctl_finding *list; /* owned */
  size_t count;
  int is_broken; /* out of memory: findings are lost */
} ctl_findings;

void ctl_findings_add(ctl_findings *findings, int level, const char *id,
                      const char *format, ...) MCP_PRINTF(4, 5);
size_t ctl_findings_count(const ctl_findings *findings, int level);
/* Whether there is a fault, or a finding was lost, which may have been one. */
int ctl_findings_have_fault(const ctl_findings *findings);
void ctl_findings_deinit(ctl_findings *findings);

/* Prints a line for each, and how many there are of each level. */
void ctl_findings_print(const ctl_findings *findings);
/* Adds the members findings, faults, warnings and notes to an object. */
void ctl_findings_put(const ctl_findings *findings, mcp_builder *out);

#endif
