/* SPDX-License-Identifier: MIT */
#include "pack/match.h"
#include "common/json.h"

#include <string.h>

/* The entry of that name in a list; NULL: there is none. */
static const mcp_json *find_named(const mcp_json *list, const char *name) {
  mcp_json_iter iter;
  const mcp_json *entry = NULL;
  mcp_json_iter_init(&iter, list);
  while ((entry = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *other = ctl_json_member(entry, "name");
    if (other != NULL && strcmp(other, name) == 0) {
      return entry;
    }
  }
  return NULL;
}

/* A user agrees to what the manifest says. */
static void match_entry(const mcp_json *said, const mcp_json *is,
                        const char *kind, ctl_findings *findings) {
  const char *name = ctl_json_member(said, "name");
  const char *before = ctl_json_member(said, "description");
  const char *after = ctl_json_member(is, "description");
  if (is == NULL) {
    ctl_findings_add(findings, CTL_FAULT, "not-offered",
                     "the manifest has the %s '%s', but the server does not "
                     "list it",
                     kind, name);
  } else if (before != NULL && after != NULL && strcmp(before, after) != 0) {
    ctl_findings_add(findings, CTL_WARNING, "description",
                     "the %s '%s' has another description in the manifest than "
                     "the server gives",
                     kind, name);
  }
}

static void match_list(const mcp_json *said, const mcp_json *is, int has_others,
                       const char *kind, ctl_findings *findings) {
  mcp_json_iter iter;
  const mcp_json *entry = NULL;
  mcp_json_iter_init(&iter, said);
  while ((entry = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = ctl_json_member(entry, "name");
    match_entry(entry, name != NULL ? find_named(is, name) : NULL, kind,
                findings);
  }
  mcp_json_iter_init(&iter, has_others ? NULL : is);
  while ((entry = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = ctl_json_member(entry, "name");
    if (name != NULL && find_named(said, name) == NULL) {
      ctl_findings_add(findings, CTL_WARNING, "not-in-manifest",
                       "the server has the %s '%s', but the manifest does not "
                       "have it, nor %ss_generated",
                       kind, name, kind);
    }
  }
}

void ctl_match(const mcp_json *manifest, const mcp_json *listing,
               ctl_findings *findings) {
  const char *version = ctl_json_member(manifest, "version");
  const char *own = ctl_json_member(mcp_json_get(listing, "server"), "version");
  if (version != NULL && own != NULL && strcmp(version, own) != 0) {
    ctl_findings_add(findings, CTL_NOTE, "server-version",
                     "the manifest's version is %s, but the server says %s",
                     version, own);
  }
  match_list(mcp_json_get(manifest, "tools"), mcp_json_get(listing, "tools"),
             mcp_json_bool(mcp_json_get(manifest, "tools_generated")), "tool",
             findings);
  match_list(mcp_json_get(manifest, "prompts"),
             mcp_json_get(listing, "prompts"),
             mcp_json_bool(mcp_json_get(manifest, "prompts_generated")),
             "prompt", findings);
}
