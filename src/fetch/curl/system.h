/* SPDX-License-Identifier: MIT */
/* The system calls of this private library, which may call nothing of the
 * others. */
#ifndef MCPI_FETCH_CURL_SYSTEM_H
#define MCPI_FETCH_CURL_SYSTEM_H

#include <curl/curl.h> /* on Windows Winsock too */
#include <stdint.h>
#ifndef _WIN32
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

/* A socket that children do not inherit. */
curl_socket_t mcpi_fetch_socket(const struct curl_sockaddr *address);
/* A clock that is never set. */
int64_t mcpi_fetch_now_ms(void);

#endif
