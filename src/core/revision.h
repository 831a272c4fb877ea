/* SPDX-License-Identifier: MIT */
/* The revisions of the protocol and what each has (MCP, Key Changes). The table
 * is core/revisions.def. Only this file and revision.c compare revisions or
 * list them; all other code asks whether a revision has a feature. */
#ifndef MCPI_CORE_REVISION_H
#define MCPI_CORE_REVISION_H

#include "base/buf.h"
#include <mcp/version.h>

/* Indexes in the table, as in MCPI_REVISION_2025_03_26. */
enum {
#define REVISION(id, name, era, previous, adds, drops) MCPI_REVISION_##id,
#include "core/revisions.def"
  MCPI_REVISION_COUNT,
  MCPI_REVISION_OLDEST = 0,
  MCPI_REVISION_NEWEST = MCPI_REVISION_COUNT - 1,
  MCPI_REVISION_LEGACY_COUNT = 0
#define REVISION(id, name, era, previous, adds, drops)                         \
  +(MCP_ERA_##era == MCP_ERA_LEGACY)
#include "core/revisions.def"
  ,
  MCPI_REVISION_NEWEST_LEGACY = MCPI_REVISION_LEGACY_COUNT - 1,
  MCPI_REVISION_OLDEST_MODERN = MCPI_REVISION_LEGACY_COUNT
};

/* Features: one bit for each column of the table. */
enum {
  MCPI_HAS_BATCH = 1 << 0,
  MCPI_HAS_AUDIO = 1 << 1,
  MCPI_HAS_TOOL_ANNOTATIONS = 1 << 2,
  MCPI_HAS_COMPLETIONS_CAPABILITY = 1 << 3,
  MCPI_HAS_PROGRESS_MESSAGE = 1 << 4,
  MCPI_HAS_TITLE = 1 << 5, /* and _meta everywhere, lastModified */
  MCPI_HAS_RESOURCE_LINK = 1 << 6,
  MCPI_HAS_STRUCTURED = 1 << 7,     /* outputSchema, structuredContent */
  MCPI_HAS_STRUCTURED_ANY = 1 << 8, /* of any JSON type, not objects alone */
  MCPI_HAS_COMPLETE_CONTEXT = 1 << 9,
  MCPI_HAS_ELICIT_FORM = 1 << 10,
  MCPI_HAS_ELICIT_URL = 1 << 11,
  MCPI_HAS_ELICIT_ID = 1 << 12,   /* elicitationId, its end, -32042 */
  MCPI_HAS_ELICIT_RICH = 1 << 13, /* defaults, titled and multiple choices */
  MCPI_HAS_ICONS = 1 << 14, /* and Implementation.description, websiteUrl */
  MCPI_HAS_SAMPLING_TOOLS = 1 << 15,
  MCPI_HAS_SAMPLING_CONTEXT = 1 << 16, /* the capability, for includeContext */
  MCPI_HAS_NOT_FOUND_CODE = 1 << 17,   /* -32002 for resources, else -32602 */
  MCPI_HAS_EXTENSIONS = 1 << 18, /* in its text; all revisions send them */
  MCPI_HAS_POLLING = 1 << 19, /* an event stream may end before its answers */
  MCPI_HAS_BOOLEAN_SCHEMAS = 1 << 20, /* among a schema's properties */
  MCPI_HAS_RESERVED_CODES = 1 << 21,  /* -32020 to -32099 are the protocol's */
  MCPI_HAS_VERSION_HEADER = 1 << 22,  /* MCP-Protocol-Version */
  MCPI_HAS_TASKS = 1 << 23            /* in the protocol itself */
};

typedef struct mcpi_revision {
  const char *name;
  const char *verdict; /* "modern 2026-07-28": see mcp_client_verdict */
  int index;           /* MCPI_REVISION_... */
  uint32_t era;        /* MCP_ERA_LEGACY or MCP_ERA_MODERN */
  uint32_t features;   /* MCPI_HAS_... */
} mcpi_revision;

extern const mcpi_revision mcpi_revisions[MCPI_REVISION_COUNT];

/* Returns the row with that name, or NULL. */
const mcpi_revision *mcpi_revision_find(mcpi_str name);

/* Returns the newest revision that is not newer than the version, by their
 * dates; the oldest if all are newer; NULL: the version is not a date, or
 * belongs to the modern era. */
const mcpi_revision *mcpi_revision_nearest(mcpi_str name);

/* Returns the revision of an HTTP request without MCP-Protocol-Version: the
 * newest that does not have the header. */
const mcpi_revision *mcpi_revision_without_header(void);

static inline int mcpi_revision_has(const mcpi_revision *revision,
                                    uint32_t feature) {
  return (revision->features & feature) != 0;
}

static inline int mcpi_revision_is_modern(const mcpi_revision *revision) {
  return revision->era == MCP_ERA_MODERN;
}

/* Whether a version belongs to the modern era: it is a modern revision of the
 * table, or an unknown date that is later than all legacy revisions. */
int mcpi_revision_is_modern_name(mcpi_str name);

/* Returns the newest revision of the eras (MCP_ERA_*), or NULL for no era. */
const mcpi_revision *mcpi_revision_newest(uint32_t eras);

/* Returns the names of the eras' revisions, newest first. Static. */
const char *const *mcpi_revision_names(uint32_t eras, size_t *count);

/* Appends those names as a JSON array. */
void mcpi_revision_put_names(mcpi_buf *out, uint32_t eras);

/* Returns the first modern revision in a list of names, or NULL. */
const mcpi_revision *mcpi_revision_first_modern(const char *const *versions,
                                                size_t count);

/* A range of revisions. */
typedef struct mcpi_revision_range {
  int8_t first; /* MCPI_REVISION_... */
  int8_t last;
} mcpi_revision_range;

static inline int mcpi_revision_in(const mcpi_revision *revision,
                                   mcpi_revision_range range) {
  return revision->index >= range.first && revision->index <= range.last;
}

#endif
