/* SPDX-License-Identifier: MIT */
/* Pauses before a stream that broke is tried again (MCP 2025-11-25, Transports:
 * Resumability and Redelivery). */
#ifndef MCPI_CORE_BACKOFF_H
#define MCPI_CORE_BACKOFF_H

#include <stdint.h>

enum { MCPI_BACKOFF_MIN_MS = 1000, MCPI_BACKOFF_MAX_MS = 30000 };

/* Returns 1 s, then each time half as long again, up to 30 s. `tries`: the
 * number of tries in a row. */
static inline int64_t mcpi_backoff_ms(uint32_t tries) {
  int64_t wait_ms = MCPI_BACKOFF_MIN_MS;
  for (uint32_t i = 0; i < tries && wait_ms < MCPI_BACKOFF_MAX_MS; i++) {
    wait_ms += wait_ms / 2;
  }
  return wait_ms < MCPI_BACKOFF_MAX_MS ? wait_ms : MCPI_BACKOFF_MAX_MS;
}

#endif
