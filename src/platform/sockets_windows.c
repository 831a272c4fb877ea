/* SPDX-License-Identifier: MIT */
/* Winsock. libuv starts it before a socket can be opened: each loop is
 * libuv's. */
#include "platform/sockets.h"
#include "platform/winerror.h"

#include <errno.h>

enum { PARTS_MAX = 16 };

/* Returns -1, with the reason in errno. */
static int sock_fail(void) {
  errno = mcpi_errno_of(WSAGetLastError());
  return -1;
}

/* Returns the socket; or -1, and it is closed. */
static int sock_prepare(SOCKET made) {
  u_long on = 1;
  if (made == INVALID_SOCKET) {
    return sock_fail();
  }
  if (ioctlsocket(made, FIONBIO, &on) != 0 ||
      !SetHandleInformation((HANDLE)made, HANDLE_FLAG_INHERIT, 0)) {
    int failed = sock_fail();
    closesocket(made);
    return failed;
  }
  return (int)made;
}

int mcpi_sock_open(int family) {
  return sock_prepare(
      WSASocketW(family, SOCK_STREAM, 0, NULL, 0,
                 WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT));
}

int mcpi_sock_accept(int listener, struct sockaddr *from, socklen_t *len) {
  return sock_prepare(accept((SOCKET)listener, from, len));
}

int mcpi_sock_duplicate(int fd) {
  WSAPROTOCOL_INFOW info;
  if (WSADuplicateSocketW((SOCKET)fd, GetCurrentProcessId(), &info) != 0) {
    return sock_fail();
  }
  return sock_prepare(
      WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO,
                 &info, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT));
}

void mcpi_sock_close(int fd) {
  closesocket((SOCKET)fd);
}

/* Winsock's are younger than the rest, and nobody here has tried them. */
int mcpi_sock_has_files(void) {
  return 0;
}

int mcpi_sock_bind(int fd, const struct sockaddr *to, socklen_t len) {
  return bind((SOCKET)fd, to, len) == 0 ? 0 : sock_fail();
}

int mcpi_sock_listen(int fd, int backlog) {
  return listen((SOCKET)fd, backlog) == 0 ? 0 : sock_fail();
}

int mcpi_sock_connect(int fd, const struct sockaddr *to, socklen_t len) {
  return connect((SOCKET)fd, to, len) == 0 ||
                 WSAGetLastError() == WSAEWOULDBLOCK
             ? 0
             : sock_fail();
}

int mcpi_sock_error(int fd) {
  int error = 0;
  socklen_t len = sizeof(error);
  if (getsockopt((SOCKET)fd, SOL_SOCKET, SO_ERROR, (char *)&error, &len) != 0) {
    error = WSAGetLastError();
  }
  return error != 0 ? mcpi_errno_of(error) : 0;
}

ssize_t mcpi_sock_read(int fd, void *buffer, size_t size) {
  WSABUF part = {.len = (ULONG)size, .buf = buffer};
  DWORD got = 0;
  DWORD flags = 0;
  return WSARecv((SOCKET)fd, &part, 1, &got, &flags, NULL, NULL) == 0
             ? (ssize_t)got
             : sock_fail();
}

/* A list that is too long, or a part of 4 GB, is written in part. */
ssize_t mcpi_sock_write(int fd, struct iovec *parts, int count) {
  WSABUF list[PARTS_MAX];
  DWORD written = 0;
  DWORD used = 0;
  for (int i = 0; i < count && used < PARTS_MAX; i++) {
    size_t len = parts[i].iov_len;
    list[used].buf = parts[i].iov_base;
    list[used++].len = len < INT32_MAX ? (ULONG)len : INT32_MAX;
    if (len > INT32_MAX) {
      break;
    }
  }
  return WSASend((SOCKET)fd, list, used, &written, 0, NULL, NULL) == 0
             ? (ssize_t)written
             : sock_fail();
}

int mcpi_sock_shut(int fd) {
  return shutdown((SOCKET)fd, SD_SEND) == 0 ? 0 : sock_fail();
}

void mcpi_sock_reset(int fd) {
  const struct linger at_once = {.l_onoff = 1};
  setsockopt((SOCKET)fd, SOL_SOCKET, SO_LINGER, (const char *)&at_once,
             sizeof(at_once));
}

void mcpi_sock_set(int fd, int level, int option, int value) {
  setsockopt((SOCKET)fd, level, option, (const char *)&value, sizeof(value));
}

/* SO_REUSEADDR would let another program take the address away, and Windows
 * needs nothing to use an old one again. */
void mcpi_sock_reuse(int fd) {
  mcpi_sock_set(fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
}

int mcpi_sock_peer(int fd, uint64_t *user, int64_t *pid) {
  (void)fd;
  (void)user;
  (void)pid;
  return 0;
}
