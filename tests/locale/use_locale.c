/* SPDX-License-Identifier: MIT */
/* Makes the program that it is loaded into use the locale of its environment,
 * as programs with a user interface do. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void use_locale(void) {
  if (setlocale(LC_ALL, "") == NULL) {
    fputs("use-locale: there is no such locale\n", stderr);
    abort();
  }
}
