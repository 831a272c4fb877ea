/* SPDX-License-Identifier: MIT */
/* Archives, good ones and hostile ones. The hostile ones are good ones with a
 * few other bytes. */
#include "bundle/sha256.h"
#include "bundle/zip.h"
#include "support/cm.h"

#include <stdlib.h>
#include <string.h>

/* An archive in a block of its own, so that the address sanitizer sees a read
 * past its end. */
typedef struct made {
  char *bytes;
  size_t len;
} made;

static made finish(ctl_zip_writer *writer) {
  mcp_error err = {0};
  made out;
  assert_int_equal(ctl_zip_finish(writer, &err), 0);
  out.len = writer->len;
  out.bytes = malloc(out.len);
  assert_non_null(out.bytes);
  memcpy(out.bytes, writer->bytes, out.len);
  ctl_zip_writer_deinit(writer);
  return out;
}

static void add(ctl_zip_writer *writer, const char *name, const char *text,
                int is_executable) {
  mcp_error err = {0};
  assert_int_equal(
      ctl_zip_add(writer, name, text, strlen(text), is_executable, &err), 0);
}

/* An archive of two files; the names have the same length. */
static made make_two(const char *one, const char *other) {
  ctl_zip_writer writer = {0};
  add(&writer, one, "first first first first first first", 0);
  add(&writer, other, "second", 1);
  return finish(&writer);
}

static void put_2(char *at, unsigned number) {
  at[0] = (char)(number & 0xff);
  at[1] = (char)(number >> 8);
}

static void put_4(char *at, unsigned number) {
  put_2(at, number & 0xffff);
  put_2(at + 2, number >> 16);
}

static unsigned get_4(const char *at) {
  const unsigned char *bytes = (const unsigned char *)at;
  return bytes[0] | (unsigned)bytes[1] << 8 | (unsigned)bytes[2] << 16 |
         (unsigned)bytes[3] << 24;
}

/* The header of the directory for the file with that number. */
static char *directory_of(const made *from, int number) {
  char *at = from->bytes + get_4(from->bytes + from->len - 6);
  for (; number > 0; number--) {
    at += 46 + (unsigned char)at[28] + ((unsigned char)at[29] << 8);
  }
  return at;
}

static char *local_of(const made *from, int number) {
  return from->bytes + get_4(directory_of(from, number) + 42);
}

/* Reads the archive, which is not good, and frees it. */
static void refuse(made *from, const char *why) {
  ctl_zip zip;
  mcp_error err = {0};
  int rc = ctl_zip_read(&zip, from->bytes, from->len, &err);
  for (size_t i = 0; rc == 0 && i < zip.count; i++) {
    char *bytes = ctl_zip_unpack(&zip.entries[i], &err);
    rc = bytes == NULL ? err.code : 0;
    free(bytes);
  }
  assert_true(rc < 0);
  if (strstr(err.message, why) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, why);
  }
  ctl_zip_deinit(&zip);
  free(from->bytes);
}

static void gives_back_what_was_added(void **state) {
  ctl_zip_writer writer = {0};
  ctl_zip zip;
  mcp_error err = {0};
  (void)state;
  add(&writer, "manifest.json", "{}", 0);
  add(&writer, "server/run", "#!/bin/sh\nexec true\n", 1);
  add(&writer, "empty", "", 0);
  add(&writer, "\xc3\xa4", "many many many many many many many many", 0);
  made from = finish(&writer);
  assert_int_equal(ctl_zip_read(&zip, from.bytes, from.len, &err), 0);
  assert_int_equal(zip.count, 4);
  assert_false(zip.is_signed);
  const ctl_zip_entry *run = ctl_zip_find(&zip, "server/run");
  assert_non_null(run);
  assert_true(run->is_executable);
  const ctl_zip_entry *many = ctl_zip_find(&zip, "\xc3\xa4");
  assert_true(many->is_deflated);
  assert_false(many->is_executable);
  char *bytes = ctl_zip_unpack(many, &err);
  assert_string_equal(bytes, "many many many many many many many many");
  free(bytes);
  bytes = ctl_zip_unpack(ctl_zip_find(&zip, "empty"), &err);
  assert_string_equal(bytes, "");
  free(bytes);
  assert_null(ctl_zip_find(&zip, "Empty"));
  ctl_zip_deinit(&zip);
  free(from.bytes);
}

static void is_the_same_each_time(void **state) {
  (void)state;
  made one = make_two("a", "b");
  made other = make_two("a", "b");
  assert_int_equal(one.len, other.len);
  assert_memory_equal(one.bytes, other.bytes, one.len);
  free(one.bytes);
  free(other.bytes);
}

static void refuses_names_that_lead_elsewhere(void **state) {
  static const struct {
    const char *name;
    const char *why;
  } cases[] = {{"../x", "leads out"},
               {"a/../../x", "leads out"},
               {"a/./b", "leads out"},
               {"/etc/passwd", "absolute"},
               {"a//b", "empty"},
               {"a\\..\\b", "backslash"},
               {"C:x", "colon"},
               {"a:b", "colon"},
               {"nul", "device"},
               {"b/COM1.txt", "device"},
               {"a.", "dot or blank"},
               {"a /b", "dot or blank"},
               {"a\nb", "control"},
               {"a*", "does not allow"},
               {"\xe0\x80\xaf", "UTF-8"},
               {"\xed\xa0\x80", "UTF-8"},
               {"\xf0\x8f\xbf\xbf", "UTF-8"},
               {"\xf4\x90\x80\x80", "UTF-8"},
               {"com\xc2\xb9", "device"},
               {"LPT\xc2\xb3.x", "device"},
               {"\xff", "UTF-8"},
               {"\xc0\xae\xc0\xae", "UTF-8"},
               {"", "empty"}};
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    ctl_zip_writer writer = {0};
    add(&writer, cases[i].name, "x", 0);
    made from = finish(&writer);
    refuse(&from, cases[i].why);
  }
}

static void refuses_two_files_with_one_name(void **state) {
  (void)state;
  made same = make_two("a", "a");
  refuse(&same, "two files have this name");
  made other_case = make_two("a", "A");
  refuse(&other_case, "two files have this name");
  ctl_zip_writer writer = {0};
  add(&writer, "a", "x", 0);
  add(&writer, "A/b", "x", 0);
  made above = finish(&writer);
  refuse(&above, "a folder of its path is a file");
}

static void refuses_links_and_devices(void **state) {
  (void)state;
  made link = make_two("a", "b");
  put_2(directory_of(&link, 0) + 40, 0120777);
  refuse(&link, "symbolic link");
  made fifo = make_two("a", "b");
  put_2(directory_of(&fifo, 1) + 40, 0010644);
  refuse(&fifo, "not a file or a folder");
}

static void refuses_encrypted_files(void **state) {
  (void)state;
  made from = make_two("a", "b");
  put_2(directory_of(&from, 0) + 8, 1);
  put_2(local_of(&from, 0) + 6, 1);
  refuse(&from, "encrypted");
}

static void refuses_other_methods(void **state) {
  (void)state;
  made from = make_two("a", "b");
  put_2(directory_of(&from, 0) + 10, 12);
  put_2(local_of(&from, 0) + 8, 12);
  refuse(&from, "method");
}

static void refuses_two_descriptions(void **state) {
  static const struct {
    size_t at;
    int number;
  } cases[] = {{6, 2}, {8, 0}, {14, 7}, {18, 1}, {22, 1}, {30, 'x'}};
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    made from = make_two("a", "b");
    local_of(&from, 0)[cases[i].at] = (char)cases[i].number;
    refuse(&from, "in two ways");
  }
}

static void refuses_bombs(void **state) {
  (void)state;
  made large = make_two("a", "b");
  put_4(directory_of(&large, 0) + 24, 0x7fffffff);
  put_4(local_of(&large, 0) + 22, 0x7fffffff);
  refuse(&large, "too large");
  made ratio = make_two("a", "b");
  put_4(directory_of(&ratio, 0) + 24, 1000000);
  put_4(local_of(&ratio, 0) + 22, 1000000);
  refuse(&ratio, "larger than its packed bytes allow");
  made less = make_two("a", "b"); /* it unpacks to more than it says */
  put_4(directory_of(&less, 0) + 24, 3);
  put_4(local_of(&less, 0) + 22, 3);
  refuse(&less, "broken");
}

static void refuses_shared_bytes(void **state) {
  (void)state;
  made shared = make_two("a", "a");
  memcpy(directory_of(&shared, 1), directory_of(&shared, 0), 46);
  refuse(&shared, "overlap");
}

static void refuses_bytes_of_no_file(void **state) {
  (void)state;
  made two = make_two("a", "b");
  made more = {malloc(two.len + 5), two.len + 5};
  assert_non_null(more.bytes);
  memset(more.bytes, 'x', 5);
  memcpy(more.bytes + 5, two.bytes, two.len);
  put_4(more.bytes + more.len - 6, get_4(more.bytes + more.len - 6) + 5);
  put_4(directory_of(&more, 0) + 42, 5);
  put_4(directory_of(&more, 1) + 42, get_4(directory_of(&more, 1) + 42) + 5);
  free(two.bytes);
  refuse(&more, "overlap, or there are bytes between them");
}

static void refuses_wrong_checksums(void **state) {
  (void)state;
  made from = make_two("a", "b");
  put_4(directory_of(&from, 1) + 16, 1);
  put_4(local_of(&from, 1) + 14, 1);
  refuse(&from, "checksum");
}

static void refuses_zip64_and_parts(void **state) {
  (void)state;
  made large = make_two("a", "b");
  put_2(large.bytes + large.len - 14, 0xffff);
  put_2(large.bytes + large.len - 12, 0xffff);
  refuse(&large, "more than");
  made parts = make_two("a", "b");
  put_2(parts.bytes + parts.len - 18, 1);
  refuse(&parts, "several parts");
}

/* Puts bytes at a place of the archive. */
static void insert(made *from, size_t at, const char *more, size_t len) {
  char *longer = malloc(from->len + len);
  assert_non_null(longer);
  memcpy(longer, from->bytes, at);
  memcpy(longer + at, more, len);
  memcpy(longer + at + len, from->bytes + at, from->len - at);
  free(from->bytes);
  from->bytes = longer;
  from->len += len;
}

/* Each header has extra fields of its own, and some programs read only one. */
static void refuses_a_second_name(void **state) {
  static const char extra[] = {0x75, 0x70, 4, 0, 'n', 'a', 'm', 'e'};
  (void)state;
  made from = make_two("a", "b");
  char *header = directory_of(&from, 1);
  header[30] = sizeof(extra);
  insert(&from, (size_t)(header + 47 - from.bytes), extra, sizeof(extra));
  put_4(from.bytes + from.len - 10,
        get_4(from.bytes + from.len - 10) + sizeof(extra));
  refuse(&from, "b: it has a second name");
  from = make_two("a", "b");
  header = local_of(&from, 1);
  header[28] = sizeof(extra);
  insert(&from, (size_t)(header + 31 - from.bytes), extra, sizeof(extra));
  put_4(from.bytes + from.len - 6,
        get_4(from.bytes + from.len - 6) + sizeof(extra));
  refuse(&from, "b: it has a second name");
}

static void refuses_what_is_cut_off(void **state) {
  (void)state;
  made whole = make_two("a", "b");
  for (size_t len = 0; len < whole.len; len++) {
    made from = {malloc(len + 1), len};
    assert_non_null(from.bytes);
    from.bytes = realloc(from.bytes, len > 0 ? len : 1);
    memcpy(from.bytes, whole.bytes, len);
    refuse(&from, "");
  }
  free(whole.bytes);
}

/* No read leaves the archive when one bit of it is wrong. */
static void survives_any_byte(void **state) {
  (void)state;
  made from = make_two("a", "b");
  for (size_t i = 0; i < from.len; i++) {
    char was = from.bytes[i];
    for (int bit = 0; bit < 8; bit++) {
      ctl_zip zip;
      mcp_error err = {0};
      from.bytes[i] = (char)(was ^ 1 << bit);
      if (ctl_zip_read(&zip, from.bytes, from.len, &err) == 0) {
        for (size_t k = 0; k < zip.count; k++) {
          free(ctl_zip_unpack(&zip.entries[k], &err));
        }
      }
      ctl_zip_deinit(&zip);
    }
    from.bytes[i] = was;
  }
  free(from.bytes);
}

static made with_signature(unsigned len_said) {
  made two = make_two("a", "b");
  char text[64] = "MCPB_SIG_V1....signatureMCPB_SIG_END";
  size_t len = strlen(text);
  put_4(text + 11, len_said);
  made from = {malloc(two.len + len), two.len + len};
  assert_non_null(from.bytes);
  memcpy(from.bytes, two.bytes, two.len);
  memcpy(from.bytes + two.len, text, len);
  free(two.bytes);
  return from;
}

static void finds_a_signature(void **state) {
  ctl_zip zip;
  mcp_error err = {0};
  (void)state;
  made from = with_signature(9);
  assert_int_equal(ctl_zip_read(&zip, from.bytes, from.len, &err), 0);
  assert_true(zip.is_signed);
  ctl_zip_deinit(&zip);
  free(from.bytes);
  made wrong = with_signature(8);
  refuse(&wrong, "no end record");
}

static void hashes_as_fips_180_says(void **state) {
  char out[CTL_SHA256_TEXT];
  char many[1000];
  (void)state;
  ctl_sha256("", 0, out);
  assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca49"
                           "5991b7852b855");
  ctl_sha256("abc", 3, out);
  assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb41"
                           "0ff61f20015ad");
  ctl_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
             out);
  assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6e"
                           "cedd419db06c1");
  memset(many, 'a', sizeof(many));
  ctl_sha256(many, sizeof(many), out);
  assert_string_equal(out, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645ad"
                           "b5db1b9737ea3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_back_what_was_added),
      cmocka_unit_test(is_the_same_each_time),
      cmocka_unit_test(refuses_names_that_lead_elsewhere),
      cmocka_unit_test(refuses_two_files_with_one_name),
      cmocka_unit_test(refuses_links_and_devices),
      cmocka_unit_test(refuses_encrypted_files),
      cmocka_unit_test(refuses_other_methods),
      cmocka_unit_test(refuses_two_descriptions),
      cmocka_unit_test(refuses_bombs),
      cmocka_unit_test(refuses_shared_bytes),
      cmocka_unit_test(refuses_bytes_of_no_file),
      cmocka_unit_test(refuses_wrong_checksums),
      cmocka_unit_test(refuses_zip64_and_parts),
      cmocka_unit_test(refuses_a_second_name),
      cmocka_unit_test(refuses_what_is_cut_off),
      cmocka_unit_test(survives_any_byte),
      cmocka_unit_test(finds_a_signature),
      cmocka_unit_test(hashes_as_fips_180_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
