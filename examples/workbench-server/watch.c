/* SPDX-License-Identifier: MIT */
/* Notices of change by inotify, one watch for each folder.
 *
 * A separate thread waits for the kernel. For a written file it calls
 * mcp_server_resource_updated, which any thread may call. A new list belongs to
 * the loop's thread, so the thread posts it with mcp_loop_post.
 *
 *     kernel -> wait 100 ms -> read events -> written? -> resource_updated
 *                                          -> come or gone? -> list -> post
 *
 * The pause lets the kernel merge the events of a program that writes in small
 * pieces. */
#define _GNU_SOURCE
#include "watch.h"

#ifdef __linux__

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
  MAX_FOLDERS = 1024, /* the limit of one user's watches is a few thousand */
  PAUSE_MS = 100,
  WRITTEN = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO,
  MOVED = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO,
  LOST = IN_Q_OVERFLOW | IN_IGNORED
};

typedef struct watched {
  int descriptor;
  char *relative;
} watched;

struct watch {
  workbench *bench;
  mcp_loop *loop;
  pthread_t thread;
  int inotify_fd;
  int stop_fd; /* an eventfd */
  watched folders[MAX_FOLDERS];
  size_t folder_count;
};

/* --- waiting ------------------------------------------------------------- */

/* Returns 1 when the descriptor is readable, 0 when the time is over, -1 when
 * the thread must stop. */
static int wait_for(const watch *w, int fd, int timeout_ms) {
  struct pollfd wanted[] = {{.fd = w->stop_fd, .events = POLLIN},
                            {.fd = fd, .events = POLLIN}};
  int count = poll(wanted, fd >= 0 ? 2 : 1, timeout_ms);
  return wanted[0].revents != 0 ? -1 : count > 0;
}

/* A slow list must not keep the program from ending. */
static int is_stopped(void *userdata) {
  return wait_for(userdata, -1, 0) < 0;
}

/* --- folders ------------------------------------------------------------- */

/* Names the folder by its descriptor: the check that no link leads there was
 * made when it was opened. */
static int add_watch(const watch *w, const char *relative) {
  char path[40];
  int fd = folder_open_beneath(&w->bench->root, relative, O_PATH | O_DIRECTORY);
  if (fd < 0) {
    return -1;
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int descriptor = inotify_add_watch(w->inotify_fd, path, WRITTEN | MOVED);
  close(fd);
  return descriptor;
}

static watched *find_folder(watch *w, int descriptor) {
  for (size_t i = 0; i < w->folder_count; i++) {
    if (w->folders[i].descriptor == descriptor) {
      return &w->folders[i];
    }
  }
  return NULL;
}

/* Returns 1 when the folder is new. A folder that was moved keeps its
 * descriptor, and gets its new name. */
static int watch_folder(watch *w, const char *relative) {
  int descriptor = add_watch(w, relative);
  watched *known = find_folder(w, descriptor);
  char *copy = descriptor >= 0 ? strdup(relative) : NULL;
  if (copy != NULL && known != NULL) {
    free(known->relative);
    known->relative = copy;
    return 0;
  }
  if (copy == NULL || w->folder_count == MAX_FOLDERS) {
    free(copy);
    return 0;
  }
  w->folders[w->folder_count++] = (watched){descriptor, copy};
  return 1;
}

static void forget_folder(watch *w, int descriptor) {
  watched *known = find_folder(w, descriptor);
  if (known != NULL) {
    free(known->relative);
    *known = w->folders[--w->folder_count];
  }
}

static int watch_all(watch *w, const listing *list) {
  int count = watch_folder(w, "");
  for (size_t i = 0; i < list->count && !is_stopped(w); i++) {
    if (list->items[i].is_folder) {
      count += watch_folder(w, list->items[i].relative);
    }
  }
  return count;
}

/* Lists the folders and watches them. A file that came into a new folder before
 * the watch would be missed: after new folders, it lists again. */
static int list_and_watch(watch *w, listing *list) {
  enum { MAX_ROUNDS = 16 };
  int rc = listing_load(list, &w->bench->root, "", is_stopped, w);
  for (int i = 0; rc == 0 && i < MAX_ROUNDS && watch_all(w, list) > 0; i++) {
    listing_free(list);
    rc = listing_load(list, &w->bench->root, "", is_stopped, w);
  }
  return rc;
}

/* --- notifying ---------------------------------------------------------- */

/* A list on its way to the loop. */
typedef struct parcel {
  workbench *bench;
  listing list;
} parcel;

/* Runs on the loop's thread, perhaps while the loop is freed, after the
 * server. */
static void deliver(void *argument) {
  parcel *p = argument;
  if (p->bench->is_over) {
    listing_free(&p->list);
  } else {
    update_resources(p->bench, &p->list);
  }
  free(p);
}

static void tell_list(watch *w) {
  parcel *p = calloc(1, sizeof *p);
  if (p == NULL) {
    return;
  }
  p->bench = w->bench;
  if (list_and_watch(w, &p->list) != 0) {
    free(p);
  } else if (mcp_loop_post(w->loop, deliver, p) != 0) {
    listing_free(&p->list);
    free(p);
  }
}

static void tell_written(watch *w, const struct inotify_event *event) {
  const watched *parent = find_folder(w, event->wd);
  char text[PATH_SIZE + NAME_MAX + 2];
  char relative[PATH_SIZE];
  char uri[URI_SIZE];
  if (parent == NULL || event->len == 0) {
    return;
  }
  snprintf(text, sizeof text, "./%s/%s", parent->relative, event->name);
  if (path_resolve("", text, relative) == 0) {
    path_to_uri(w->bench->root.path, relative, uri);
    mcp_server_resource_updated(w->bench->server, uri);
  }
}

/* --- the thread ---------------------------------------------------------- */

/* Returns 1 when a file or folder has come or gone. */
static int take_event(watch *w, const struct inotify_event *event) {
  if ((event->mask & WRITTEN) != 0) {
    tell_written(w, event);
  }
  if ((event->mask & IN_IGNORED) != 0) {
    forget_folder(w, event->wd);
  }
  return (event->mask & (MOVED | LOST | IN_CLOSE_WRITE)) != 0;
}

static int take_events(watch *w) {
  _Alignas(struct inotify_event) char buffer[16 * 1024];
  int is_other = 0;
  ssize_t len;
  while ((len = read(w->inotify_fd, buffer, sizeof buffer)) > 0) {
    const char *at = buffer;
    while (at < buffer + len) {
      const struct inotify_event *event = (const void *)at;
      is_other |= take_event(w, event);
      at += sizeof *event + event->len;
    }
  }
  return is_other;
}

static void *run(void *userdata) {
  watch *w = userdata;
  tell_list(w);
  while (wait_for(w, w->inotify_fd, -1) >= 0 &&
         wait_for(w, -1, PAUSE_MS) >= 0) {
    if (take_events(w)) {
      tell_list(w);
    }
  }
  return NULL;
}

/* --- beginning and end --------------------------------------------------- */

static void watch_free(watch *w) {
  for (size_t i = 0; i < w->folder_count; i++) {
    free(w->folders[i].relative);
  }
  if (w->inotify_fd >= 0) {
    close(w->inotify_fd);
  }
  if (w->stop_fd >= 0) {
    close(w->stop_fd);
  }
  free(w);
}

/* The loop's thread handles signals. */
static int start_thread(watch *w) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = pthread_create(&w->thread, NULL, run, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return rc;
}

static void stop_thread(watch *w) {
  eventfd_write(w->stop_fd, 1);
  pthread_join(w->thread, NULL);
}

static watch *watch_new(workbench *bench, mcp_loop *loop) {
  watch *w = calloc(1, sizeof *w);
  if (w == NULL) {
    return NULL;
  }
  w->bench = bench;
  w->loop = loop;
  w->inotify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  w->stop_fd = eventfd(0, EFD_CLOEXEC);
  return w;
}

watch *watch_start(workbench *bench, mcp_loop *loop) {
  watch *w = watch_new(bench, loop);
  if (w == NULL) {
    return NULL;
  }
  if (w->inotify_fd < 0 || w->stop_fd < 0 || start_thread(w) != 0) {
    watch_free(w);
    return NULL;
  }
  return w;
}

void watch_stop(watch *w) {
  if (w != NULL) {
    w->bench->is_over = 1;
    stop_thread(w);
    watch_free(w);
  }
}

#else

watch *watch_start(workbench *bench, mcp_loop *loop) {
  (void)bench;
  (void)loop;
  return NULL;
}

void watch_stop(watch *w) {
  (void)w;
}

#endif
