/* SPDX-License-Identifier: MIT */
/* Notifications that the server sends: to legacy sessions, and to the listens
 * of the modern era. */
#ifndef MCPI_SERVER_NOTIFY_H
#define MCPI_SERVER_NOTIFY_H

#include "server/shard.h"

/* Sends list-changed for a kind to every session and listen that wants it. */
void mcpi_notify_list_changed(mcpi_shard *shard, int kind);

#endif
