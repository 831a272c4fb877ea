/* SPDX-License-Identifier: MIT */
/* The revisions of the protocol and what each has (MCP, Key Changes). */
#include "core/revision.h"

/* --- the table ---------------------------------------------------------- */

/* The features of each revision: those of the row before, with additions and
 * removals. */
enum {
  FEATURES_none = 0,
#define REVISION(id, name, era, previous, adds, drops)                         \
  FEATURES_##id = (FEATURES_##previous & ~(drops)) | (adds),
#include "core/revisions.def"
};

/* The length of every name: all are dates. */
enum { NAME_LEN = sizeof("YYYY-MM-DD") - 1 };
#define REVISION(id, name, era, previous, adds, drops)                         \
  _Static_assert(sizeof(name) - 1 == NAME_LEN, "");
#include "core/revisions.def"

#define VERDICT_LEGACY "legacy "
#define VERDICT_MODERN "modern "

const mcpi_revision mcpi_revisions[MCPI_REVISION_COUNT] = {
#define REVISION(id, name, era, previous, adds, drops)                         \
  {name, VERDICT_##era name, MCPI_REVISION_##id, MCP_ERA_##era, FEATURES_##id},
#include "core/revisions.def"
};

/* Newest first, and so the modern ones before the legacy ones. */
static const char *const names[MCPI_REVISION_COUNT] = {
#define REVISION(id, name, era, previous, adds, drops)                         \
  [MCPI_REVISION_NEWEST - MCPI_REVISION_##id] = name,
#include "core/revisions.def"
};

/* --- one of them -------------------------------------------------------- */

/* Searches from the newest, which every modern request names. */
const mcpi_revision *mcpi_revision_find(mcpi_str name) {
  for (size_t i = MCPI_REVISION_COUNT; i > 0 && name.len == NAME_LEN; i--) {
    if (mcpi_bytes_eq(name.ptr, mcpi_revisions[i - 1].name, NAME_LEN)) {
      return &mcpi_revisions[i - 1];
    }
  }
  return NULL;
}

/* Whether a name has the form DDDD-DD-DD, with digits for D. The order of such
 * texts is the order of the dates. */
static int is_date(mcpi_str name) {
  for (size_t i = 0; i < name.len; i++) {
    int is_dash = i == 4 || i == 7;
    if (is_dash ? name.ptr[i] != '-' : name.ptr[i] < '0' || name.ptr[i] > '9') {
      return 0;
    }
  }
  return name.len == NAME_LEN;
}

int mcpi_revision_is_modern_name(mcpi_str name) {
  const mcpi_revision *revision = mcpi_revision_find(name);
  if (revision != NULL) {
    return mcpi_revision_is_modern(revision);
  }
  return is_date(name) &&
         memcmp(name.ptr, mcpi_revision_newest(MCP_ERA_LEGACY)->name,
                NAME_LEN) > 0;
}

const mcpi_revision *mcpi_revision_nearest(mcpi_str name) {
  int place = mcpi_revision_newest(MCP_ERA_LEGACY)->index;
  if (!is_date(name) || mcpi_revision_is_modern_name(name)) {
    return NULL;
  }
  while (place > 0 &&
         memcmp(name.ptr, mcpi_revisions[place].name, NAME_LEN) < 0) {
    place--;
  }
  return &mcpi_revisions[place];
}

const mcpi_revision *mcpi_revision_without_header(void) {
  int place = MCPI_REVISION_NEWEST;
  while (mcpi_revision_has(&mcpi_revisions[place], MCPI_HAS_VERSION_HEADER)) {
    place--;
  }
  return &mcpi_revisions[place];
}

const mcpi_revision *mcpi_revision_newest(uint32_t eras) {
  if ((eras & MCP_ERA_MODERN) != 0) {
    return &mcpi_revisions[MCPI_REVISION_NEWEST];
  }
  return (eras & MCP_ERA_LEGACY) != 0
             ? &mcpi_revisions[MCPI_REVISION_NEWEST_LEGACY]
             : NULL;
}

const mcpi_revision *mcpi_revision_first_modern(const char *const *versions,
                                                size_t count) {
  for (size_t i = 0; i < count; i++) {
    const mcpi_revision *revision = mcpi_revision_find(mcpi_str_z(versions[i]));
    if (revision != NULL && mcpi_revision_is_modern(revision)) {
      return revision;
    }
  }
  return NULL;
}

uint32_t mcp_revision_era(const char *name) {
  const mcpi_revision *revision = mcpi_revision_find(mcpi_str_z(name));
  return revision != NULL ? revision->era : 0;
}

const char *mcp_revision_name(size_t index) {
  return index < MCPI_REVISION_COUNT ? mcpi_revisions[index].name : NULL;
}

/* --- all of them -------------------------------------------------------- */

const char *const *mcpi_revision_names(uint32_t eras, size_t *count) {
  static const size_t modern_count =
      MCPI_REVISION_COUNT - MCPI_REVISION_LEGACY_COUNT;
  int has_modern = (eras & MCP_ERA_MODERN) != 0;
  int has_legacy = (eras & MCP_ERA_LEGACY) != 0;
  *count = (has_modern ? modern_count : 0) +
           (has_legacy ? MCPI_REVISION_LEGACY_COUNT : 0);
  return has_modern ? names : names + modern_count;
}

/* The names are dates: nothing in them needs escapes. */
void mcpi_revision_put_names(mcpi_buf *out, uint32_t eras) {
  size_t count;
  const char *const *list = mcpi_revision_names(eras, &count);
  mcpi_buf_putc(out, '[');
  for (size_t i = 0; i < count; i++) {
    mcpi_buf_puts(out, i > 0 ? MCPI_STR(",\"") : MCPI_STR("\""));
    mcpi_buf_puts(out, mcpi_str_z(list[i]));
    mcpi_buf_putc(out, '"');
  }
  mcpi_buf_putc(out, ']');
}
