/* SPDX-License-Identifier: MIT */
/* The rules of compatibility: what the change of one member of a listing means
 * for a client that knows the old one.
 *
 * Each rule gets the member's old and its new value; NULL: it is not there. A
 * schema's rule says whether the new schema accepts more or fewer values. What
 * that means depends on who gives the values: ctl_compat_verdict. */
#ifndef CTL_COMPAT_H
#define CTL_COMPAT_H

#include <mcp/json.h>

/* What a change does. */
enum {
  CTL_EFFECT_NONE,     /* it means the same, written in another way */
  CTL_EFFECT_WIDER,    /* more values are valid, and no fewer */
  CTL_EFFECT_NARROWER, /* fewer values are valid, and no more */
  CTL_EFFECT_OTHER,    /* other values are valid */
  CTL_EFFECT_UNKNOWN,  /* mcpctl cannot judge it */
  CTL_EFFECT_WORDING,  /* it is about text for people and models */
  CTL_EFFECT_INSIDE    /* both are schemas: the rules of their members decide */
};

/* Whose values a schema describes. */
enum { CTL_GIVEN /* arguments, by the client */, CTL_RETURNED /* results */ };

/* Returns CTL_COMPATIBLE, CTL_WORDING or CTL_BREAKING (exit.h). A client that
 * gives values needs that at least the old ones stay valid. A client that reads
 * results needs that no others come. */
int ctl_compat_verdict(int effect, int direction);

/* The rules return CTL_EFFECT_*. */
typedef int ctl_rule(const mcp_json *before, const mcp_json *after);

ctl_rule ctl_rule_type;    /* `type` */
ctl_rule ctl_rule_enum;    /* a list of the valid values */
ctl_rule ctl_rule_minimum; /* a bound below, of numbers */
ctl_rule ctl_rule_maximum; /* a bound above */
ctl_rule ctl_rule_min_len; /* a bound below, of lengths: at least 0 */
ctl_rule ctl_rule_flag;    /* a limit that is on or off, as uniqueItems */
ctl_rule ctl_rule_limit;   /* a limit that cannot be compared, as pattern */
ctl_rule ctl_rule_schema;  /* the schema of a part, as items */
ctl_rule ctl_rule_any_of;  /* a list of schemas: one is enough */
ctl_rule ctl_rule_all_of;  /* a list of schemas: all must accept */
ctl_rule ctl_rule_default; /* what an argument means if it is left out */
ctl_rule ctl_rule_wording;
ctl_rule ctl_rule_unknown; /* whatever mcpctl does not know */

/* Whether an annotation of a tool says what the tool may do. */
int ctl_compat_is_hint(const char *annotation);

/* Whether a client that trusted the old annotations of a tool may now do harm,
 * by one of the hints: CTL_COMPATIBLE or CTL_BREAKING. Hints that are not there
 * have the value that the specification gives them. */
int ctl_compat_hint(const char *name, const mcp_json *before,
                    const mcp_json *after);
/* Does the same for execution.taskSupport. */
int ctl_compat_task_support(const mcp_json *before, const mcp_json *after);

#endif
