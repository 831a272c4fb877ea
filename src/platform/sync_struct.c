/* SPDX-License-Identifier: MIT */
/* Calls of tools that block, with structures (mcp/fields.h). */
#include "platform/sync.h"

#include <mcp/fields.h>
#include <mcp/sync.h>

static int sync_call(mcp_client *client, const char *name,
                     const mcp_struct_type *type, const void *arguments,
                     const mcp_request_options *options, mcp_result **out,
                     mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_call_struct(client, name, type, arguments, options,
                                       mcpi_sync_on_done, &kept, err));
}

int mcp_sync_call_struct(mcp_client *client, const char *name,
                         const mcp_struct_type *type, const void *arguments,
                         const mcp_request_options *options, mcp_result **out,
                         mcp_error *err) {
  mcp_result *result = NULL;
  int rc = sync_call(client, name, type, arguments, options, &result, err);
  if (rc == 0) {
    rc = mcp_result_check(result, err);
  }
  if (rc == 0 && out != NULL) {
    *out = result;
    return 0;
  }
  mcp_result_unref(result);
  return rc;
}
