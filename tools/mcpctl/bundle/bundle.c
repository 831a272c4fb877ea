/* SPDX-License-Identifier: MIT */
#include "bundle/bundle.h"
#include "bundle/deflate.h"
#include "bundle/manifest.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/report.h"
#include "platform/files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_MANIFEST = 4 * 1024 * 1024 };

int ctl_bundle_is_named(const char *word) {
  const char *dot = strrchr(word, '.');
  return dot != NULL && dot != word &&
         (strcasecmp(dot, ".mcpb") == 0 || strcasecmp(dot, ".dxt") == 0);
}

int ctl_bundle_refuse(void) {
  return ctl_deflate_is_there()
             ? 0
             : ctl_report(CTL_USAGE,
                          "this mcpctl cannot read or write bundles: it is "
                          "built without zlib (MCP_BUNDLES)");
}

/* ---- checks ------------------------------------------------------------ */

static void read_manifest(ctl_bundle *bundle, ctl_findings *findings) {
  mcp_error err = {0};
  const ctl_zip_entry *entry = ctl_zip_find(&bundle->zip, CTL_MANIFEST_FILE);
  if (entry == NULL) {
    ctl_findings_add(findings, CTL_FAULT, "manifest-missing",
                     "the archive has no " CTL_MANIFEST_FILE
                     " in its top folder");
    return;
  }
  char *text =
      entry->len <= MAX_MANIFEST
          ? ctl_zip_unpack(entry, &err)
          : (mcp_error_set(&err, MCP_ERR_LIMIT, "it is larger than 4 MiB"),
             NULL);
  if (text != NULL) {
    ctl_file_parse(&bundle->manifest, text, entry->len, &err);
  }
  if (bundle->manifest == NULL) {
    ctl_findings_add(findings, CTL_FAULT, "manifest-json",
                     CTL_MANIFEST_FILE ": %s", err.message);
  }
  free(text);
}

/* A checksum is known to be right only when the file is unpacked. */
static void check_contents(const ctl_zip *zip, ctl_findings *findings) {
  mcp_error err = {0};
  for (size_t i = 0; i < zip->count; i++) {
    char *bytes = ctl_zip_unpack(&zip->entries[i], &err);
    if (bytes == NULL) {
      ctl_findings_add(findings, CTL_FAULT, "archive", "%s", err.message);
    }
    free(bytes);
  }
}

void ctl_bundle_check_bytes(ctl_bundle *bundle, char *bytes, size_t len,
                            ctl_findings *findings) {
  mcp_error err = {0};
  *bundle = (ctl_bundle){.bytes = bytes, .len = len};
  if (ctl_zip_read(&bundle->zip, bytes, len, &err) != 0) {
    ctl_findings_add(findings, CTL_FAULT, "archive", "%s", err.message);
    return;
  }
  check_contents(&bundle->zip, findings);
  read_manifest(bundle, findings);
  if (bundle->manifest == NULL) {
    return;
  }
  const mcp_json *manifest = mcp_doc_root(bundle->manifest);
  size_t faults = ctl_findings_count(findings, CTL_FAULT);
  ctl_manifest_check(manifest, findings);
  if (ctl_findings_count(findings, CTL_FAULT) == faults &&
      !findings->is_broken) {
    ctl_manifest_check_files(manifest, &bundle->zip, findings);
  }
}

/* A larger file is not read, since it would be in memory. */
static int is_too_large(const char *path) {
  ctl_path_state state;
  char *real = ctl_path_real(path);
  int is = real != NULL && ctl_path_look(real, &state) == 0 &&
           state.len > CTL_ZIP_MAX_LEN;
  free(real);
  return is;
}

int ctl_bundle_check(ctl_bundle *bundle, const char *path,
                     ctl_findings *findings, mcp_error *err) {
  size_t len = 0;
  *bundle = (ctl_bundle){0};
  if (is_too_large(path)) {
    ctl_findings_add(findings, CTL_FAULT, "archive",
                     "it is larger than 512 MiB");
    return 0;
  }
  char *bytes = ctl_file_read(path, &len, err);
  if (bytes == NULL) {
    return err->code;
  }
  ctl_bundle_check_bytes(bundle, bytes, len, findings);
  return 0;
}

void ctl_bundle_deinit(ctl_bundle *bundle) {
  ctl_zip_deinit(&bundle->zip);
  mcp_doc_free(bundle->manifest);
  free(bundle->bytes);
  *bundle = (ctl_bundle){0};
}
