/* SPDX-License-Identifier: MIT */
/* The place at which an unfinished JSON text ends, for messages of errors. */
#ifndef MCPI_JSON_PLACE_H
#define MCPI_JSON_PLACE_H

#include "base/str.h"

enum { MCPI_JSON_PLACE_SIZE = 120 };

/* Writes the beginning of a message and a NUL: a JSON pointer and a colon, such
 * as "/list/2: ". Writes an empty string for the root.
 *
 * `text` is the beginning of a JSON text, up to any place between two tokens.
 * With `is_value` the pointer leads to the value that the text ends in or that
 * comes next; without, to the innermost array or object that is open. Names
 * are as in the text, so a quote in one is escaped. A long name is cut, and so
 * are the outer parts of a long pointer; "..." shows where. */
void mcpi_json_place(char place[MCPI_JSON_PLACE_SIZE], mcpi_str text,
                     int is_value);

#endif
