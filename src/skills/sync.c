/* SPDX-License-Identifier: MIT */
/* The requests of client.c for programs that wait. */
#include "platform/sync.h"

#include <mcp/skills.h>

int mcp_sync_list_skills(mcp_client *client, const mcp_request_options *options,
                         mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(
      client, options, out, err,
      mcp_client_list_skills(client, options, mcpi_sync_on_done, &kept, err));
}

int mcp_sync_get_skill(mcp_client *client, const char *uri,
                       const mcp_request_options *options, mcp_result **out,
                       mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_get_skill(client, uri, options, mcpi_sync_on_done,
                                     &kept, err));
}

int mcp_sync_read_skill(mcp_client *client, const mcp_skill *skill,
                        const char *file, const mcp_request_options *options,
                        mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_read_skill(client, skill, file, options,
                                      mcpi_sync_on_done, &kept, err));
}

int mcp_sync_list_skill_folder(mcp_client *client, const mcp_skill *skill,
                               const char *folder,
                               const mcp_request_options *options,
                               mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_list_skill_folder(client, skill, folder, options,
                                             mcpi_sync_on_done, &kept, err));
}
