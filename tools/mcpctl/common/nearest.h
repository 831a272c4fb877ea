/* SPDX-License-Identifier: MIT */
/* Of many names, the one that a user may have meant by a misspelt word. */
#ifndef CTL_NEAREST_H
#define CTL_NEAREST_H

#include <stddef.h>
#include <stdint.h>

typedef struct ctl_nearest {
  const char *word;
  size_t word_len;
  const char *name; /* borrowed; NULL: no name is near */
  size_t faults;    /* those of the word, if it is meant to be `name` */
  const char *sign; /* what stands before a name: "", or "--" if the caller
                     * sets it */
} ctl_nearest;

/* `len`: the bytes of the word that count, at most; SIZE_MAX: all. No name is
 * near to a word of more than 64 bytes. */
void ctl_nearest_begin(ctl_nearest *nearest, const char *word, size_t len);
/* Takes the name if it is nearer than those before. */
void ctl_nearest_offer(ctl_nearest *nearest, const char *name);

/* Bytes of such an end, with the name. */
enum { CTL_ENDING_SIZE = 128 };
/* Returns the end of a message that refuses the word: "; did you mean 'NAME'?"
 * (in `out`), or `otherwise` if no name is near. */
const char *ctl_nearest_ending(const ctl_nearest *nearest,
                               const char *otherwise,
                               char out[CTL_ENDING_SIZE]);
#endif
