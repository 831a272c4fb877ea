/* SPDX-License-Identifier: MIT */
/* The revisions of the protocol and what each has (PROTOCOL 9). The only place
 * where a version is compared: everything else asks for a feature. */
#ifndef MCPI_CORE_REVISION_H
#define MCPI_CORE_REVISION_H

#include "base/str.h"
#include <mcp/version.h>

/* Places in the table, oldest first. */
enum {
  MCPI_R1 = 0, /* 2024-11-05 */
  MCPI_R2,     /* 2025-03-26 */
  MCPI_R3,     /* 2025-06-18 */
  MCPI_R4,     /* 2025-11-25 */
  MCPI_R5,     /* 2026-07-28 */
  MCPI_REVISION_COUNT
};

/* Features: one bit a column of the table. */
enum {
  MCPI_HAS_MODERN = 1 << 0, /* per-request context, resultType, MRTR, listen */
  MCPI_HAS_BATCH = 1 << 1,
  MCPI_HAS_AUDIO = 1 << 2,
  MCPI_HAS_TOOL_ANNOTATIONS = 1 << 3,
  MCPI_HAS_COMPLETIONS_CAPABILITY = 1 << 4,
  MCPI_HAS_PROGRESS_MESSAGE = 1 << 5,
  MCPI_HAS_TITLE = 1 << 6, /* and _meta everywhere, lastModified */
  MCPI_HAS_RESOURCE_LINK = 1 << 7,
  MCPI_HAS_STRUCTURED = 1 << 8,     /* outputSchema, structuredContent */
  MCPI_HAS_STRUCTURED_ANY = 1 << 9, /* of any JSON type, not objects alone */
  MCPI_HAS_COMPLETE_CONTEXT = 1 << 10,
  MCPI_HAS_ELICIT_FORM = 1 << 11,
  MCPI_HAS_ELICIT_URL = 1 << 12,
  MCPI_HAS_ELICIT_ID = 1 << 13,   /* elicitationId, its end, -32042 */
  MCPI_HAS_ELICIT_RICH = 1 << 14, /* defaults, titled and multiple choices */
  MCPI_HAS_ICONS = 1 << 15, /* and Implementation.description, websiteUrl */
  MCPI_HAS_SAMPLING_TOOLS = 1 << 16,
  MCPI_HAS_NOT_FOUND_CODE = 1 << 17, /* -32002 for resources, else -32602 */
  MCPI_HAS_EXTENSIONS = 1 << 18,     /* in its text; all revisions send them */
  MCPI_HAS_POLLING = 1 << 19, /* an event stream may end before its answers */
  MCPI_HAS_BOOLEAN_SCHEMAS = 1 << 20,  /* among a schema's properties */
  MCPI_HAS_SAMPLING_CONTEXT = 1 << 21, /* the capability, for includeContext */
  MCPI_HAS_RESERVED_CODES = 1 << 22    /* -32020 to -32099 are the protocol's */
};

typedef struct mcpi_revision {
  const char *name;
  int index; /* MCPI_R1 ... */
  uint32_t features;
} mcpi_revision;

extern const mcpi_revision mcpi_revisions[MCPI_REVISION_COUNT];

/* The row of that name, or NULL. */
const mcpi_revision *mcpi_revision_find(mcpi_str name);

/* The newest revision that is not newer than the version, by their dates; the
 * oldest where all are newer; NULL: the version is no date, or one of the
 * modern era. */
const mcpi_revision *mcpi_revision_nearest(mcpi_str name);

static inline int mcpi_revision_has(const mcpi_revision *revision,
                                    uint32_t feature) {
  return (revision->features & feature) != 0;
}

static inline int mcpi_revision_is_modern(const mcpi_revision *revision) {
  return mcpi_revision_has(revision, MCPI_HAS_MODERN);
}

/* Whether a version is one of the modern era: of the table, or, by its date, of
 * a time to come. */
int mcpi_revision_is_modern_name(mcpi_str name);

/* The newest revision of one of the eras (MCP_ERA_*). */
const mcpi_revision *mcpi_revision_newest(uint32_t eras);
/* The names of one of the eras' revisions, newest first, for error data and
 * discovery. Returns how many; names has room for MCPI_REVISION_COUNT. */
size_t mcpi_revision_names(uint32_t eras, const char **names);

#endif
