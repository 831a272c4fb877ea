/* SPDX-License-Identifier: MIT */
/* A bundle: its archive, its manifest, and how its server would be started.
 *
 * Each checksum is 0 here, and a packed file is as long as it is unpacked: a
 * fuzzer would not find bytes that deflate.c takes. */
#include "bundle/bundle.h"
#include "bundle/deflate.h"
#include "bundle/launch.h"
#include "bundle/manifest.h"
#include "pack/needs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int ctl_deflate_is_there(void) {
  return 1;
}

int ctl_inflate(char *out, size_t len, const char *packed, size_t packed_len) {
  if (len != packed_len) {
    return -1;
  }
  if (len > 0) {
    memcpy(out, packed, len);
  }
  return 0;
}

size_t ctl_inflate_begin(char *out, size_t max, const char *packed,
                         size_t packed_len) {
  size_t len = max < packed_len ? max : packed_len;
  if (len > 0) {
    memcpy(out, packed, len);
  }
  return len;
}

uint32_t ctl_crc32(const char *bytes, size_t len) {
  (void)bytes;
  (void)len;
  return 0;
}

static void take_name(void *userdata, const char *name) {
  *(int *)userdata += ctl_needs_is_common(name);
}

/* A program that someone packs. */
static void read_programs(const ctl_zip *zip) {
  mcp_error err;
  int common = 0;
  for (size_t i = 0; i < zip->count; i++) {
    char *bytes = ctl_zip_unpack(&zip->entries[i], &err);
    if (bytes != NULL) {
      ctl_needs_each(bytes, zip->entries[i].len, take_name, &common);
    }
    free(bytes);
  }
}

static void launch(const mcp_json *manifest) {
  static const char *const given[] = {"key=value", NULL};
  const ctl_settings settings = {mcp_json_get(manifest, "user_config"), given,
                                 "/folder"};
  mcp_error err = {0};
  ctl_settings_check(&settings, &err);
  for (int i = 0; ctl_manifest_platforms[i] != NULL; i++) {
    ctl_launch made;
    ctl_launch_init(&made, manifest, ctl_manifest_platforms[i], &settings,
                    &err);
    ctl_launch_deinit(&made);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ctl_bundle bundle;
  ctl_findings findings = {0};
  char *bytes = malloc(size > 0 ? size : 1);
  if (bytes == NULL) {
    return 0;
  }
  if (size > 0) {
    memcpy(bytes, data, size);
  }
  ctl_bundle_check_bytes(&bundle, bytes, size, &findings);
  read_programs(&bundle.zip);
  if (bundle.manifest != NULL &&
      ctl_findings_count(&findings, CTL_FAULT) == 0) {
    launch(mcp_doc_root(bundle.manifest));
  }
  ctl_findings_deinit(&findings);
  ctl_bundle_deinit(&bundle);
  return 0;
}
