/* SPDX-License-Identifier: MIT */
/* MIME types of a skill's files, by their names. */
#ifndef MCPI_SKILLS_MIME_H
#define MCPI_SKILLS_MIME_H

/* Returns the type of a file with this name; is_text: what its bytes are. A
 * file that is not text never gets a type of text. Static. */
const char *mcpi_skill_mime_type(const char *path, int is_text);

#endif
