/* SPDX-License-Identifier: MIT */
#include "bundle/deflate.h"
#include "bundle/zip.h"

#include <stdlib.h>
#include <string.h>

enum {
  LOCAL_HEADER = 0x04034b50,
  DIRECTORY_HEADER = 0x02014b50,
  END_RECORD = 0x06054b50,
  VERSION_NEEDED = 20,
  MADE_BY = 3 << 8 | VERSION_NEEDED, /* Unix */
  NAME_IS_UTF8 = 0x800,
  DEFLATED = 8,
  MIDNIGHT = 0,
  FIRST_DAY = 1 << 5 | 1, /* 1980-01-01 */
  FILE_MODE = 0100644,
  PROGRAM_MODE = 0100755
};

/* ---- bytes that grow --------------------------------------------------- */

typedef struct output {
  char **bytes;
  size_t *len;
  size_t *size;
} output;

static output output_files(ctl_zip_writer *writer) {
  return (output){&writer->bytes, &writer->len, &writer->size};
}

static output output_directory(ctl_zip_writer *writer) {
  return (output){&writer->directory, &writer->directory_len,
                  &writer->directory_size};
}

/* Makes room. Returns 0; or MCP_ERR_NOMEM. */
static int reserve(const output *out, size_t more) {
  size_t size = *out->size > 0 ? *out->size : 4096;
  while (size - *out->len < more) {
    size *= 2;
  }
  char *grown = size > *out->size ? realloc(*out->bytes, size) : *out->bytes;
  if (grown == NULL) {
    return MCP_ERR_NOMEM;
  }
  *out->bytes = grown;
  *out->size = size;
  return 0;
}

static void put(const output *out, const char *bytes, size_t len) {
  if (len > 0) {
    memcpy(*out->bytes + *out->len, bytes, len);
  }
  *out->len += len;
}

static void put_2(const output *out, unsigned number) {
  const char bytes[] = {(char)(number & 0xff), (char)(number >> 8 & 0xff)};
  put(out, bytes, sizeof(bytes));
}

static void put_4(const output *out, size_t number) {
  put_2(out, (unsigned)(number & 0xffff));
  put_2(out, (unsigned)(number >> 16 & 0xffff));
}

/* ---- an entry ---------------------------------------------------------- */

typedef struct entry {
  const char *name;
  size_t name_len;
  const char *bytes; /* packed, or not */
  size_t packed_len;
  size_t len;
  uint32_t crc;
  int is_deflated;
  int is_executable;
  size_t begin;
} entry;

static unsigned name_flags(const entry *one) {
  for (size_t i = 0; i < one->name_len; i++) {
    if ((unsigned char)one->name[i] >= 0x80) {
      return NAME_IS_UTF8;
    }
  }
  return 0;
}

/* What both headers have. */
static void put_common(const output *out, const entry *one) {
  put_2(out, VERSION_NEEDED);
  put_2(out, name_flags(one));
  put_2(out, one->is_deflated ? DEFLATED : 0);
  put_2(out, MIDNIGHT);
  put_2(out, FIRST_DAY);
  put_4(out, one->crc);
  put_4(out, one->packed_len);
  put_4(out, one->len);
  put_2(out, (unsigned)one->name_len);
  put_2(out, 0); /* extra fields */
}

static void put_local(const output *out, const entry *one) {
  put_4(out, LOCAL_HEADER);
  put_common(out, one);
  put(out, one->name, one->name_len);
  put(out, one->bytes, one->packed_len);
}

static void put_directory(const output *out, const entry *one) {
  put_4(out, DIRECTORY_HEADER);
  put_2(out, MADE_BY);
  put_common(out, one);
  put_2(out, 0); /* comment */
  put_2(out, 0); /* disk */
  put_2(out, 0); /* internal attributes */
  put_4(out, (size_t)(one->is_executable ? PROGRAM_MODE : FILE_MODE) << 16);
  put_4(out, one->begin);
  put(out, one->name, one->name_len);
}

static int writer_put(ctl_zip_writer *writer, entry *one) {
  const output files = output_files(writer);
  const output directory = output_directory(writer);
  enum { HEADERS = 64 };
  if (reserve(&files, HEADERS + one->name_len + one->packed_len) != 0 ||
      reserve(&directory, HEADERS + one->name_len) != 0) {
    return MCP_ERR_NOMEM;
  }
  one->begin = writer->len;
  put_local(&files, one);
  put_directory(&directory, one);
  writer->count++;
  return 0;
}

int ctl_zip_add(ctl_zip_writer *writer, const char *name, const char *bytes,
                size_t len, int is_executable, mcp_error *err) {
  if (writer->count >= CTL_ZIP_MAX_FILES) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "there are more than %d files",
                         (int)CTL_ZIP_MAX_FILES);
  }
  if (len > CTL_ZIP_MAX_LEN || writer->len + len > CTL_ZIP_MAX_TOTAL) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "%.120s: files may have 512 MiB, and 1 GiB together",
                         name);
  }
  entry one = {.name = name,
               .name_len = strlen(name),
               .bytes = bytes,
               .packed_len = len,
               .len = len,
               .crc = ctl_crc32(bytes, len),
               .is_executable = is_executable};
  size_t packed_len = 0;
  char *packed = ctl_deflate(bytes, len, &packed_len);
  if (packed != NULL && packed_len < len) {
    one.bytes = packed;
    one.packed_len = packed_len;
    one.is_deflated = 1;
  }
  int rc = packed != NULL ? writer_put(writer, &one) : MCP_ERR_NOMEM;
  free(packed);
  return rc == 0 ? 0 : mcp_error_set(err, rc, "out of memory");
}

int ctl_zip_finish(ctl_zip_writer *writer, mcp_error *err) {
  const output files = output_files(writer);
  enum { END_LEN = 22 };
  size_t begin = writer->len;
  if (reserve(&files, writer->directory_len + END_LEN) != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  put(&files, writer->directory, writer->directory_len);
  put_4(&files, END_RECORD);
  put_4(&files, 0); /* disks */
  put_2(&files, (unsigned)writer->count);
  put_2(&files, (unsigned)writer->count);
  put_4(&files, writer->directory_len);
  put_4(&files, begin);
  put_2(&files, 0); /* comment */
  return writer->len <= CTL_ZIP_MAX_LEN
             ? 0
             : mcp_error_set(err, MCP_ERR_LIMIT,
                             "the bundle is larger than 512 MiB");
}

void ctl_zip_writer_deinit(ctl_zip_writer *writer) {
  free(writer->bytes);
  free(writer->directory);
  *writer = (ctl_zip_writer){0};
}
