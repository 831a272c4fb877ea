/* SPDX-License-Identifier: MIT */
/* Accessors of parsed values beyond those of <mcp/json.h>. */
#ifndef MCPI_JSON_VALUE_H
#define MCPI_JSON_VALUE_H

#include "base/profile.h"
#include "base/str.h"
#include <mcp/json.h>

enum {
  /* No value that we read or write is deeper. */
  MCPI_JSON_MAX_DEPTH = MCPI_PROFILE_DEPTH,
  /* Values in one text, unless the program sets another limit. */
  MCPI_JSON_MAX_VALUES = 1000000
};

/* Whether a character is white space between tokens. */
static inline int mcpi_json_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns a string's bytes, or {NULL, 0} for a value of another type. */
mcpi_str mcpi_json_str(const mcp_json *value);

/* mcp_json_get, inline: the compiler knows the length of a literal. */
static inline const mcp_json *mcpi_json_get(const mcp_json *object,
                                            const char *name) {
  return mcp_json_get_n(object, name, strlen(name));
}

/* Returns the member's string as mcpi_json_str does. */
static inline mcpi_str mcpi_json_member_str(const mcp_json *object,
                                            const char *name) {
  return mcpi_json_str(mcpi_json_get(object, name));
}

#endif
