/* SPDX-License-Identifier: MIT */
/* A file that is opened without sharing is locked, until its process ends at
 * the latest. */
#include "login/file_lock.h"

#include "platform/winerror.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <mcp/error.h>
#include <windows.h>

enum { PATH_SIZE = 4096 };

int mcpi_file_lock(const char *path, int *error) {
  wchar_t wide[PATH_SIZE];
  if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, PATH_SIZE) <= 0) {
    *error = ENOENT;
    return MCP_ERR_IO;
  }
  HANDLE handle = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, 0, NULL,
                              OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
  if (handle == INVALID_HANDLE_VALUE) {
    DWORD why = GetLastError();
    *error = mcpi_errno_of((int)why);
    return why == ERROR_SHARING_VIOLATION ? MCP_ERR_BUSY : MCP_ERR_IO;
  }
  int fd = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
  if (fd < 0) {
    CloseHandle(handle);
    *error = EMFILE;
    return MCP_ERR_IO;
  }
  return fd;
}

void mcpi_file_unlock(int fd) {
  _close(fd);
}
