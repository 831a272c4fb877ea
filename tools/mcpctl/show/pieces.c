/* SPDX-License-Identifier: MIT */
#include "show/pieces.h"
#include "common/exit.h"
#include "common/folder.h"
#include "common/json.h"
#include "common/report.h"
#include "platform/files.h"
#include "platform/paths.h"
#include "show/save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- one piece --------------------------------------------------------- */

static const char *piece_kind(const mcp_json *block) {
  static const char *const kinds[] = {"image", "audio", "resource"};
  const char *type = ctl_json_member(block, "type");
  for (size_t i = 0; type != NULL && i < sizeof(kinds) / sizeof(*kinds); i++) {
    if (strcmp(type, kinds[i]) == 0) {
      return kinds[i];
    }
  }
  return NULL;
}

int ctl_pieces_has(const mcp_json *block) {
  return piece_kind(block) != NULL;
}

/* The object with mimeType and the bytes. */
static const mcp_json *piece_holder(const mcp_json *block) {
  const mcp_json *resource = mcp_json_get(block, "resource");
  return resource != NULL ? resource : block;
}

/* The end of a file's name for a type. The name has nothing that the server
 * wrote: it could be a path. */
static const char *extension_of(const char *mime_type) {
  static const char *const extensions[][2] = {
      {"image/png", "png"},         {"image/jpeg", "jpg"},
      {"image/gif", "gif"},         {"image/webp", "webp"},
      {"image/svg+xml", "svg"},     {"image/bmp", "bmp"},
      {"image/avif", "avif"},       {"image/tiff", "tiff"},
      {"audio/wav", "wav"},         {"audio/x-wav", "wav"},
      {"audio/mpeg", "mp3"},        {"audio/ogg", "ogg"},
      {"audio/flac", "flac"},       {"audio/mp4", "m4a"},
      {"audio/webm", "webm"},       {"text/plain", "txt"},
      {"text/html", "html"},        {"text/markdown", "md"},
      {"text/csv", "csv"},          {"text/xml", "xml"},
      {"application/json", "json"}, {"application/xml", "xml"},
      {"application/pdf", "pdf"},   {"application/zip", "zip"},
      {"application/gzip", "gz"}};
  size_t len = mime_type != NULL ? strcspn(mime_type, "; ") : 0;
  for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++) {
    if (strlen(extensions[i][0]) == len &&
        strncasecmp(extensions[i][0], mime_type, len) == 0) {
      return extensions[i][1];
    }
  }
  return len > 5 && strncasecmp(mime_type, "text/", 5) == 0 ? "txt" : "bin";
}

static int piece_save(const mcp_json *block, const char *path) {
  const mcp_json *holder = piece_holder(block);
  const char *type = ctl_json_member(holder, "mimeType");
  int code = holder != block
                 ? ctl_save_resource(holder, path)
                 : ctl_save_base64(mcp_json_get(block, "data"), path);
  if (code == CTL_OK && strcmp(path, "-") != 0) {
    ctl_report_aside("saved %s %s", type != NULL ? type : piece_kind(block),
                     path);
  }
  return code;
}

/* ---- all of them ------------------------------------------------------- */

static size_t count_pieces(const mcp_result *result) {
  size_t count = 0;
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    count += (size_t)ctl_pieces_has(mcp_result_item(result, i));
  }
  return count;
}

static int is_folder(const char *path) {
  return (path[0] != '\0' && ctl_path_is_separator(path[strlen(path) - 1])) ||
         ctl_path_is(path) == CTL_PATH_FOLDER;
}

/* `number` counts the pieces from 1. */
static int save_numbered(const mcp_json *block, const char *folder,
                         size_t number) {
  char *path = NULL;
  const char *joint =
      ctl_path_is_separator(folder[strlen(folder) - 1]) ? "" : "/";
  const char *type = ctl_json_member(piece_holder(block), "mimeType");
  if (asprintf(&path, "%s%s%s-%zu.%s", folder, joint, piece_kind(block), number,
               extension_of(type)) < 0) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  int code = ctl_folder_make_for(path);
  if (code == CTL_OK) {
    code = piece_save(block, path);
  }
  free(path);
  return code;
}

int ctl_pieces_save(const mcp_result *result, const char *output) {
  size_t count = count_pieces(result);
  size_t number = 0;
  int code = CTL_OK;
  if (count == 0) {
    return mcp_result_is_failure(result)
               ? CTL_OK
               : ctl_report(CTL_USAGE,
                            "--output %s: nothing was saved: the result has no "
                            "image, audio or resource",
                            output);
  }
  if (count > 1 && strcmp(output, "-") == 0) {
    return ctl_report(CTL_USAGE,
                      "--output -: the result has %zu images, audio and "
                      "resources: name a folder",
                      count);
  }
  for (size_t i = 0; code == CTL_OK && i < mcp_result_count(result); i++) {
    const mcp_json *block = mcp_result_item(result, i);
    if (!ctl_pieces_has(block)) {
      continue;
    }
    code = count > 1 || is_folder(output)
               ? save_numbered(block, output, ++number)
               : piece_save(block, output);
  }
  return code;
}
