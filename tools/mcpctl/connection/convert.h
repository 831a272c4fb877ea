/* SPDX-License-Identifier: MIT */
/* Numbers and booleans that the command line gives as text. */
#ifndef CTL_CONVERT_H
#define CTL_CONVERT_H

#include "connection/session.h"

/* Makes each key=value into key:=value if the text is a number or a boolean,
 * and an error says that the tool wants that. `errors` are those of a
 * validator. Returns 1: session->arguments have changed. */
int ctl_convert(ctl_session *session, const mcp_json *errors);

#endif
