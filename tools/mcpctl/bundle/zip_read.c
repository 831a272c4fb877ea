/* SPDX-License-Identifier: MIT */
/* Reads the directory of a zip archive.
 *
 * An archive is: for each file a local header, the name again and the packed
 * bytes; then the directory, with a header for each file; then the end record.
 * mcpb appends a signature to that: MCPB_SIG_V1, four bytes of length, PKCS#7,
 * MCPB_SIG_END. */
#include "bundle/deflate.h"
#include "bundle/entry_name.h"
#include "bundle/zip.h"
#include "common/copy.h"

#include <stdlib.h>
#include <string.h>

enum {
  LOCAL_HEADER = 0x04034b50,
  DIRECTORY_HEADER = 0x02014b50,
  END_RECORD = 0x06054b50,
  LOCAL_LEN = 30,
  DIRECTORY_LEN = 46,
  END_LEN = 22,
  /* Bits of the flags. */
  IS_ENCRYPTED = 1,
  HAS_DESCRIPTOR =
      8, /* sizes are also after the bytes, and perhaps only there */
  IS_PATCH = 0x20,
  IS_STRONGLY_ENCRYPTED = 0x40,
  IS_MASKED = 0x2000,
  DESCRIPTOR_MAX = 16,
  /* Extra fields. */
  EXTRA_ZIP64 = 1,
  EXTRA_NAME = 0x7075, /* another name for the file */
  /* Methods. */
  STORED = 0,
  DEFLATED = 8,
  /* The high byte of the version that made the archive. */
  MADE_BY_UNIX = 3,
  MADE_BY_MACOS = 19,
  /* Unix's types of files, in the high half of the attributes. */
  TYPE_MASK = 0170000,
  TYPE_FILE = 0100000,
  TYPE_FOLDER = 0040000,
  TYPE_LINK = 0120000,
  /* Deflate makes at most 1032 bytes from one. */
  MAX_RATIO = 1032
};

/* What is read: `len` ends before a signature. */
typedef struct archive {
  const char *bytes;
  size_t len;
  size_t file_len; /* with the signature */
  mcp_error *err;
} archive;

/* A header of the directory, as numbers. */
typedef struct header {
  unsigned flags;
  unsigned method;
  uint32_t crc;
  uint32_t packed_len;
  uint32_t len;
  size_t name_len;
  size_t extra_len;
  size_t comment_len;
  unsigned made_by;
  uint32_t attributes;
  size_t begin;
  const char *name;
} header;

static unsigned get_2(const char *at) {
  const unsigned char *bytes = (const unsigned char *)at;
  return bytes[0] | (unsigned)bytes[1] << 8;
}

static uint32_t get_4(const char *at) {
  return get_2(at) | (uint32_t)get_2(at + 2) << 16;
}

static int fail(const archive *in, const char *why) {
  return mcp_error_set(in->err, MCP_ERR_PARSE, "not a good zip archive: %s",
                       why);
}

static int fail_entry(const archive *in, const header *from, const char *why) {
  return mcp_error_set(in->err, MCP_ERR_PARSE, "%.*s: %s",
                       from->name_len < 120 ? (int)from->name_len : 120,
                       from->name, why);
}

/* ---- the signature ----------------------------------------------------- */

static const char signature_begin[] = "MCPB_SIG_V1";
static const char signature_end[] = "MCPB_SIG_END";

/* The bytes before the signature; `len` if there is none. Its length stands
 * after its first word, and must lead to its last one. */
static size_t find_signature(const char *bytes, size_t len) {
  size_t begin_len = strlen(signature_begin) + 4;
  size_t end_len = strlen(signature_end);
  if (len < begin_len + end_len ||
      memcmp(bytes + len - end_len, signature_end, end_len) != 0) {
    return len;
  }
  for (size_t at = len - end_len - begin_len;; at--) {
    if (memcmp(bytes + at, signature_begin, begin_len - 4) == 0 &&
        get_4(bytes + at + begin_len - 4) == len - end_len - begin_len - at) {
      return at;
    }
    if (at == 0) {
      return len;
    }
  }
}

/* ---- the end record ---------------------------------------------------- */

/* Where the record is. Its comment ends the archive; a program that signs may
 * have made the signature a comment. Returns 0, or MCP_ERR_* as in in->err. */
static int find_end(const archive *in, size_t *found) {
  for (size_t after = END_LEN; after <= in->len && after <= END_LEN + 0xffff;
       after++) {
    size_t at = in->len - after;
    if (get_4(in->bytes + at) == END_RECORD) {
      size_t end = at + END_LEN + get_2(in->bytes + at + 20);
      if (end == in->len || end == in->file_len) {
        *found = at;
        return 0;
      }
    }
  }
  return fail(in, "it has no end record");
}

/* ---- an entry ---------------------------------------------------------- */

/* The extra fields of one of the two headers. */
static int check_extra(const archive *in, const header *from, const char *extra,
                       size_t extra_len) {
  size_t at = 0;
  while (extra_len - at >= 4) {
    unsigned kind = get_2(extra + at);
    size_t len = get_2(extra + at + 2);
    if (kind == EXTRA_ZIP64 || kind == EXTRA_NAME) {
      return fail_entry(in, from,
                        kind == EXTRA_ZIP64
                            ? "it needs Zip64, which bundles do not"
                            : "it has a second name");
    }
    if (len > extra_len - at - 4) {
      break;
    }
    at += 4 + len;
  }
  return 0;
}

/* Whether the second byte of a character is one: each character is as short as
 * it can be, is not a surrogate and is not above U+10FFFF. */
static int is_second(unsigned char first, unsigned char second) {
  return (second & 0xc0) == 0x80 && (first != 0xe0 || second >= 0xa0) &&
         (first != 0xed || second < 0xa0) &&
         (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90);
}

/* Whether the bytes are UTF-8 without a NUL. */
static int is_utf8(const char *text, size_t len) {
  size_t at = 0;
  while (at < len) {
    unsigned char c = (unsigned char)text[at];
    size_t more = c < 0x80                ? 0
                  : c >= 0xc2 && c < 0xe0 ? 1
                  : (c & 0xf0) == 0xe0    ? 2
                  : c >= 0xf0 && c < 0xf5 ? 3
                                          : len;
    if (c == 0 || more >= len - at ||
        (more > 0 && !is_second(c, (unsigned char)text[at + 1]))) {
      return 0;
    }
    for (at++; more > 0; more--, at++) {
      if (((unsigned char)text[at] & 0xc0) != 0x80) {
        return 0;
      }
    }
  }
  return 1;
}

static const char *type_fault(const header *from, int is_folder) {
  unsigned made_by = from->made_by >> 8;
  unsigned type = (from->attributes >> 16) & TYPE_MASK;
  if ((made_by != MADE_BY_UNIX && made_by != MADE_BY_MACOS) || type == 0) {
    return NULL;
  }
  if (type == TYPE_LINK) {
    return "it is a symbolic link";
  }
  return type == (is_folder ? TYPE_FOLDER : TYPE_FILE)
             ? NULL
             : "it is not a file or a folder";
}

static const char *header_fault(const header *from) {
  const char *name_fault = ctl_entry_name_fault(from->name, from->name_len);
  if (name_fault != NULL) {
    return name_fault;
  }
  int is_folder = from->name[from->name_len - 1] == '/';
  if (!is_utf8(from->name, from->name_len)) {
    return "the name is not UTF-8";
  }
  if ((from->flags & (IS_ENCRYPTED | IS_STRONGLY_ENCRYPTED | IS_MASKED)) != 0) {
    return "it is encrypted";
  }
  if ((from->flags & IS_PATCH) != 0 ||
      (from->method != STORED && from->method != DEFLATED)) {
    return "it is packed by a method that bundles do not use";
  }
  if (from->method == STORED && from->packed_len != from->len) {
    return "its two lengths differ, but it is not packed";
  }
  if (from->len > CTL_ZIP_MAX_LEN || from->len / MAX_RATIO > from->packed_len) {
    return "it is too large, or larger than its packed bytes allow";
  }
  if (is_folder && from->len > 0) {
    return "it is a folder with bytes";
  }
  return type_fault(from, is_folder);
}

/* The local header must say the same, or leave it to the descriptor. */
static int is_same_header(const header *from, const char *local) {
  int has_descriptor = (from->flags & HAS_DESCRIPTOR) != 0;
  uint32_t crc = get_4(local + 14);
  uint32_t packed_len = get_4(local + 18);
  uint32_t len = get_4(local + 22);
  return get_4(local) == LOCAL_HEADER && get_2(local + 6) == from->flags &&
         get_2(local + 8) == from->method &&
         ((crc == from->crc && packed_len == from->packed_len &&
           len == from->len) ||
          (has_descriptor && crc == 0 && packed_len == 0 && len == 0)) &&
         get_2(local + 26) == from->name_len;
}

/* `end` is where the directory begins. */
static int read_local(const archive *in, const header *from, size_t end,
                      ctl_zip_entry *entry) {
  const char *local = in->bytes + from->begin;
  if (from->begin > end || end - from->begin < LOCAL_LEN + from->name_len) {
    return fail_entry(in, from, "its bytes are not in the archive");
  }
  if (!is_same_header(from, local) ||
      memcmp(local + LOCAL_LEN, from->name, from->name_len) != 0) {
    return fail_entry(in, from, "the archive describes it in two ways");
  }
  const char *extra = local + LOCAL_LEN + from->name_len;
  size_t extra_len = get_2(local + 28);
  size_t at = (size_t)(extra - in->bytes) + extra_len;
  if (at > end || end - at < from->packed_len) {
    return fail_entry(in, from, "its bytes are not in the archive");
  }
  int rc = check_extra(in, from, extra, extra_len);
  if (rc != 0) {
    return rc;
  }
  entry->packed = in->bytes + at;
  entry->begin = from->begin;
  entry->end = at + from->packed_len;
  return 0;
}

static int take_entry(const archive *in, const header *from, size_t end,
                      ctl_zip_entry *entry) {
  const char *fault = header_fault(from);
  int rc = fault != NULL ? fail_entry(in, from, fault)
                         : check_extra(in, from, from->name + from->name_len,
                                       from->extra_len);
  if (rc == 0) {
    rc = read_local(in, from, end, entry);
  }
  if (rc != 0) {
    return rc;
  }
  unsigned made_by = from->made_by >> 8;
  uint32_t mode = from->attributes >> 16;
  entry->packed_len = from->packed_len;
  entry->len = from->len;
  entry->crc = from->crc;
  entry->is_deflated = from->method == DEFLATED;
  entry->has_mode =
      (made_by == MADE_BY_UNIX || made_by == MADE_BY_MACOS) && mode != 0;
  entry->is_executable = entry->has_mode && (mode & 0111) != 0;
  /* A descriptor may follow, which no other file may use. */
  entry->end += (from->flags & HAS_DESCRIPTOR) != 0 ? DESCRIPTOR_MAX : 0;
  entry->name = ctl_copy(from->name, from->name_len);
  return entry->name != NULL
             ? 0
             : mcp_error_set(in->err, MCP_ERR_NOMEM, "out of memory");
}

/* ---- the directory ----------------------------------------------------- */

/* Reads the header at `at`. Returns its length; 0: it is not whole. */
static size_t read_header(const archive *in, size_t at, size_t end,
                          header *out) {
  const char *bytes = in->bytes + at;
  if (end - at < DIRECTORY_LEN || get_4(bytes) != DIRECTORY_HEADER) {
    return 0;
  }
  *out = (header){.made_by = get_2(bytes + 4),
                  .flags = get_2(bytes + 8),
                  .method = get_2(bytes + 10),
                  .crc = get_4(bytes + 16),
                  .packed_len = get_4(bytes + 20),
                  .len = get_4(bytes + 24),
                  .name_len = get_2(bytes + 28),
                  .extra_len = get_2(bytes + 30),
                  .comment_len = get_2(bytes + 32),
                  .attributes = get_4(bytes + 38),
                  .begin = get_4(bytes + 42),
                  .name = bytes + DIRECTORY_LEN};
  size_t len =
      DIRECTORY_LEN + out->name_len + out->extra_len + out->comment_len;
  return len <= end - at ? len : 0;
}

static int read_directory(ctl_zip *zip, const archive *in, size_t begin,
                          size_t end, size_t count) {
  size_t at = begin;
  header from;
  zip->entries = calloc(count + 1, sizeof(*zip->entries));
  if (zip->entries == NULL) {
    return mcp_error_set(in->err, MCP_ERR_NOMEM, "out of memory");
  }
  while (zip->count < count) {
    size_t len = read_header(in, at, end, &from);
    if (len == 0) {
      return fail(in, "its directory is cut off");
    }
    ctl_zip_entry *entry = &zip->entries[zip->count++];
    int rc = take_entry(in, &from, begin, entry);
    if (rc != 0) {
      return rc;
    }
    zip->total += entry->len;
    if (zip->total > CTL_ZIP_MAX_TOTAL) {
      return mcp_error_set(in->err, MCP_ERR_LIMIT,
                           "the files are more than 1 GiB when unpacked");
    }
    at += len;
  }
  return at == end ? 0 : fail(in, "its directory has more than it says");
}

/* ---- all entries ------------------------------------------------------- */

static int compare_places(const void *a, const void *b) {
  const ctl_zip_entry *one = a;
  const ctl_zip_entry *other = b;
  return (one->begin > other->begin) - (one->begin < other->begin);
}

static int compare_names(const void *a, const void *b) {
  const ctl_zip_entry *one = a;
  const ctl_zip_entry *other = b;
  return ctl_entry_name_compare(one->name, other->name);
}

/* Bytes that no file has could be another archive, which another program
 * reads. */
static int check_places(ctl_zip *zip, const archive *in, size_t end) {
  size_t at = 0;
  qsort(zip->entries, zip->count, sizeof(*zip->entries), compare_places);
  for (size_t i = 0; i < zip->count; i++) {
    const ctl_zip_entry *entry = &zip->entries[i];
    size_t next = i + 1 < zip->count ? entry[1].begin : end;
    size_t packed_end = (size_t)(entry->packed - in->bytes) + entry->packed_len;
    if (entry->begin != at || next < packed_end || next > entry->end) {
      return mcp_error_set(in->err, MCP_ERR_PARSE,
                           "%.120s: its bytes and those of another file "
                           "overlap, or there are bytes between them",
                           entry->name);
    }
    at = next;
  }
  return at == end ? 0 : fail(in, "there are bytes that no file has");
}

static const ctl_zip_entry *find_any_case(const ctl_zip *zip,
                                          const char *name) {
  const ctl_zip_entry key = {.name = (char *)name};
  return bsearch(&key, zip->entries, zip->count, sizeof(key), compare_names);
}

/* Whether a folder of the entry's path is also a file. */
static int has_file_above(const ctl_zip *zip, const ctl_zip_entry *entry) {
  char path[CTL_ENTRY_NAME_MAX + 1];
  int found = 0;
  memcpy(path, entry->name, strlen(entry->name) + 1);
  for (char *slash = path; !found && (slash = strchr(slash, '/')) != NULL;) {
    *slash = '\0';
    found = find_any_case(zip, path) != NULL;
    *slash++ = '/';
  }
  return found;
}

static int check_names(ctl_zip *zip, const archive *in) {
  qsort(zip->entries, zip->count, sizeof(*zip->entries), compare_names);
  for (size_t i = 0; i < zip->count; i++) {
    const ctl_zip_entry *entry = &zip->entries[i];
    if (i > 0 && compare_names(entry - 1, entry) == 0) {
      return mcp_error_set(in->err, MCP_ERR_PARSE,
                           "%.120s: two files have this name, upper and lower "
                           "case being the same",
                           entry->name);
    }
    if (has_file_above(zip, entry)) {
      return mcp_error_set(in->err, MCP_ERR_PARSE,
                           "%.120s: a folder of its path is a file",
                           entry->name);
    }
  }
  return 0;
}

/* ---- all --------------------------------------------------------------- */

int ctl_zip_read(ctl_zip *zip, const char *bytes, size_t len, mcp_error *err) {
  archive in = {bytes, find_signature(bytes, len), len, err};
  size_t end = 0;
  *zip = (ctl_zip){.is_signed = in.len < len};
  if (len > CTL_ZIP_MAX_LEN) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "it is larger than 512 MiB");
  }
  int rc = find_end(&in, &end);
  if (rc != 0) {
    return rc;
  }
  const char *record = bytes + end;
  size_t count = get_2(record + 10);
  size_t size = get_4(record + 12);
  size_t begin = get_4(record + 16);
  if (get_2(record + 4) != 0 || get_2(record + 6) != 0 ||
      get_2(record + 8) != count) {
    return fail(&in, "it has several parts");
  }
  if (count > CTL_ZIP_MAX_FILES) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "it has more than %d files, or is a Zip64 archive",
                         (int)CTL_ZIP_MAX_FILES);
  }
  if (begin > end || size != end - begin) {
    return fail(&in, "its directory is not before its end record");
  }
  rc = read_directory(zip, &in, begin, end, count);
  if (rc == 0) {
    rc = check_places(zip, &in, begin);
  }
  return rc == 0 ? check_names(zip, &in) : rc;
}

void ctl_zip_deinit(ctl_zip *zip) {
  for (size_t i = 0; i < zip->count; i++) {
    free(zip->entries[i].name);
  }
  free(zip->entries);
  *zip = (ctl_zip){0};
}

int ctl_zip_is_folder(const ctl_zip_entry *entry) {
  return entry->name[strlen(entry->name) - 1] == '/';
}

const ctl_zip_entry *ctl_zip_find(const ctl_zip *zip, const char *name) {
  const ctl_zip_entry *found = find_any_case(zip, name);
  return found != NULL && strcmp(found->name, name) == 0 ? found : NULL;
}

char *ctl_zip_unpack(const ctl_zip_entry *entry, mcp_error *err) {
  char *bytes = malloc(entry->len + 1);
  if (bytes == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  int rc = 0;
  if (entry->is_deflated) {
    rc = ctl_inflate(bytes, entry->len, entry->packed, entry->packed_len);
  } else if (entry->len > 0) {
    memcpy(bytes, entry->packed, entry->len);
  }
  bytes[entry->len] = '\0';
  if (rc == 0 && ctl_crc32(bytes, entry->len) == entry->crc) {
    return bytes;
  }
  mcp_error_set(err, MCP_ERR_PARSE, "%.120s: %s", entry->name,
                rc != 0 ? "its packed bytes are broken"
                        : "its checksum is wrong");
  free(bytes);
  return NULL;
}

size_t ctl_zip_begin(const ctl_zip_entry *entry, char *out, size_t max) {
  max = entry->len < max ? entry->len : max;
  if (entry->is_deflated) {
    return ctl_inflate_begin(out, max, entry->packed, entry->packed_len);
  }
  if (max > 0) {
    memcpy(out, entry->packed, max);
  }
  return max;
}
