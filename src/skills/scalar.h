/* SPDX-License-Identifier: MIT */
/* Plain scalars of YAML as JSON, by the core schema (YAML 1.2.2, 10.3). */
#ifndef MCPI_SKILLS_SCALAR_H
#define MCPI_SKILLS_SCALAR_H

#include "base/buf.h"

typedef enum mcpi_scalar {
  MCPI_SCALAR_TEXT,   /* a string: the text itself */
  MCPI_SCALAR_JSON,   /* null, true, false or a number, as JSON */
  MCPI_SCALAR_FOREIGN /* .inf or .nan, which JSON does not have */
} mcpi_scalar;

/* Says what a plain scalar means, and appends the text of JSON. `json` may keep
 * an error. */
mcpi_scalar mcpi_scalar_read(mcpi_str text, mcpi_buf *json);

#endif
