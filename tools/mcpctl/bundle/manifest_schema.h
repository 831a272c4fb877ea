/* SPDX-License-Identifier: MIT */
/* The form of manifest.json as a JSON Schema, in our words. */
#ifndef CTL_MANIFEST_SCHEMA_H
#define CTL_MANIFEST_SCHEMA_H

/* Two halves, since compilers need not take longer strings. */
extern const char *const ctl_manifest_schema[2];

/* Members that only later versions of the manifest have. */
typedef struct ctl_manifest_member {
  const char *name;
  const char *since;
} ctl_manifest_member;

extern const ctl_manifest_member ctl_manifest_members[]; /* NULL at the end */

#endif
