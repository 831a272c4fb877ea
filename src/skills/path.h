/* SPDX-License-Identifier: MIT */
/* Paths of files below a skill's folder, and the URIs that stand for them.
 * A server that is not ours chooses both, so a path may be used only after
 * these checks: no part of it is empty, "." or "..", and it has no control
 * characters and no backslashes. */
#ifndef MCPI_SKILLS_PATH_H
#define MCPI_SKILLS_PATH_H

#include "base/buf.h"

/* Whether a path is as above. */
int mcpi_skill_path_is_safe(mcpi_str path);

/* Appends the path of a URI below the URI of a folder, decoded. Returns 0;
 * MCP_ERR_INVALID, with nothing appended: the URI is not inside the folder, or
 * the path is not safe; MCP_ERR_NOMEM. */
int mcpi_skill_path_read(mcpi_buf *buf, mcpi_str folder, mcpi_str uri);

/* Appends a path, with characters that are not allowed in a URI as %XX. */
void mcpi_skill_path_encode(mcpi_buf *buf, mcpi_str path);

#endif
