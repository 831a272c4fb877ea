/* SPDX-License-Identifier: MIT */
/* Random bytes, by the kernel through libuv. */
#include "platform/platform.h"

#include <mcp/error.h>
#include <uv.h>

int mcpi_platform_random(void *userdata, void *bytes, size_t len) {
  (void)userdata;
  /* without loop and callback libuv answers at once, without its threads */
  return uv_random(NULL, NULL, bytes, len, 0, NULL) == 0 ? 0 : MCP_ERR_IO;
}
