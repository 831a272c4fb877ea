/* SPDX-License-Identifier: MIT */
/* One field of a form (MCP, Elicitation: Requested Schema): its choices, and
 * the JSON for a text that the user types. */
#ifndef CTL_FIELD_H
#define CTL_FIELD_H

#include <mcp/json.h>

#include <stdio.h>

/* Reads a text that the user typed or gave by --answer.
 *
 * @param out owned JSON text: end it with free; set only on success
 * @return 0, or MCP_ERR_* with a text for the user in err */
int ctl_field_parse(const mcp_json *schema, const char *text, char **out,
                    mcp_error *err);

/* Prints what the user may type: "yes or no", "number, at most 9", or "one of:"
 * and the numbered choices. */
void ctl_field_put_kind(FILE *out, const mcp_json *schema);

#endif
