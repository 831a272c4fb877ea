# SPDX-License-Identifier: MIT
# Programs for i686 run on an x86-64 kernel, with the libc of the cross compiler
# and the libraries that scripts/deps --all unpacked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(MCP_DEPS_ARCH i386-linux-gnu)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MCP_DEPS_DIR)
set(libc /usr/i686-linux-gnu/lib)
set(deps "${MCP_DEPS_DIR}/usr/lib/${MCP_DEPS_ARCH}")
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT
    "-isystem ${MCP_DEPS_DIR}/usr/include/${MCP_DEPS_ARCH}")
endforeach()
# DT_RPATH, unlike DT_RUNPATH, also serves libraries that libraries need.
foreach(kind EXE SHARED)
  string(CONCAT CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,--disable-new-dtags"
    ",-rpath,${libc}:${deps},-rpath-link,${deps}"
    ",--dynamic-linker,${libc}/ld-linux.so.2")
endforeach()
