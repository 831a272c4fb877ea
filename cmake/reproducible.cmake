# SPDX-License-Identifier: MIT
# The same sources, compiler and libraries give the same bytes in every folder:
# nothing that is built names where it was built. A debugger then needs
# `directory`, or `set substitute-path`, to find the sources.
foreach(language C CXX)
  foreach(pair IN ITEMS "${PROJECT_BINARY_DIR}=build"
      "${PROJECT_SOURCE_DIR}=.")
    set(CMAKE_${language}_FLAGS
      "${CMAKE_${language}_FLAGS} \"-ffile-prefix-map=${pair}\"")
  endforeach()
endforeach()
# CMake writes the run path of the build over by that of the installation, and
# leaves the room of the longer one. Programs of the build folder then find no
# libraries that are not the system's.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
