/* SPDX-License-Identifier: MIT */
/* IP addresses as text, and which of them are reachable for everyone. An
 * address has 16 bytes; an IPv4 address is mapped (::ffff:a.b.c.d). */
#ifndef MCPI_CODEC_IP_H
#define MCPI_CODEC_IP_H

#include "base/str.h"

/* Reads "1.2.3.4", "::1" or "[::1]". Returns 0; MCP_ERR_PARSE: it is another
 * text, such as a name. */
int mcpi_ip_parse(uint8_t out[16], mcpi_str text);
/* Whether the address is in none of the special ranges (RFC 6890 and later):
 * loopback, private, link-local, shared, documentation, multicast and others.
 * Addresses that stand for an IPv4 address (mapped, 6to4, NAT64) count as that
 * address. */
MCP_API int mcpi_ip_is_public(const uint8_t address[16]);

#endif
