/* SPDX-License-Identifier: MIT */
/* A recording. Its entries name each other by their places. */
#include "record/recording.h"

#include <stdint.h>
#include <stdlib.h>

static void check_place(const ctl_recording *recording, int place) {
  if (place != CTL_NO_ENTRY && (place < 0 || place >= recording->count)) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ctl_recording recording;
  mcp_error err;
  int rc = ctl_recording_parse(&recording, (const char *)data, size, &err);
  for (int i = 0; rc == 0 && i < recording.count; i++) {
    const ctl_entry *entry = &recording.entries[i];
    check_place(&recording, entry->partner);
    check_place(&recording, entry->cause);
    check_place(&recording, ctl_recording_find(&recording, entry->is_client,
                                               entry->message));
  }
  ctl_recording_deinit(&recording);
  return 0;
}
