/* SPDX-License-Identifier: MIT */
/* Processes that the processes of ours have started. */
#ifndef CTL_PLATFORM_CHILDREN_H
#define CTL_PLATFORM_CHILDREN_H

/* From now on, processes whose parent ends become children of this process,
 * where the system can do that. */
void ctl_children_adopt(void);

/* Whether such processes still run; 0 where the system cannot do that. Takes
 * the ended ones. */
int ctl_children_run(void);

#endif
