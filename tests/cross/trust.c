/* SPDX-License-Identifier: MIT */
/* Lets the user's Windows trust a certificate (DER) of a test: `trust add
 * FILE`, `trust remove FILE`. */
#include <stdio.h>
#include <string.h>
#include <windows.h>
/* After windows.h. */
#include <wincrypt.h>

int main(int argc, char **argv) {
  unsigned char der[8192];
  FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
  if (file == NULL) {
    return 2;
  }
  DWORD len = (DWORD)fread(der, 1, sizeof(der), file);
  fclose(file);
  HCERTSTORE store = CertOpenStore(CERT_STORE_PROV_SYSTEM_W, 0, 0,
                                   CERT_SYSTEM_STORE_CURRENT_USER, L"Root");
  PCCERT_CONTEXT added = NULL;
  BOOL is_done = store != NULL && CertAddEncodedCertificateToStore(
                                      store, X509_ASN_ENCODING, der, len,
                                      CERT_STORE_ADD_REPLACE_EXISTING, &added);
  if (is_done && strcmp(argv[1], "remove") == 0) {
    is_done = CertDeleteCertificateFromStore(added); /* frees it too */
  } else if (added != NULL) {
    CertFreeCertificateContext(added);
  }
  if (store != NULL) {
    CertCloseStore(store, 0);
  }
  return !is_done;
}
