/* SPDX-License-Identifier: MIT */
/* The file of the verb `test`: its form. */
#ifndef CTL_SUITE_FILE_H
#define CTL_SUITE_FILE_H

#include <mcp/json.h>

/* The requests of a test, named by the member that asks for them. */
enum {
  CTL_ASK_CALL,
  CTL_ASK_READ,
  CTL_ASK_PROMPT,
  CTL_ASK_RAW,
  CTL_ASK_TOOLS,
  CTL_ASK_RESOURCES,
  CTL_ASK_TEMPLATES,
  CTL_ASK_PROMPTS
};

/* The request of a test of a file that was parsed: CTL_ASK_*. */
int ctl_suite_request(const mcp_json *test);
/* The name of that member. */
const char *ctl_suite_request_name(int request);

/* Parses the JSON of a file, in which comments may stand, and checks its form.
 * Changes `text`: it replaces comments with blanks.
 *
 * @param out owned: end it with mcp_doc_free; NULL on failure
 * @param err not NULL; receives "line 2, column 5: why" or "/tests/0: why"
 * @return 0 or MCP_ERR_* */
int ctl_suite_parse(mcp_doc **out, char *text, size_t len, mcp_error *err);

#endif
