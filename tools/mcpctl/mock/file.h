/* SPDX-License-Identifier: MIT */
/* The file that describes a made-up server: its form. */
#ifndef CTL_MOCK_FILE_H
#define CTL_MOCK_FILE_H

#include <mcp/json.h>

/* Parses the JSON of a description, in which comments may stand, and checks its
 * form. Changes `text`: it replaces comments with blanks.
 *
 * @param out owned: end it with mcp_doc_free; NULL on failure
 * @param err not NULL; receives "line 2, column 5: why" or "/tools/0: why"
 * @return 0 or MCP_ERR_* */
int ctl_mock_parse(mcp_doc **out, char *text, size_t len, mcp_error *err);

#endif
