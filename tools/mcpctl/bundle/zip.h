/* SPDX-License-Identifier: MIT */
/* Zip archives in memory (PKWARE's APPNOTE 6.3), as far as bundles need them:
 * files that are stored or deflated, and no Zip64.
 *
 * Reading is strict. An archive that two programs may understand in two ways is
 * refused: the local header of each file must say what the directory at the end
 * says, no two files may share bytes or a name, and every byte belongs to one
 * of them. Writing gives the same bytes for the same files: the time of each is
 * 1980-01-01. */
#ifndef CTL_ZIP_H
#define CTL_ZIP_H

#include <mcp/error.h>
#include <stddef.h>
#include <stdint.h>

/* An unpacked bundle is in memory file by file, and then on the disk. */
enum {
  CTL_ZIP_MAX_FILES = 20000,
  CTL_ZIP_MAX_LEN = 512 * 1024 * 1024,   /* of the archive, and of a file */
  CTL_ZIP_MAX_TOTAL = 1024 * 1024 * 1024 /* of all files, unpacked */
};

typedef struct ctl_zip_entry {
  char *name;         /* owned; that of a folder ends with a slash */
  const char *packed; /* borrowed from the archive */
  size_t packed_len;
  size_t len;
  size_t begin; /* where its local header is in the archive */
  size_t end;
  uint32_t crc;
  int is_deflated;
  int is_executable;
  int has_mode; /* the archive was written on a system with such modes */
} ctl_zip_entry;

typedef struct ctl_zip {
  ctl_zip_entry *entries; /* owned; sorted by ctl_entry_name_compare */
  size_t count;
  size_t total;  /* bytes of all files, unpacked */
  int is_signed; /* a signature comes after the archive */
} ctl_zip;

/* Reads the directory of an archive. Does not unpack it.
 *
 * @param bytes borrowed until ctl_zip_deinit
 * @return 0; or MCP_ERR_* as in err: MCP_ERR_PARSE, MCP_ERR_LIMIT,
 *         MCP_ERR_NOMEM. The caller calls ctl_zip_deinit in any case. */
int ctl_zip_read(ctl_zip *zip, const char *bytes, size_t len, mcp_error *err);
void ctl_zip_deinit(ctl_zip *zip);

int ctl_zip_is_folder(const ctl_zip_entry *entry);
/* The file of that name, with the same case; NULL: there is none. */
const ctl_zip_entry *ctl_zip_find(const ctl_zip *zip, const char *name);

/* Unpacks a file, and checks its checksum. Owned, with a NUL after it: end it
 * with free. NULL: err says why. */
char *ctl_zip_unpack(const ctl_zip_entry *entry, mcp_error *err);

/* Unpacks the first bytes of a file, at most `max`, and checks nothing. Returns
 * how many there are. */
size_t ctl_zip_begin(const ctl_zip_entry *entry, char *out, size_t max);

/* ---- writing ----------------------------------------------------------- */

typedef struct ctl_zip_writer {
  char *bytes; /* owned */
  size_t len;
  size_t size;
  char *directory; /* owned: the headers that come after all files */
  size_t directory_len;
  size_t directory_size;
  size_t count;
} ctl_zip_writer;

/* Adds a file. The writer is zeroed before the first one. Returns 0, or
 * MCP_ERR_* as in err. */
int ctl_zip_add(ctl_zip_writer *writer, const char *name, const char *bytes,
                size_t len, int is_executable, mcp_error *err);
/* Ends the archive: writer->bytes are it. Returns 0, or MCP_ERR_* as in err. */
int ctl_zip_finish(ctl_zip_writer *writer, mcp_error *err);
void ctl_zip_writer_deinit(ctl_zip_writer *writer);

#endif
