/* SPDX-License-Identifier: MIT */
/* Writes a resource's bytes to a file. */
#include "show/save.h"
#include "common/base64.h"
#include "common/exit.h"
#include "common/report.h"
#include "platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_bytes(const char *bytes, size_t len, const char *path) {
  if (strcmp(path, "-") == 0) {
    fwrite(bytes, 1, len, stdout); /* main checks for errors */
    return CTL_OK;
  }
  FILE *out = ctl_stream_to_write(path);
  int is_written = out != NULL && fwrite(bytes, 1, len, out) == len;
  if (out != NULL && fclose(out) != 0) {
    is_written = 0;
  }
  return is_written ? CTL_OK
                    : ctl_report(CTL_USAGE, "cannot write %s: %s", path,
                                 strerror(errno));
}

static int save_blob(const char *text, size_t text_len, const char *path) {
  size_t len = ctl_base64_len(text, text_len);
  char *bytes = malloc(len + 1);
  int code = CTL_OK;
  if (bytes == NULL) {
    code = ctl_report(CTL_USAGE, "out of memory");
  } else if (ctl_base64_decode(text, text_len, bytes) != 0) {
    code = ctl_report(CTL_FAILED, "the server's blob is not base64");
  } else {
    code = write_bytes(bytes, len, path);
  }
  free(bytes);
  return code;
}

int ctl_save_base64(const mcp_json *data, const char *path) {
  size_t len = 0;
  const char *text = mcp_json_string_n(data, &len);
  return text != NULL ? save_blob(text, len, path)
                      : ctl_report(CTL_FAILED, "the server sent no data");
}

int ctl_save_resource(const mcp_json *resource, const char *path) {
  size_t len = 0;
  const char *text = mcp_json_string_n(mcp_json_get(resource, "text"), &len);
  if (text != NULL) {
    return write_bytes(text, len, path);
  }
  text = mcp_json_string_n(mcp_json_get(resource, "blob"), &len);
  return text != NULL
             ? save_blob(text, len, path)
             : ctl_report(CTL_FAILED, "the server sent neither text nor blob");
}
