/* SPDX-License-Identifier: MIT */
/* A folder's handle has a path, by which its entries are opened: Windows opens
 * nothing relative to a handle. */
#include "platform/folders.h"

#include "platform/descriptors.h"
#include "platform/errors.h"
#include "platform/winerror.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>
#include <wchar.h>
#include <windows.h>

enum { PATH_SIZE = 4096 };

static int folders_fail(void) {
  return -mcpi_errno_of((int)GetLastError());
}

/* Returns 0: it does not fit, or is not UTF-8. */
static int to_wide(const char *text, wchar_t *out, int size) {
  return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out,
                             size) > 0;
}

/* The path of an entry; "." is the folder. Names that mean something else to
 * Windows are not there. Returns 0 or a negative errno value. */
static int entry_path(int folder, const char *name, wchar_t path[PATH_SIZE]) {
  HANDLE handle = (HANDLE)_get_osfhandle(folder);
  DWORD len =
      GetFinalPathNameByHandleW(handle, path, PATH_SIZE, FILE_NAME_NORMALIZED);
  if (len == 0) {
    return folders_fail();
  }
  if (len + 2 >= PATH_SIZE) {
    return -ENAMETOOLONG;
  }
  if (strcmp(name, ".") == 0) {
    return 0;
  }
  if (strpbrk(name, "\\/:*?\"<>|") != NULL) {
    return -ENOENT;
  }
  path[len++] = L'\\';
  return to_wide(name, path + len, (int)(PATH_SIZE - len)) ? 0 : -ENOENT;
}

/* Opens what is there, a link too. Returns a descriptor. */
static int open_wide(const wchar_t *path, DWORD flags) {
  HANDLE handle =
      CreateFileW(path, GENERIC_READ,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
  if (handle == INVALID_HANDLE_VALUE) {
    return folders_fail();
  }
  int fd =
      _open_osfhandle((intptr_t)handle, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
  if (fd < 0) {
    CloseHandle(handle);
    return -EMFILE;
  }
  return fd;
}

int mcpi_folder_open_path(const char *path) {
  wchar_t wide[PATH_SIZE];
  if (!to_wide(path, wide, PATH_SIZE)) {
    return -ENOENT;
  }
  int fd = open_wide(wide, 0);
  mcpi_entry entry;
  if (fd >= 0 && (mcpi_entry_look_fd(fd, &entry) != 0 ||
                  entry.kind != MCPI_ENTRY_FOLDER)) {
    mcpi_fd_close(fd);
    return -ENOTDIR;
  }
  return fd;
}

/* Returns a descriptor, if it is not a link. */
static int entry_open(int folder, const char *name, mcpi_entry *entry) {
  wchar_t path[PATH_SIZE];
  int rc = entry_path(folder, name, path);
  int fd = rc == 0 ? open_wide(path, FILE_FLAG_OPEN_REPARSE_POINT) : rc;
  if (fd < 0) {
    return fd;
  }
  rc = mcpi_entry_look_fd(fd, entry);
  if (rc == 0 && entry->kind == MCPI_ENTRY_LINK) {
    rc = -ELOOP;
  }
  if (rc != 0) {
    mcpi_fd_close(fd);
    return rc;
  }
  return fd;
}

int mcpi_entry_open_folder(int folder, const char *name) {
  mcpi_entry entry;
  int fd = entry_open(folder, name, &entry);
  if (fd >= 0 && entry.kind != MCPI_ENTRY_FOLDER) {
    mcpi_fd_close(fd);
    return -ENOTDIR;
  }
  return fd;
}

int mcpi_entry_open_file(int folder, const char *name) {
  mcpi_entry entry;
  return entry_open(folder, name, &entry);
}

static int64_t nanoseconds(FILETIME time) {
  uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
  return (int64_t)(ticks - 116444736000000000) * 100; /* from 1601 to 1970 */
}

static mcpi_entry_kind kind_of(DWORD attributes) {
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    return MCPI_ENTRY_LINK;
  }
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? MCPI_ENTRY_FOLDER
                                                      : MCPI_ENTRY_FILE;
}

int mcpi_entry_look_fd(int fd, mcpi_entry *out) {
  BY_HANDLE_FILE_INFORMATION about;
  HANDLE handle = (HANDLE)_get_osfhandle(fd);
  if (GetFileType(handle) != FILE_TYPE_DISK) {
    *out = (mcpi_entry){.kind = MCPI_ENTRY_OTHER};
    return 0;
  }
  if (!GetFileInformationByHandle(handle, &about)) {
    return folders_fail();
  }
  *out = (mcpi_entry){
      .kind = kind_of(about.dwFileAttributes),
      .device = about.dwVolumeSerialNumber,
      .node = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow,
      .size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow,
      .modified_ns = nanoseconds(about.ftLastWriteTime),
      .changed_ns = nanoseconds(about.ftLastWriteTime)};
  return 0;
}

int mcpi_entry_look(int folder, const char *name, mcpi_entry *out) {
  int fd = entry_open(folder, name, out);
  if (fd == -ELOOP) {
    return 0; /* it is a link */
  }
  if (fd < 0) {
    return fd;
  }
  mcpi_fd_close(fd);
  return 0;
}

static int tell_name(const wchar_t *wide,
                     int (*each)(const char *name, void *userdata),
                     void *userdata) {
  char name[3 * MAX_PATH + 1];
  if (wcscmp(wide, L".") == 0 || wcscmp(wide, L"..") == 0 ||
      WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, wide, -1, name,
                          sizeof(name), NULL, NULL) <= 0) {
    return 0;
  }
  return each(name, userdata);
}

int mcpi_folder_each(int folder, int (*each)(const char *name, void *userdata),
                     void *userdata) {
  wchar_t path[PATH_SIZE];
  WIN32_FIND_DATAW found;
  int rc = entry_path(folder, ".", path);
  size_t len = rc == 0 ? wcslen(path) : 0;
  if (rc != 0 || len + 3 > PATH_SIZE) {
    return rc != 0 ? rc : -ENAMETOOLONG;
  }
  wmemcpy(path + len, L"\\*", 3);
  HANDLE listing = FindFirstFileW(path, &found);
  if (listing == INVALID_HANDLE_VALUE) {
    return folders_fail();
  }
  do {
    rc = tell_name(found.cFileName, each, userdata);
  } while (rc == 0 && FindNextFileW(listing, &found));
  if (rc == 0 && GetLastError() != ERROR_NO_MORE_FILES) {
    rc = folders_fail();
  }
  FindClose(listing);
  return rc;
}
