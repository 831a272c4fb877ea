/* SPDX-License-Identifier: MIT */
/* Compares what two servers, or one server at two times, list. */
#ifndef CTL_LISTING_DIFF_H
#define CTL_LISTING_DIFF_H

#include "diff/changes.h"

/* Adds the differences of two listings (listing.h). `changes` is empty, and
 * borrows the listings until it is freed. */
void ctl_listing_diff(ctl_changes *changes, ctl_values listings);

/* Does the same for the entries of one tool. */
void ctl_listing_diff_tool(ctl_changes *changes, ctl_values tools);

#endif
