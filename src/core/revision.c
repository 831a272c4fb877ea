/* SPDX-License-Identifier: MIT */
/* The revisions of the protocol and what each has (PROTOCOL 9). */
#include "core/revision.h"

#include <mcp/server.h>

/* What came in a revision and is there in all later ones. */
enum {
  SINCE_R2 = MCPI_HAS_AUDIO | MCPI_HAS_TOOL_ANNOTATIONS |
             MCPI_HAS_COMPLETIONS_CAPABILITY | MCPI_HAS_PROGRESS_MESSAGE,
  SINCE_R3 = SINCE_R2 | MCPI_HAS_TITLE | MCPI_HAS_RESOURCE_LINK |
             MCPI_HAS_STRUCTURED | MCPI_HAS_COMPLETE_CONTEXT |
             MCPI_HAS_ELICIT_FORM,
  SINCE_R4 = SINCE_R3 | MCPI_HAS_ELICIT_URL | MCPI_HAS_ELICIT_RICH |
             MCPI_HAS_ICONS | MCPI_HAS_SAMPLING_TOOLS |
             MCPI_HAS_SAMPLING_CONTEXT,
  SINCE_R5 = SINCE_R4 | MCPI_HAS_MODERN | MCPI_HAS_STRUCTURED_ANY |
             MCPI_HAS_EXTENSIONS | MCPI_HAS_BOOLEAN_SCHEMAS |
             MCPI_HAS_RESERVED_CODES
};

/* R1 says nothing of batches; there JSON-RPC's own rule holds, which is to
 * accept them. */
const mcpi_revision mcpi_revisions[MCPI_REVISION_COUNT] = {
    [MCPI_R1] = {MCP_REVISION_2024_11_05, MCPI_R1,
                 MCPI_HAS_BATCH | MCPI_HAS_NOT_FOUND_CODE},
    [MCPI_R2] = {MCP_REVISION_2025_03_26, MCPI_R2,
                 SINCE_R2 | MCPI_HAS_BATCH | MCPI_HAS_NOT_FOUND_CODE},
    [MCPI_R3] = {MCP_REVISION_2025_06_18, MCPI_R3,
                 SINCE_R3 | MCPI_HAS_NOT_FOUND_CODE},
    [MCPI_R4] = {MCP_REVISION_2025_11_25, MCPI_R4,
                 SINCE_R4 | MCPI_HAS_ELICIT_ID | MCPI_HAS_NOT_FOUND_CODE |
                     MCPI_HAS_POLLING},
    [MCPI_R5] = {MCP_REVISION_2026_07_28, MCPI_R5, SINCE_R5},
};

/* From the newest, which every modern request names. */
const mcpi_revision *mcpi_revision_find(mcpi_str name) {
  for (size_t i = MCPI_REVISION_COUNT; i > 0; i--) {
    if (mcpi_str_eq(name, mcpi_str_z(mcpi_revisions[i - 1].name))) {
      return &mcpi_revisions[i - 1];
    }
  }
  return NULL;
}

/* "YYYY-MM-DD", as far as it must be for an order of texts to be one of
 * dates. */
static int is_date(mcpi_str name) {
  for (size_t i = 0; i < name.len; i++) {
    int is_dash = i == 4 || i == 7;
    if (is_dash ? name.ptr[i] != '-' : name.ptr[i] < '0' || name.ptr[i] > '9') {
      return 0;
    }
  }
  return name.len == 10;
}

int mcpi_revision_is_modern_name(mcpi_str name) {
  const mcpi_revision *revision = mcpi_revision_find(name);
  if (revision != NULL) {
    return mcpi_revision_is_modern(revision);
  }
  return is_date(name) &&
         memcmp(name.ptr, mcpi_revision_newest(MCP_ERA_LEGACY)->name, 10) > 0;
}

const mcpi_revision *mcpi_revision_nearest(mcpi_str name) {
  int place = mcpi_revision_newest(MCP_ERA_LEGACY)->index;
  if (!is_date(name) || mcpi_revision_is_modern_name(name)) {
    return NULL;
  }
  while (place > 0 && memcmp(name.ptr, mcpi_revisions[place].name, 10) < 0) {
    place--;
  }
  return &mcpi_revisions[place];
}

static int is_of(const mcpi_revision *revision, uint32_t eras) {
  uint32_t era =
      mcpi_revision_is_modern(revision) ? MCP_ERA_MODERN : MCP_ERA_LEGACY;
  return (eras & era) != 0;
}

const mcpi_revision *mcpi_revision_newest(uint32_t eras) {
  for (size_t i = MCPI_REVISION_COUNT; i > 0; i--) {
    if (is_of(&mcpi_revisions[i - 1], eras)) {
      return &mcpi_revisions[i - 1];
    }
  }
  return NULL;
}

size_t mcpi_revision_names(uint32_t eras, const char **names) {
  size_t count = 0;
  for (size_t i = MCPI_REVISION_COUNT; i > 0; i--) {
    if (is_of(&mcpi_revisions[i - 1], eras)) {
      names[count++] = mcpi_revisions[i - 1].name;
    }
  }
  return count;
}
