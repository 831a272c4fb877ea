/* SPDX-License-Identifier: MIT */
/* Defaults: writing a value together with the defaults of what it lacks. */
#ifndef MCPI_SCHEMA_DEFAULTS_H
#define MCPI_SCHEMA_DEFAULTS_H

#include "schema/run.h"

/* Writes a value with defaults to the builder, under `name` unless that is
 * NULL. The run's limits hold for it too. 0, MCP_ERR_LIMIT, or what the builder
 * returns; MCP_ERR_NOMEM for a NULL builder. */
int mcpi_apply_defaults(mcpi_run *run, const mcp_json *value, const char *name,
                        mcp_builder *builder);

#endif
