/* SPDX-License-Identifier: MIT */
#include "pack/verify.h"
#include "bundle/manifest.h"
#include "bundle/settings.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "common/text.h"
#include "line/options.h"
#include "pack/ask.h"
#include "pack/match.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- the server -------------------------------------------------------- */

/* Why the server cannot be started here, which is not the bundle's fault.
 * Returns 0 if it can be. */
static int why_not_started(const ctl_options *options, const ctl_bundle *bundle,
                           mcp_error *err) {
  const mcp_json *manifest = mcp_doc_root(bundle->manifest);
  const char *platform = ctl_manifest_platform();
  const ctl_settings settings = {mcp_json_get(manifest, "user_config"),
                                 options->settings, ""};
  if (!ctl_manifest_has_platform(manifest, platform)) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED, "it is not for %s",
                         platform);
  }
  return ctl_settings_check(&settings, err);
}

int ctl_verify_server(const ctl_options *options, const ctl_bundle *bundle,
                      const char *path, ctl_findings *findings) {
  ctl_asked asked;
  mcp_error err = {0};
  if (why_not_started(options, bundle, &err) != 0) {
    ctl_findings_add(findings, CTL_WARNING, "not-started",
                     "the server was not started: %s", err.message);
    return CTL_OK;
  }
  int code = ctl_ask_bundle(&asked, options, bundle, path);
  if (code == CTL_OK) {
    ctl_match(mcp_doc_root(bundle->manifest), mcp_doc_root(asked.listing),
              findings);
  } else if (code != CTL_INTERRUPTED) {
    ctl_findings_add(findings, CTL_FAULT, "server-fails",
                     "the server does not start, or does not answer: %s",
                     ctl_report_error() != NULL ? ctl_report_error()
                                                : "see above");
    code = CTL_OK;
  }
  ctl_asked_deinit(&asked);
  return code;
}

/* ---- the report -------------------------------------------------------- */

static void print_text(const ctl_bundle *bundle, const char *path,
                       const ctl_findings *findings) {
  const mcp_json *manifest = mcp_doc_root(bundle->manifest);
  const char *name = ctl_json_member(manifest, "name");
  const char *version = ctl_json_member(manifest, "version");
  ctl_text_put_line(stdout, name != NULL ? name : path, SIZE_MAX);
  if (version != NULL) {
    putchar(' ');
    ctl_text_put_line(stdout, version, SIZE_MAX);
  }
  printf("\n%zu file%s, %zu bytes; unpacked %zu bytes; %s\n", bundle->zip.count,
         bundle->zip.count == 1 ? "" : "s", bundle->len, bundle->zip.total,
         bundle->zip.is_signed ? "signed" : "not signed");
  ctl_findings_print(findings);
}

static int print_json(const ctl_bundle *bundle, const char *path,
                      const ctl_findings *findings) {
  const mcp_json *manifest = mcp_doc_root(bundle->manifest);
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  ctl_json_put_typed(out, "file", path);
  mcp_builder_bool(out, "valid", !ctl_findings_have_fault(findings));
  if (ctl_json_member(manifest, "name") != NULL) {
    mcp_builder_value(out, "name", mcp_json_get(manifest, "name"));
  }
  if (ctl_json_member(manifest, "version") != NULL) {
    mcp_builder_value(out, "version", mcp_json_get(manifest, "version"));
  }
  mcp_builder_bool(out, "signed", bundle->zip.is_signed);
  mcp_builder_int(out, "files", (int64_t)bundle->zip.count);
  mcp_builder_int(out, "bytes", (int64_t)bundle->len);
  mcp_builder_int(out, "unpackedBytes", (int64_t)bundle->zip.total);
  ctl_findings_put(findings, out);
  mcp_builder_end(out);
  return ctl_json_print_built(out);
}

static int print_all(const ctl_options *options, const ctl_bundle *bundle,
                     const ctl_findings *findings) {
  const char *path = options->args[0];
  int code = CTL_OK;
  if (findings->is_broken) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  if (options->is_json) {
    code = print_json(bundle, path, findings);
  } else {
    print_text(bundle, path, findings);
  }
  return code == CTL_OK && ctl_findings_have_fault(findings) ? CTL_FAULTY
                                                             : code;
}

/* ---- the verb ---------------------------------------------------------- */

static int verify_bundle(const ctl_options *options, const ctl_bundle *bundle,
                         ctl_findings *findings) {
  int code = CTL_OK;
  if (bundle->zip.is_signed) {
    ctl_findings_add(findings, CTL_NOTE, "signature",
                     "it is signed; mcpctl does not check by whom, or that "
                     "nothing has changed since");
  }
  if (!ctl_findings_have_fault(findings)) {
    code = ctl_verify_server(options, bundle, options->args[0], findings);
  }
  return code == CTL_OK ? print_all(options, bundle, findings) : code;
}

int ctl_verify_run(const ctl_options *options) {
  ctl_bundle bundle;
  ctl_findings findings = {0};
  mcp_error err = {0};
  int code = ctl_bundle_refuse();
  if (code != 0) {
    return code;
  }
  code = ctl_bundle_check(&bundle, options->args[0], &findings, &err) == 0
             ? verify_bundle(options, &bundle, &findings)
             : ctl_report(CTL_USAGE, "%s", err.message);
  ctl_findings_deinit(&findings);
  ctl_bundle_deinit(&bundle);
  return code;
}
