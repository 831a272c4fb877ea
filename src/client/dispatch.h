/* SPDX-License-Identifier: MIT */
/* Hands what the peer and its link report to the part of the client that it
 * concerns. */
#ifndef MCPI_CLIENT_DISPATCH_H
#define MCPI_CLIENT_DISPATCH_H

#include "client/client.h"

extern const mcpi_peer_ops mcpi_client_peer_ops;
extern const mcpi_link_ops mcpi_client_link_ops;

#endif
