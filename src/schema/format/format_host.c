/* SPDX-License-Identifier: MIT */
/* Host names, IP addresses, and mail addresses, which contain them. */
#include "schema/format_checks.h"

#include "codec/uri.h"
#include "schema/format_idn.h"

enum {
  MAX_HOST = 253,      /* bytes in the DNS (RFC 1035, 2.3.4) */
  MAX_LABEL = 63,      /* and of each label */
  MAX_LOCAL_PART = 64, /* bytes before the @ (RFC 5321, 4.5.3.1.1) */
  MAX_IPV4 = 15        /* bytes of "255.255.255.255" */
};

/* --- addresses ----------------------------------------------------------- */

/* Takes 0 to 255. Leading zeros are refused: some programs read them as octal.
 */
static int ipv4_take_octet(mcpi_str *rest) {
  size_t len = mcpi_digits_len(*rest);
  if (len == 0 || len > 3 || (len > 1 && rest->ptr[0] == '0') ||
      (len == 3 && memcmp(rest->ptr, "255", 3) > 0)) {
    return 0;
  }
  mcpi_str_take(rest, len);
  return 1;
}

int mcpi_is_ipv4(mcpi_str text) {
  if (text.len > MAX_IPV4) {
    return 0;
  }
  return ipv4_take_octet(&text) && mcpi_str_take_char(&text, '.') &&
         ipv4_take_octet(&text) && mcpi_str_take_char(&text, '.') &&
         ipv4_take_octet(&text) && mcpi_str_take_char(&text, '.') &&
         ipv4_take_octet(&text) && text.len == 0;
}

/* Takes one to four hexadecimal digits. */
static int ipv6_take_group(mcpi_str *rest) {
  size_t len = 0;
  while (len < rest->len && len < 5 && mcpi_is_hex(rest->ptr[len])) {
    len++;
  }
  mcpi_str_take(rest, len);
  return len >= 1 && len <= 4;
}

/* Takes groups between single colons, up to the end or to "::". An IPv4 address
 * may stand for the last two. Returns how many groups there are, or -1. */
static int ipv6_take_groups(mcpi_str *rest) {
  for (int count = 0; count < 8;) {
    if (mcpi_is_ipv4(*rest)) {
      mcpi_str_take(rest, rest->len);
      return count + 2;
    }
    if (!ipv6_take_group(rest)) {
      return -1;
    }
    count++;
    if (rest->len == 0 || (rest->len >= 2 && memcmp(rest->ptr, "::", 2) == 0)) {
      return count;
    }
    if (!mcpi_str_take_char(rest, ':')) {
      return -1;
    }
  }
  return -1;
}

int mcpi_is_ipv6(mcpi_str text) {
  int has_gap = text.len >= 2 && memcmp(text.ptr, "::", 2) == 0;
  int before = has_gap ? 0 : ipv6_take_groups(&text);
  if (before < 0 || text.len == 0) {
    return before == 8;
  }
  mcpi_str_take(&text, 2);
  int behind = text.len > 0 ? ipv6_take_groups(&text) : 0;
  return behind >= 0 && text.len == 0 && before + behind < 8;
}

/* --- host names ---------------------------------------------------------- */

/* Returns the bytes of a full stop between labels, or 0. Internationalized
 * names also allow the ideographic, fullwidth and halfwidth ones (RFC 3490,
 * 3.1). */
static size_t dot_len(mcpi_str text, int is_idn) {
  static const char *const dots[] = {"\xE3\x80\x82", "\xEF\xBC\x8E",
                                     "\xEF\xBD\xA1"};
  if (text.ptr[0] == '.') {
    return 1;
  }
  for (size_t i = 0; is_idn && i < 3 && text.len >= 3; i++) {
    if (memcmp(text.ptr, dots[i], 3) == 0) {
      return 3;
    }
  }
  return 0;
}

/* Takes a label and the dot after it, if there is one. */
static mcpi_str take_label(mcpi_str *rest, int is_idn, int *has_dot) {
  mcpi_str label = mcpi_str_n(rest->ptr, 0);
  *has_dot = 0;
  while (rest->len > 0) {
    size_t dot = dot_len(*rest, is_idn);
    if (dot > 0) {
      mcpi_str_take(rest, dot);
      *has_dot = 1;
      break;
    }
    mcpi_str_take(rest, 1);
    label.len++;
  }
  return label;
}

static int is_ascii_text(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    if ((unsigned char)text.ptr[i] >= 0x80) {
      return 0;
    }
  }
  return 1;
}

/* Whether a label has only letters, digits, and hyphens between them. */
static int is_plain_label(mcpi_str label) {
  if (label.len == 0 || label.len > MAX_LABEL || label.ptr[0] == '-' ||
      label.ptr[label.len - 1] == '-') {
    return 0;
  }
  for (size_t i = 0; i < label.len; i++) {
    if (!mcpi_is_alnum(label.ptr[i]) && label.ptr[i] != '-') {
      return 0;
    }
  }
  return 1;
}

static int check_label(mcpi_str label, int is_idn, mcpi_idn_label *out) {
  *out = (mcpi_idn_label){.ascii_len = label.len};
  if (is_ascii_text(label)) {
    if (!is_plain_label(label)) {
      return 0;
    }
    out->has_digit_first = mcpi_is_digit(label.ptr[0]);
    return !mcpi_idn_is_encoded(label) || mcpi_idn_check(label, out);
  }
  return is_idn && mcpi_idn_check(label, out);
}

static int is_host_name(mcpi_str text, int is_idn) {
  mcpi_idn_label label;
  size_t len = 0;
  int has_dot = 1;
  int is_rtl = 0;
  int has_digit_first = 0;
  /* A label takes at least a byte, so the loop ends early in a long text. */
  while (has_dot && len <= MAX_HOST) {
    if (!check_label(take_label(&text, is_idn, &has_dot), is_idn, &label)) {
      return 0;
    }
    len += label.ascii_len + (size_t)has_dot;
    is_rtl |= label.is_rtl;
    has_digit_first |= label.has_digit_first;
  }
  return len <= MAX_HOST && !(is_rtl && has_digit_first);
}

int mcpi_is_hostname(mcpi_str text) {
  return text.len <= MAX_HOST && is_host_name(text, 0);
}

int mcpi_is_idn_hostname(mcpi_str text) {
  return is_host_name(text, 1);
}

/* --- mail addresses ------------------------------------------------------ */

/* Names that may be internationalized have bytes outside ASCII (RFC 6531,
 * 3.3). */
static int is_atom_char(char c, int is_idn) {
  if ((unsigned char)c >= 0x80) {
    return is_idn;
  }
  return mcpi_is_alnum(c) ||
         (c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c) != NULL);
}

/* Takes words between single dots. */
static int take_dotted(mcpi_str *rest, int is_idn) {
  do {
    size_t len = 0;
    while (len < rest->len && is_atom_char(rest->ptr[len], is_idn)) {
      len++;
    }
    if (len == 0) {
      return 0;
    }
    mcpi_str_take(rest, len);
  } while (mcpi_str_take_char(rest, '.'));
  return 1;
}

/* Takes "a \" string". */
static int take_quoted(mcpi_str *rest, int is_idn) {
  mcpi_str_take(rest, 1);
  while (rest->len > 0) {
    unsigned char c = (unsigned char)mcpi_str_take(rest, 1).ptr[0];
    if (c == '"') {
      return 1;
    }
    if (c == '\\') {
      c = rest->len > 0 ? (unsigned char)mcpi_str_take(rest, 1).ptr[0] : '\0';
    }
    if (c < 0x20 || c == 0x7F || (c >= 0x80 && !is_idn)) {
      return 0;
    }
  }
  return 0;
}

static int is_address_literal(mcpi_str text) {
  if (text.len < 2 || text.ptr[0] != '[' || text.ptr[text.len - 1] != ']') {
    return 0;
  }
  mcpi_str address = mcpi_str_n(text.ptr + 1, text.len - 2);
  if (address.len >= 5 && memcmp(address.ptr, "IPv6:", 5) == 0) {
    mcpi_str_take(&address, 5);
    return mcpi_is_ipv6(address);
  }
  return mcpi_is_ipv4(address);
}

static int is_mailbox(mcpi_str text, int is_idn) {
  const char *start = text.ptr;
  int is_quoted = text.len > 0 && text.ptr[0] == '"';
  if (!(is_quoted ? take_quoted(&text, is_idn) : take_dotted(&text, is_idn)) ||
      text.ptr - start > MAX_LOCAL_PART || !mcpi_str_take_char(&text, '@')) {
    return 0;
  }
  return is_address_literal(text) ||
         (is_idn ? mcpi_is_idn_hostname(text) : mcpi_is_hostname(text));
}

int mcpi_is_email(mcpi_str text) {
  return is_mailbox(text, 0);
}

int mcpi_is_idn_email(mcpi_str text) {
  return is_mailbox(text, 1);
}
