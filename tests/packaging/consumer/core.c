/* SPDX-License-Identifier: MIT */
/* libmcp-core, and yyjson beside it. */
#include <mcp/json.h>
#include <mcp/sys/yyjson.h>
#include <stdio.h>

int main(void) {
  mcp_doc *doc = mcp_doc_parse("[1,2,3]", 7, NULL, NULL, NULL);
  if (doc == NULL) {
    return 1;
  }
  printf("%zu values\n",
         yyjson_arr_size(mcp_json_to_yyjson(mcp_doc_root(doc))));
  mcp_doc_free(doc);
  return 0;
}
