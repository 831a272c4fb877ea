/* SPDX-License-Identifier: MIT */
/* manifest.json of a bundle (the specification MCPB, manifest versions 0.1 to
 * 0.4): its rules. */
#ifndef CTL_MANIFEST_H
#define CTL_MANIFEST_H

#include "bundle/findings.h"
#include "bundle/zip.h"

#define CTL_MANIFEST_FILE "manifest.json"
/* The version that mcpctl writes. */
#define CTL_MANIFEST_VERSION "0.3"

/* The variable that stands for the folder into which the bundle is unpacked,
 * and those of the user's settings begin so. */
#define CTL_VARIABLE_FOLDER "${__dirname}"
#define CTL_VARIABLE_SETTING "user_config."

/* The platforms as manifests name them. */
extern const char *const ctl_manifest_platforms[]; /* NULL at the end */
/* The one that mcpctl runs on. */
const char *ctl_manifest_platform(void);

/* Checks the form of a manifest: members, their types, its version. */
void ctl_manifest_check(const mcp_json *manifest, ctl_findings *findings);

/* Checks what the manifest says of files, settings and platforms. It must have
 * the right form. */
void ctl_manifest_check_files(const mcp_json *manifest, const ctl_zip *zip,
                              ctl_findings *findings);

/* The member of mcp_config for a platform: its own, or that of all. */
const mcp_json *ctl_manifest_config(const mcp_json *manifest,
                                    const char *platform, const char *member);

/* Whether the server runs on the platform, as far as the manifest says. */
int ctl_manifest_has_platform(const mcp_json *manifest, const char *platform);

#endif
