/* SPDX-License-Identifier: MIT */
/* How much memory the library takes before it knows that it needs it, on
 * devices: as little as it can, and a loop keeps nothing for the next message.
 * The other profile explains each number. */
#ifndef MCPI_BASE_PROFILE_H
#define MCPI_BASE_PROFILE_H

enum {
  MCPI_PROFILE_BUFFER = 32,
  MCPI_PROFILE_DOUBLES = 0,
  MCPI_PROFILE_SLOTS = 4,
  MCPI_PROFILE_IDLE_BYTES = 0,
  MCPI_PROFILE_IDLE_CALLS = 0,
  MCPI_PROFILE_SCRATCH = 0,
  MCPI_PROFILE_KEEPS_LISTS = 0,
  MCPI_PROFILE_REPLY = 128,
  MCPI_PROFILE_DEPTH = 16,
  MCPI_PROFILE_SENTENCE = 256,
  MCPI_PROFILE_HEADERS = 4,
  MCPI_PROFILE_TEXT = 128,
  MCPI_PROFILE_EXACT_VALUES = 1
};

#define MCPI_PROFILE_ID_MAX 256

#endif
