/* SPDX-License-Identifier: MIT */
/* Images on terminals that can show them: kitty's graphics protocol, and the
 * inline images of iTerm2, which WezTerm has, too. */
#ifndef CTL_IMAGE_H
#define CTL_IMAGE_H

#include <mcp/json.h>

/* Shows an image (base64) on standard output. Returns 0 and prints nothing if
 * standard output is not such a terminal, or if the data is not an image that
 * the terminal knows. */
int ctl_image_show(const mcp_json *data);

#endif
