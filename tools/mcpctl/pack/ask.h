/* SPDX-License-Identifier: MIT */
/* Asks a server what a bundle's manifest says of it. */
#ifndef CTL_PACK_ASK_H
#define CTL_PACK_ASK_H

#include "bundle/bundle.h"
#include "line/options.h"

typedef struct ctl_asked {
  mcp_doc *listing; /* owned: a listing (diff/listing.h) */
  mcp_doc *texts;   /* owned: an object with the text of each prompt that has
                     * one, with variables such as ${arguments.topic} */
} ctl_asked;

/* Unpacks the bundle, starts its server with the settings of the options, and
 * asks it. `path` names the bundle. Returns CTL_OK; or an exit code after a
 * report. The caller calls ctl_asked_deinit in both cases. */
int ctl_ask_bundle(ctl_asked *asked, const ctl_options *options,
                   const ctl_bundle *bundle, const char *path);
void ctl_asked_deinit(ctl_asked *asked);

#endif
