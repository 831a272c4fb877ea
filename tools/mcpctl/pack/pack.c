/* SPDX-License-Identifier: MIT */
/* Makes a bundle in memory, checks it as `verify` does, and then writes it.
 *
 * Without a manifest of the user's there are two bundles: the first one has a
 * manifest that only starts the server. Its answers are in the manifest of the
 * second one. So a server that runs only where it was built is noticed. */
#include "pack/pack.h"
#include "bundle/manifest.h"
#include "bundle/sha256.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/json.h"
#include "common/replace.h"
#include "common/report.h"
#include "common/text.h"
#include "line/options.h"
#include "pack/ask.h"
#include "pack/draft.h"
#include "pack/match.h"
#include "pack/needs.h"
#include "pack/verify.h"
#include "platform/files.h"
#include "platform/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct packing {
  const ctl_options *options;
  ctl_gathered gathered;
  ctl_drafted drafted;
  mcp_doc *more; /* of --manifest; NULL: not given */
  ctl_bundle bundle;
  ctl_findings findings;
} packing;

static int report_error(const packing *self, const mcp_error *err) {
  return ctl_report(CTL_USAGE, "%s: %s", self->options->args[0], err->message);
}

/* ---- the bundle -------------------------------------------------------- */

/* Packs the files and checks the result. `manifest` is taken; NULL: it is among
 * the files. */
static int pack_files(packing *self, char *manifest) {
  mcp_error err = {0};
  char *bytes = NULL;
  size_t len = 0;
  int rc = ctl_gathered_pack(&self->gathered, manifest, &bytes, &len, &err);
  free(manifest);
  if (rc != 0) {
    return report_error(self, &err);
  }
  ctl_bundle_deinit(&self->bundle);
  ctl_findings_deinit(&self->findings);
  ctl_bundle_check_bytes(&self->bundle, bytes, len, &self->findings);
  return CTL_OK;
}

/* The names of libraries, with commas between them. */
typedef struct needed {
  FILE *out;
  int count;
} needed;

static void add_needed(void *userdata, const char *name) {
  needed *found = userdata;
  if (!ctl_needs_is_common(name)) {
    fprintf(found->out, "%s%s", found->count++ > 0 ? ", " : "", name);
  }
}

/* A program that was built on this machine finds them here, but perhaps not
 * where the bundle is installed. */
static void note_libraries(packing *self, const ctl_zip_entry *entry) {
  mcp_error err = {0};
  char *names = NULL;
  size_t len = 0;
  char *bytes = entry->is_executable ? ctl_zip_unpack(entry, &err) : NULL;
  needed found = {bytes != NULL ? ctl_memory_open(&names, &len) : NULL, 0};
  if (found.out != NULL) {
    ctl_needs_each(bytes, entry->len, add_needed, &found);
    if (ctl_memory_close(found.out, &names, &len) == 0 && found.count > 0) {
      ctl_findings_add(&self->findings, CTL_NOTE, "shared-libraries",
                       "%s needs shared libraries that other machines may not "
                       "have: %s",
                       entry->name, names);
    }
  }
  free(names);
  free(bytes);
}

/* The bundle is not written if it has faults. */
static int report_faults(const packing *self) {
  if (self->findings.is_broken) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  for (size_t i = 0; i < self->findings.count; i++) {
    const ctl_finding *one = &self->findings.list[i];
    if (one->level == CTL_FAULT) {
      ctl_report(CTL_USAGE, "%s: %s", one->id, one->text);
    }
  }
  return ctl_findings_count(&self->findings, CTL_FAULT) > 0
             ? ctl_report(CTL_USAGE, "no bundle was written")
             : CTL_OK;
}

/* ---- a manifest of mcpctl's -------------------------------------------- */

static int read_more(packing *self) {
  const char *path = self->options->manifest;
  mcp_error err = {0};
  size_t len = 0;
  if (path == NULL) {
    return CTL_OK;
  }
  char *text = ctl_file_read(path, &len, &err);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  int rc = ctl_file_parse(&self->more, text, len, &err);
  free(text);
  if (rc != 0) {
    return ctl_report(CTL_USAGE, "%s: %s", path, err.message);
  }
  return mcp_json_type(mcp_doc_root(self->more)) == MCP_JSON_OBJECT
             ? CTL_OK
             : ctl_report(CTL_USAGE, "%s: not a JSON object", path);
}

static int check_author(const packing *self) {
  const mcp_json *author = mcp_json_get(mcp_doc_root(self->more), "author");
  return author != NULL || self->options->author != NULL
             ? CTL_OK
             : ctl_report(CTL_USAGE,
                          "a manifest names its author: give --author NAME, or "
                          "--manifest FILE with {\"author\": {\"name\": ...}}");
}

static int compose(packing *self, const ctl_asked *asked) {
  mcp_error err = {0};
  char *manifest = ctl_compose(
      &self->drafted.draft, asked != NULL ? mcp_doc_root(asked->listing) : NULL,
      asked != NULL ? mcp_doc_root(asked->texts) : NULL,
      mcp_doc_root(self->more), self->options->author, &err);
  return manifest != NULL ? pack_files(self, manifest)
                          : report_error(self, &err);
}

static int compose_asked(packing *self, const ctl_asked *asked) {
  mcp_error err = {0};
  if (ctl_drafted_icon(&self->drafted, &self->gathered,
                       mcp_doc_root(asked->listing), &err) != 0) {
    return report_error(self, &err);
  }
  int code = compose(self, asked);
  if (code == CTL_OK && !ctl_findings_have_fault(&self->findings)) {
    ctl_match(mcp_doc_root(self->bundle.manifest), mcp_doc_root(asked->listing),
              &self->findings);
  }
  return code;
}

static int pack_new(packing *self) {
  ctl_asked asked;
  int code = read_more(self);
  code = code == CTL_OK ? check_author(self) : code;
  code = code == CTL_OK ? compose(self, NULL) : code;
  code = code == CTL_OK ? report_faults(self) : code;
  if (code != CTL_OK) {
    return code;
  }
  code = ctl_ask_bundle(&asked, self->options, &self->bundle,
                        self->options->args[0]);
  if (code == CTL_OK) {
    code = compose_asked(self, &asked);
  }
  ctl_asked_deinit(&asked);
  return code;
}

/* ---- a manifest of the user's ------------------------------------------ */

static int pack_written(packing *self) {
  const ctl_options *options = self->options;
  if (options->command != NULL || options->manifest != NULL ||
      options->author != NULL || options->env[0] != NULL ||
      options->platforms[0] != NULL) {
    return ctl_report(CTL_USAGE,
                      "%s has a " CTL_MANIFEST_FILE
                      ", which says all: a command after --, --manifest, "
                      "--author, --env and --platform have no effect",
                      options->args[0]);
  }
  int code = pack_files(self, NULL);
  if (code == CTL_OK && !ctl_findings_have_fault(&self->findings)) {
    code = ctl_verify_server(options, &self->bundle, options->args[0],
                             &self->findings);
  }
  return code;
}

static int pack_folder(packing *self) {
  mcp_error err = {0};
  if (ctl_gather_folder(&self->gathered, self->options->args[0], &err) != 0) {
    return report_error(self, &err);
  }
  if (ctl_gathered_has(&self->gathered, CTL_MANIFEST_FILE)) {
    return pack_written(self);
  }
  return ctl_drafted_folder(&self->drafted, &self->gathered, self->options,
                            &err) == 0
             ? pack_new(self)
             : report_error(self, &err);
}

static int pack_program(packing *self) {
  mcp_error err = {0};
  return ctl_drafted_program(&self->drafted, &self->gathered, self->options,
                             &err) == 0
             ? pack_new(self)
             : report_error(self, &err);
}

/* ---- the file ---------------------------------------------------------- */

/* A name that every file system takes. */
static void put_plain(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    int is_plain =
        (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
        (*text >= '0' && *text <= '9') || *text == '.' || *text == '_';
    fputc(is_plain ? *text : '-', out);
  }
}

/* NAME-VERSION.mcpb, owned; NULL: out of memory. */
static char *make_path(const packing *self) {
  const mcp_json *manifest = mcp_doc_root(self->bundle.manifest);
  char *path = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&path, &len);
  if (out == NULL) {
    return NULL;
  }
  put_plain(out, ctl_json_member(manifest, "name"));
  fputc('-', out);
  put_plain(out, ctl_json_member(manifest, "version"));
  fputs(".mcpb", out);
  return ctl_memory_close(out, &path, &len) == 0 ? path : NULL;
}

static int write_bundle(const packing *self, const char *path) {
  int flags = self->options->overwrites ? CTL_REPLACE_OLD : 0;
  if (ctl_replace_bytes(path, self->bundle.bytes, self->bundle.len, flags) ==
      0) {
    return CTL_OK;
  }
  return errno == EEXIST
             ? ctl_report(CTL_USAGE,
                          "%s is there already: --overwrite replaces it", path)
             : ctl_report(CTL_USAGE, "cannot write %s: %s", path,
                          strerror(errno));
}

static int print_packed(const packing *self, const char *path) {
  char hash[CTL_SHA256_TEXT];
  const ctl_bundle *bundle = &self->bundle;
  ctl_sha256(bundle->bytes, bundle->len, hash);
  if (!self->options->is_json) {
    ctl_text_put_line(stdout, path, SIZE_MAX);
    printf(": %zu files, %zu bytes, sha256 %s\n", bundle->zip.count,
           bundle->len, hash);
    ctl_findings_print(&self->findings);
    return CTL_OK;
  }
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  ctl_json_put_typed(out, "file", path);
  mcp_builder_int(out, "files", (int64_t)bundle->zip.count);
  mcp_builder_int(out, "bytes", (int64_t)bundle->len);
  mcp_builder_string(out, "sha256", hash);
  mcp_builder_value(out, "manifest", mcp_doc_root(bundle->manifest));
  ctl_findings_put(&self->findings, out);
  mcp_builder_end(out);
  return ctl_json_print_built(out);
}

static int finish(packing *self) {
  char *made = self->options->output == NULL ? make_path(self) : NULL;
  const char *path =
      self->options->output != NULL ? self->options->output : made;
  for (size_t i = 0; i < self->bundle.zip.count; i++) {
    note_libraries(self, &self->bundle.zip.entries[i]);
  }
  int code = path != NULL ? write_bundle(self, path)
                          : ctl_report(CTL_USAGE, "out of memory");
  if (code == CTL_OK) {
    code = print_packed(self, path);
  }
  free(made);
  return code;
}

/* ---- the verb ---------------------------------------------------------- */

int ctl_pack_run(const ctl_options *options) {
  packing self = {.options = options};
  int code = ctl_bundle_refuse();
  if (code != 0) {
    return code;
  }
  if (options->output != NULL && !options->overwrites &&
      ctl_path_is_there(options->output)) {
    return ctl_report(CTL_USAGE, "%s is there already: --overwrite replaces it",
                      options->output);
  }
  code = ctl_path_is(options->args[0]) == CTL_PATH_FOLDER ? pack_folder(&self)
                                                          : pack_program(&self);
  code = code == CTL_OK ? report_faults(&self) : code;
  code = code == CTL_OK ? finish(&self) : code;
  ctl_bundle_deinit(&self.bundle);
  ctl_findings_deinit(&self.findings);
  ctl_gathered_deinit(&self.gathered);
  ctl_drafted_deinit(&self.drafted);
  mcp_doc_free(self.more);
  return code;
}
