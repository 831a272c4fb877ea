/* SPDX-License-Identifier: MIT */
/* Keeps libcurl's descriptors from child processes. libcurl 7.88 opens its
 * sockets without close-on-exec: a program that has one server by URL and
 * starts another as a child would hand that child the open connection, from
 * which the child can read the first server's answers.
 *
 * The pair of sockets by which libcurl's resolver thread wakes the loop cannot
 * be kept from children as a whole: libcurl shows one end only, and the other
 * lives for as long as the look-up. No message goes through it. */
#ifndef MCPI_HTTP_CLIENT_CLOEXEC_H
#define MCPI_HTTP_CLIENT_CLOEXEC_H

#include <curl/curl.h>

/* For CURLOPT_OPENSOCKETFUNCTION; `owner` is not used. */
curl_socket_t mcpi_cloexec_socket(void *owner, curlsocktype purpose,
                                  struct curl_sockaddr *address);
/* Marks a descriptor that libcurl has opened itself. */
void mcpi_cloexec_set(curl_socket_t fd);
/* Marks the sockets by which curl_multi_wakeup wakes a new multi. */
void mcpi_cloexec_wakeup(CURLM *multi);

#endif
