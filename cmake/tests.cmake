# SPDX-License-Identifier: MIT

# Helpers for all tests, cmocka with them. Those in tests/support/libmcp
# need libmcp and are only for tests that link it.
file(GLOB sources CONFIGURE_DEPENDS tests/support/*.c)
list(FILTER sources EXCLUDE REGEX "/verifier_double\\.c$") # for one test
if(NOT MCP_CORE_ONLY)
  file(GLOB more CONFIGURE_DEPENDS tests/support/libmcp/*.c)
  if(NOT MCP_COMPLETE)
    list(FILTER more INCLUDE
      REGEX "/(recorder|descriptors|custom_transport)\\.c$")
  endif()
  list(APPEND sources ${more})
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  list(FILTER sources EXCLUDE
    REGEX "/libmcp/(free_|http_rig|raw_client|descriptors)")
  if(NOT MCP_CORE_ONLY)
    list(APPEND sources tests/cross/descriptors.c)
  endif()
endif()
if(WIN32) # what other systems have
  list(APPEND sources tests/cross/posix/posix.c)
endif()
add_library(test-support STATIC ${sources})
if(APPLE)
  target_compile_definitions(test-support PRIVATE
    "program_invocation_short_name=getprogname()")
endif()
if(WIN32)
  target_include_directories(test-support SYSTEM BEFORE PUBLIC
    tests/cross/posix)
  target_compile_options(test-support PUBLIC
    -include "${PROJECT_SOURCE_DIR}/tests/cross/posix/posix.h")
endif()
if(MCP_TEST_GROWN) # it reads a message as the libraries do
  set_source_files_properties(tests/support/known.c PROPERTIES
    INCLUDE_DIRECTORIES "${mcp_headers}")
endif()
target_compile_definitions(test-support PUBLIC _GNU_SOURCE)
target_include_directories(test-support PUBLIC include
  ${mcp_private_headers} tests)
target_link_libraries(test-support PRIVATE mcp-warnings
  PUBLIC PkgConfig::CMOCKA mcp-deps::yyjson)
if(NOT MCP_CORE_ONLY)
  target_link_libraries(test-support PUBLIC ${mcp_targets})
  if(MCP_COMPLETE)
    target_link_libraries(test-support PUBLIC mcp-deps::openssl)
  endif()
endif()

# mcp_test_program(NAME core|mcp|mcp-http|mcp-sqlite SOURCES...): a program on that static
# library, which may include private headers.
function(mcp_test_program name library)
  add_executable(${name} ${ARGN})
  if(library STREQUAL "core")
    set(library mcp-core)
  endif()
  target_link_libraries(${name} PRIVATE test-support ${library}-static
    mcp-warnings)
  if(library STREQUAL "mcp-sqlite") # its tests have libmcp's loops
    target_link_libraries(${name} PRIVATE mcp-static)
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
endfunction()

# mcp_drop_single_threaded(VAR LIBRARY): leaves out those of the sources that the
# thread sanitizer has nothing to look for in. libmcp-core starts no thread
# (scripts/check-layers), and so only a test of its own can.
function(mcp_drop_single_threaded var library)
  if(NOT MCP_SANITIZE STREQUAL "thread" OR NOT library STREQUAL "core")
    return()
  endif()
  set(kept "")
  foreach(source IN LISTS ${var})
    file(STRINGS "${source}" threads REGEX "pthread_create" LIMIT_COUNT 1)
    if(threads)
      list(APPEND kept "${source}")
    endif()
  endforeach()
  set(${var} ${kept} PARENT_SCOPE)
endfunction()

# --- secrets in what tests print --------------------------------------------

# What the tests of authorization use as tokens, codes, states, verifiers,
# secrets, assertions and keys. Each JWT begins with eyJ.
set(mcp_secrets "the-(access|refresh|code|secret|id-token|id-jag|idp-key)"
  "secret-(token|refresh|code)" "(fixed|weak)-token-0" "Bearer t-[0-9]"
  "eyJ[A-Za-z0-9_-]+[.]" "PRIVATE KEY" "AAECAwQFBgcI" "ICEiIyQlJico")

# mcp_test_keeps_secrets(NAME): the test shows each error that the library writes,
# and fails if one of the secrets is in its output.
function(mcp_test_keeps_secrets name)
  if(APPLE OR WIN32) # their linkers cannot wrap functions
    return()
  endif()
  target_sources(${name} PRIVATE tests/support/secrets/show_errors.c)
  target_link_options(${name} PRIVATE -Wl,--wrap=mcp_error_set
    -Wl,--wrap=mcpi_error_set_v)
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT MCP_TEST_SHOWS_ERRORS=1
    FAIL_REGULAR_EXPRESSION "${mcp_secrets}")
endfunction()

# --- unit tests: tests/unit/ROOM/test_NAME.c is unit.ROOM.NAME -------------

add_custom_target(unit-tests) # builds all of them

# mcp_unit_tests(LIBRARY ROOM...): the rooms' tests, which link that library. A
# room under wires/ is named by what follows.
function(mcp_unit_tests library)
  foreach(folder IN LISTS ARGN)
    string(REGEX REPLACE ".*/" "" room "${folder}")
    file(GLOB sources CONFIGURE_DEPENDS tests/unit/${folder}/test_*.c
      tests/unit/${folder}/test_*.cpp)
    mcp_drop_single_threaded(sources ${library})
    if(NOT MCP_COMPLETE) # these seal, or speak the dialect
      list(FILTER sources EXCLUDE
        REGEX "/test_(restart|upgrade|platform|uv_loop|crypto(_memory)?|fetches)\\.c$")
    endif()
    if(NOT MCP_HTTP_CLIENT)
      list(FILTER sources EXCLUDE REGEX "/test_fetches\\.c$")
    endif()
    if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
      list(FILTER sources EXCLUDE
        REGEX "/test_(fd_write|fetches|files|keycloak|lock|sync|uv_loop)\\.c$")
    endif()
    foreach(source IN LISTS sources)
      get_filename_component(name "${source}" NAME_WE)
      string(REGEX REPLACE "^test_" "unit.${room}." name "${name}")
      mcp_test_program(${name} ${library} "${source}")
      add_dependencies(unit-tests ${name})
      add_test(NAME ${name} COMMAND ${name}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      if(folder MATCHES "^(auth|auth/.*|login)$"
         OR name MATCHES "authorization$|^unit.endpoint.protect$")
        mcp_test_keeps_secrets(${name})
      endif()
    endforeach()
  endforeach()
endfunction()

if(MCP_TEST_GROWN)
  # The libraries' structures are larger than the programs': only tests that stay
  # on public headers.
  mcp_unit_tests(mcp libmcp)
  mcp_unit_tests(mcp-http libmcp_http)
  foreach(folder wire examples conformance dialect interop http kit)
    add_subdirectory(tests/${folder})
  endforeach()
  return()
endif()

mcp_unit_tests(core server client ext/tasks ext/apps endpoint)
if(MCP_TEST_CPP)
  mcp_unit_tests(core cpp_core)
endif()
if(TEST unit.endpoint.protect) # its own verifier, in place of the library's
  target_sources(unit.endpoint.protect PRIVATE tests/support/verifier_double.c)
endif()
if(MCP_COMPLETE) # these know of no feature
  mcp_unit_tests(core base json codec schema core store)
endif()
if(TEST unit.schema.limits)
  # It does what takes long, and an emulator takes longer.
  set_tests_properties(unit.schema.limits PROPERTIES TIMEOUT 400 COST 10)
endif()
if(MCP_CORE_DIALECT)
  mcp_unit_tests(core wires/mcp_core endpoint/mcp_core)
endif()
# Tests of what differs between systems, which run on each of them.
if(NOT MCP_CORE_ONLY)
  mcp_test_program(cross.children mcp tests/cross/test_children.c)
  add_test(NAME cross.children COMMAND cross.children)
  mcp_test_program(cross.pipes mcp tests/cross/test_pipes.c)
  add_test(NAME cross.pipes COMMAND cross.pipes)
endif()
if(MCP_COMPLETE AND NOT MCP_CORE_ONLY)
  mcp_test_program(cross.interrupt mcp tests/cross/test_interrupt.c)
  add_test(NAME cross.interrupt COMMAND cross.interrupt)
endif()
if(MCP_COMPLETE AND MCP_HTTP_CLIENT)
  mcp_test_program(cross.loopback mcp-http tests/cross/test_loopback.c)
  add_test(NAME cross.loopback COMMAND cross.loopback)
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # The other tests ask the kernel what is left, start shells, and have sockets and
  # pipes of their own: Linux is enough for what they test.
  if(MCP_COMPLETE AND NOT MCP_CORE_ONLY)
    mcp_unit_tests(mcp auth auth/client auth/resource regex yaml
      wires/websocket platform)
  endif()
  add_subdirectory(tests/mcpctl)
  add_subdirectory(tests/wire)
  add_custom_target(portable-tests DEPENDS unit-tests)
  foreach(test cross.children cross.interrupt cross.loopback cross.pipes
      mcpctl-platform-test trust-test wire-run wire-cells wire-skills)
    if(TARGET ${test})
      add_dependencies(portable-tests ${test})
    endif()
  endforeach()
  return()
endif()
if(MCP_COMPLETE AND NOT MCP_CORE_ONLY AND NOT APPLE)
  mcp_test_program(secrets.leak core tests/support/secrets/leak.c)
  add_test(NAME secrets.leak COMMAND secrets.leak)
  mcp_test_keeps_secrets(secrets.leak)
  set_tests_properties(secrets.leak PROPERTIES WILL_FAIL ON)
endif()
if(MCP_COMPLETE AND NOT MCP_CORE_ONLY)
  mcp_unit_tests(mcp auth auth/client auth/resource) # with OpenSSL's signatures
  mcp_unit_tests(mcp regex yaml skills platform net stdio socket http1 http1/websocket
    wires/websocket main libmcp)
  if(MCP_TEST_CPP)
    mcp_unit_tests(mcp cpp)
    set_target_properties(unit.cpp.ranges PROPERTIES CXX_STANDARD 20)
  endif()
elseif(NOT MCP_CORE_ONLY)
  mcp_unit_tests(mcp platform net stdio)
endif()
if(MCP_COMPLETE AND MCP_SQLITE)
  mcp_unit_tests(mcp-sqlite store/sqlite)
endif()
if(MCP_MODULES AND NOT MCP_CORE_ONLY)
  mcp_unit_tests(mcp module)
endif()
if(MCP_COMPLETE AND MCP_HTTP_CLIENT)
  mcp_unit_tests(mcp fetch)
  if(NOT MCP_SHARED AND TEST unit.fetch.curl)
    target_compile_definitions(unit.fetch.curl PRIVATE TEST_WRAPS_LOOKUP)
    target_link_options(unit.fetch.curl PRIVATE LINKER:--wrap=getaddrinfo)
  endif()
  mcp_unit_tests(mcp-http login http_client wires/plain_post
    wires/websocket_client libmcp_http)
endif()

# --- fuzzers: the corpus is replayed as a test -----------------------------

# mcp_fuzzers(LIBRARY HELPERS SOURCES...): tests/fuzz/.../fuzz_NAME.c is
# fuzz.NAME, and with MCP_FUZZ bin/fuzz-NAME.
function(mcp_fuzzers library helpers)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  set_source_files_properties(${sources} PROPERTIES
    COMPILE_OPTIONS -Wno-missing-prototypes)
  if(MCP_SANITIZE STREQUAL "thread")
    list(FILTER sources INCLUDE REGEX "/wires/") # the others start no threads
  endif()
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" name "${name}")
    execute_process(COMMAND cmake/fuzz-corpus.sh "${name}"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      OUTPUT_VARIABLE corpus OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(corpus UNIX_COMMAND "${corpus}")
    mcp_test_program(fuzz.${name} ${library} "${source}" ${helpers}
      tests/fuzz/replay.c)
    add_test(NAME fuzz.${name} COMMAND fuzz.${name} ${corpus}
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    if(MCP_FUZZ)
      mcp_test_program(fuzz-${name} ${library} "${source}" ${helpers})
      target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
      set_target_properties(fuzz-${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
      add_dependencies(fuzzers fuzz-${name})
    endif()
  endforeach()
endfunction()

if(MCP_COMPLETE)
  if(MCP_FUZZ)
    add_custom_target(fuzzers)
  endif()
  set(library mcp)
  if(MCP_CORE_ONLY)
    set(library core)
  endif()
  mcp_fuzzers(${library} "" tests/fuzz/fuzz_*.c)
  # Two run the programs of transcripts.
  set(programs tests/wire/server_program.c tests/wire/server_commands.c
    tests/wire/server_samples.c tests/wire/server_more.c
    tests/wire/server_no_skills.c tests/wire/client_no_skills.c
    tests/wire/handler.c tests/wire/marks.c tests/wire/setting.c tests/wire/client_program.c
    tests/wire/client_commands.c tests/wire/client_end.c tests/wire/wrap.c)
  mcp_fuzzers(${library} "${programs};tests/wire/transcript.c;\
tests/wire/fake_platform.c;tests/wire/http_side.c" tests/fuzz/transcript/fuzz_*.c)
  if(NOT MCP_CORE_ONLY)
    mcp_fuzzers(mcp
      "${programs};tests/fuzz/skip_time.c;tests/fuzz/tls_peer.c"
      tests/fuzz/wires/fuzz_*.c)
    mcp_fuzzers(mcp "" tests/fuzz/libmcp/fuzz_*.c)
  endif()
  if(TARGET mcpctl)
    # Files that users write, and what servers and clients say. mcpctl has no
    # library of its own; from this one each fuzzer takes what it needs.
    set(ctl_sources bundle/bundle bundle/entry_name bundle/findings
      bundle/launch bundle/manifest bundle/manifest_schema bundle/settings
      bundle/systems bundle/variables bundle/zip_read
      common/base64 common/envelope common/file
      common/find common/json common/jsonc common/members common/nearest
      common/progress common/report common/rewrite common/term common/text
      common/words config/expand config/hosts
      connection/http_said diff/changes diff/compat diff/listing
      diff/listing_diff diff/schema_diff doctor/answer doctor/judge
      generate/bounds generate/model generate/names generate/text
      generate/typing
      generate/write_c
      keep/flights keep/from_client keep/from_server keep/questions keep/route
      keep/route_send keep/tasks keep/wants mock/file pack/needs
      record/recording
      schema/conform schema/schema suite/file)
    list(TRANSFORM ctl_sources PREPEND tools/mcpctl/)
    list(TRANSFORM ctl_sources APPEND .c)
    add_library(mcpctl-fuzzed-static STATIC EXCLUDE_FROM_ALL ${ctl_sources}
      $<TARGET_OBJECTS:mcpctl-platform>)
    target_compile_definitions(mcpctl-fuzzed-static PRIVATE _GNU_SOURCE)
    target_include_directories(mcpctl-fuzzed-static PUBLIC tools/mcpctl)
    target_link_libraries(mcpctl-fuzzed-static PUBLIC mcp-static
      PRIVATE mcp-warnings)
    mcp_fuzzers(mcpctl-fuzzed "" tests/fuzz/mcpctl/fuzz_*.c)
  endif()
  if(MCP_HTTP_CLIENT)
    mcp_fuzzers(mcp-http tests/fuzz/skip_time.c tests/fuzz/libmcp_http/fuzz_*.c)
  endif()
  if(MCP_COVERAGE AND TARGET fuzz-http_client)
    # Files that no fuzzer needs are counted too, so one fuzzer links them all.
    target_link_options(fuzz-http_client PRIVATE LINKER:--whole-archive
      $<TARGET_FILE:mcp-core-static> $<TARGET_FILE:mcp-static>
      $<TARGET_FILE:mcp-http-static> LINKER:--no-whole-archive)
  endif()
endif()

# --- benchmarks: tests/bench/NAME.c or NAME/*.c is bin/bench-NAME ----------

if(MCP_COMPLETE AND NOT MCP_CORE_ONLY)
  file(GLOB benches CONFIGURE_DEPENDS tests/bench/*.c tests/bench/load)
  if(NOT MCP_SQLITE)
    list(FILTER benches EXCLUDE REGEX "/sqlite\\.c$")
  endif()
  foreach(bench IN LISTS benches)
    get_filename_component(name "${bench}" NAME_WE)
    file(GLOB sources CONFIGURE_DEPENDS LIST_DIRECTORIES false
      "${bench}" "${bench}/*.c")
    set(library mcp)
    if(name STREQUAL "sqlite")
      set(library mcp-sqlite)
    endif()
    mcp_test_program(bench-${name} ${library} ${sources})
    target_link_libraries(bench-${name} PRIVATE mcp-deps::wslay)
    set_target_properties(bench-${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  endforeach()
endif()

# --- each public header compiles alone, as C99, as C++17 and as C++20; one that
# ends in .hpp as C++ alone -------------------------------------------------

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE
  "${PROJECT_SOURCE_DIR}/include" include/*.h include/*.hpp)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "[^a-z0-9]" "_" name "${header}")
  foreach(language c cpp)
    if(language STREQUAL "c" AND header MATCHES "\\.hpp$")
      continue()
    endif()
    set(file "${PROJECT_BINARY_DIR}/headers/${name}.${language}")
    file(CONFIGURE OUTPUT "${file}" CONTENT "#include <${header}>\n")
    list(APPEND headers_${language} "${file}")
  endforeach()
endforeach()
set(headers_cpp20 "${headers_cpp}")
set(languages c)
if(MCP_TEST_CPP)
  list(APPEND languages cpp cpp20)
endif()
foreach(language IN LISTS languages)
  add_library(headers-${language} OBJECT ${headers_${language}})
  target_include_directories(headers-${language} PRIVATE include)
  target_compile_options(headers-${language} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Werror)
  target_link_libraries(headers-${language} PRIVATE mcp-deps::yyjson
    $<TARGET_NAME_IF_EXISTS:mcp-deps::uv>)
  set_target_properties(headers-${language} PROPERTIES LINKER_LANGUAGE C
    C_STANDARD 99 C_EXTENSIONS OFF)
endforeach()
if(TARGET headers-cpp20)
  set_target_properties(headers-cpp20 PROPERTIES CXX_STANDARD 20)
endif()

# An older standard gets one clear error, not those of the standard's library.
add_test(NAME headers.cpp14 COMMAND "${CMAKE_CXX_COMPILER}" -std=c++14
  -fsyntax-only "-I${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_BINARY_DIR}/headers/mcp_mcp_hpp.cpp")
set_tests_properties(headers.cpp14 PROPERTIES
  PASS_REGULAR_EXPRESSION "libmcp needs C\\+\\+17")

# --- checks of the sources and of what the libraries export ----------------

foreach(check check-layers check-banned check-tests-doc check-version
    check-security check-names)
  add_test(NAME ${check} COMMAND scripts/${check}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endforeach()
if(MCP_COMPLETE AND MCP_SHARED AND NOT MCP_CORE_ONLY
   AND NOT CMAKE_CROSSCOMPILING)
  set(more_libraries "")
  foreach(library mcp-http mcp-sqlite)
    if(TARGET ${library})
      list(APPEND more_libraries "$<TARGET_FILE:${library}>")
    endif()
  endforeach()
  add_test(NAME check-symbols COMMAND scripts/check-symbols
    $<TARGET_FILE:mcp-core> $<TARGET_FILE:mcp>
    ${more_libraries}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endif()

# --- the rest has a CMakeLists.txt of its own ------------------------------

file(GLOB lists CONFIGURE_DEPENDS tests/*/CMakeLists.txt)
if(NOT MCP_COMPLETE)
  list(FILTER lists INCLUDE REGEX "/(wire|switches)/")
endif()
foreach(list IN LISTS lists)
  get_filename_component(folder "${list}" DIRECTORY)
  add_subdirectory("${folder}")
endforeach()
