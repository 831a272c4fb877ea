/* SPDX-License-Identifier: MIT */
#include "client/extension.h"

#include "client/cached.h"
#include "client/pages.h"
#include "client/params.h"
#include "client/send.h"
#include "client/settle.h"

static int extension_start(mcpi_request *request, const char *uri) {
  if (uri != NULL) {
    mcpi_request_note(request, mcpi_params_string(&request->bufs.params, "uri",
                                                  uri, request->start_err));
  }
  if (request->row->is_cacheable) {
    mcpi_cached_allow(request);
  }
  return mcpi_request_start(request);
}

int mcpi_extension_get(mcp_client *client, const mcpi_method *row,
                       const char *uri, const mcp_request_options *options,
                       mcp_done_cb on_done, void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc = mcpi_request_open(&request, client, row, &mcpi_request_plain,
                             options, on_done, userdata, err);
  return rc != 0 ? rc : extension_start(request, uri);
}

int mcpi_extension_list(mcp_client *client, const mcpi_method *row,
                        const char *uri, const mcp_request_options *options,
                        mcp_done_cb on_done, void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc = mcpi_request_open(&request, client, row, &mcpi_request_list, options,
                             on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_pages_begin(request);
  return extension_start(request, uri);
}

void mcpi_extension_drop_cached(mcp_client *client, const char *uri) {
  mcpi_cache_drop_resource(&client->cache, mcpi_str_z(uri), &client->scratch);
  mcpi_cache_drop_skills(&client->cache, &client->scratch);
}
