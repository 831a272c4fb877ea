/* SPDX-License-Identifier: MIT */
/* A bundle (MCPB, once DXT): a zip archive with a server and its
 * manifest.json. */
#ifndef CTL_BUNDLE_H
#define CTL_BUNDLE_H

#include "bundle/findings.h"
#include "bundle/zip.h"

#include <mcp/json.h>

typedef struct ctl_bundle {
  char *bytes; /* owned */
  size_t len;
  ctl_zip zip;
  mcp_doc *manifest; /* owned; NULL: it is not there, or not JSON */
} ctl_bundle;

/* Whether the word is the name of a bundle's file: it ends with .mcpb or
 * .dxt. */
int ctl_bundle_is_named(const char *word);

/* Reports that this mcpctl is built without bundles. Returns 0 if it is built
 * with them; else an exit code. */
int ctl_bundle_refuse(void);

/* Reads the file and its manifest, and checks all that is said in it: the
 * archive, the manifest, each file. Returns 0; or MCP_ERR_IO as in err, if the
 * file cannot be read. The caller calls ctl_bundle_deinit in any case. */
int ctl_bundle_check(ctl_bundle *bundle, const char *path,
                     ctl_findings *findings, mcp_error *err);
/* The same for bytes, which are taken. */
void ctl_bundle_check_bytes(ctl_bundle *bundle, char *bytes, size_t len,
                            ctl_findings *findings);
void ctl_bundle_deinit(ctl_bundle *bundle);

#endif
