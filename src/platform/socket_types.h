/* SPDX-License-Identifier: MIT */
/* The system's headers of sockets and addresses. Winsock has the types of
 * POSIX, under other names of headers, and no iovec. */
#ifndef MCPI_PLATFORM_SOCKET_TYPES_H
#define MCPI_PLATFORM_SOCKET_TYPES_H

#ifdef _WIN32
#include <winsock2.h>
/* after winsock2.h */
#include <afunix.h>
#include <stddef.h>
#include <ws2tcpip.h>

struct iovec {
  void *iov_base;
  size_t iov_len;
};
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#endif

#endif
