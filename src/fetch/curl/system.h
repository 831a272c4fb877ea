/* SPDX-License-Identifier: MIT */
/* What this library of its own needs of the system. */
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
