/* Connects to the payment service, and tries again when that fails. */
#include <stdio.h>
#include <unistd.h>

enum { MAX_ATTEMPTS = 3, FIRST_PAUSE_S = 4 };

struct network;
int network_open(struct network *net, const char *host, int timeout_s);
int network_connect(struct network *net, const char *host, int timeout_s);

int network_connect(struct network *net, const char *host, int timeout_s) {
  unsigned pause_s = FIRST_PAUSE_S;
  for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (network_open(net, host, timeout_s) == 0) {
      return 0;
    }
    fprintf(stderr, "net: retrying connection (attempt %d of %d)\n",
            attempt + 1, MAX_ATTEMPTS);
    sleep(pause_s); /* blocks every other order meanwhile */
    pause_s *= 2;
  }
  fprintf(stderr, "net: gave up on %s after %d attempts\n", host, MAX_ATTEMPTS);
  return -1;
}
