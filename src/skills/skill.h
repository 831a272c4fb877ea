/* SPDX-License-Identifier: MIT */
/* One skill, as it was when its files were read. It is counted and does not
 * change, apart from is_stale: lists on several threads share it. */
#ifndef MCPI_SKILLS_SKILL_H
#define MCPI_SKILLS_SKILL_H

#include "skills/folder.h"
#include <mcp/sys/crypto.h>
#include <stdatomic.h>

enum { MCPI_DIGEST_SIZE = 7 + 2 * MCP_SHA256_SIZE + 1 };

typedef struct mcpi_skill_file {
  char *path; /* below the skill's folder */
  char *uri;
  const char *mime_type;         /* static */
  char digest[MCPI_DIGEST_SIZE]; /* "sha256:" and hexadecimal digits */
  mcpi_stamp stamp;
} mcpi_skill_file;

typedef struct mcpi_skill {
  atomic_uint refs;
  atomic_int is_stale; /* a file has other bytes than its digest says */
  mcp_allocator allocator;
  char *name;  /* of the folder, and so of the skill */
  char *fault; /* why it is not valid; NULL: it is */
  int fault_code;
  /* Links and the like that were left out, and the path of the first; NULL. */
  size_t other_count;
  char *other;
  char *description;      /* NULL if it is not valid, like the next one */
  mcpi_buf entry;         /* as `skills/list` shows it; a NUL follows */
  mcpi_skill_file *files; /* sorted by path; SKILL.md is one of them */
  size_t count;
  size_t cap;
} mcpi_skill;

/* Reads the skill in the folder `name`. What a walk found there is given. A
 * skill that is not valid is one with a fault. Returns 0, MCP_ERR_NOMEM, or
 * MCP_ERR_UNSUPPORTED or MCP_ERR_PLATFORM with err: there is no YAML or no
 * SHA-256. On any thread. */
int mcpi_skill_read(mcpi_skill **out, int folder, const char *name,
                    const mcpi_walk *walk, const mcp_allocator *allocator,
                    mcp_error *err);
/* Makes a skill that has only a fault. Returns NULL when out of memory. */
mcpi_skill *mcpi_skill_faulty(const char *name, const mcp_error *why,
                              const mcp_allocator *allocator);

mcpi_skill *mcpi_skill_ref(mcpi_skill *skill);
void mcpi_skill_unref(mcpi_skill *skill); /* NULL is accepted */

static inline int mcpi_skill_is_valid(const mcpi_skill *skill) {
  return skill->fault == NULL;
}

/* Whether what a walk found is what the skill was made of. */
int mcpi_skill_matches(const mcpi_skill *skill, const mcpi_walk *walk);

/* Returns the file with this URI, or NULL. */
const mcpi_skill_file *mcpi_skill_find(const mcpi_skill *skill, mcpi_str uri);
/* Whether it is the skill's SKILL.md. */
int mcpi_skill_file_is_main(const mcpi_skill_file *file);

/* Writes "sha256:" and the digits of the bytes' hash. Returns 0, or an error of
 * mcp_crypto.sha256. On any thread. */
int mcpi_skill_digest(char out[MCPI_DIGEST_SIZE], const void *bytes,
                      size_t len);
/* Whether the bytes are text, which resources/read sends as it is. */
int mcpi_skill_is_text(const char *bytes, size_t len);
/* Appends "skill://", the name and the path, with characters that are not
 * allowed in a URI as %XX. An empty path: the folder's URI. */
void mcpi_skill_put_uri(mcpi_buf *out, const char *name, mcpi_str path);

#endif
