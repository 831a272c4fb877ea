/* SPDX-License-Identifier: MIT */
/* The stream on which a server of 2026-07-28 reports what becomes of a task
 * that a request follows (subscriptions/listen with `taskIds`). It is a listen
 * of the client's own, whose owner is that request. */
#ifndef MCPI_CLIENT_TASK_STREAM_H
#define MCPI_CLIENT_TASK_STREAM_H

#include "client/request.h"

/* Opens one, unless there are too many. Nothing is reported if that fails. */
void mcpi_task_stream_open(mcpi_request *owner);
/* Closes it, if it is open. */
void mcpi_task_stream_close(mcpi_request *owner);

#endif
