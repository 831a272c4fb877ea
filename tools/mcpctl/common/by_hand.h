/* SPDX-License-Identifier: MIT */
/* Verbs that a client starts as its server. */
#ifndef CTL_BY_HAND_H
#define CTL_BY_HAND_H

/* Whether a person at a terminal has started the verb. Ask before something
 * else takes standard input. */
int ctl_by_hand(void);

/* Tells that person, who sees nothing happen otherwise, how to try
 * the verb. */
void ctl_by_hand_note(void);

#endif
