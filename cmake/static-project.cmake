# SPDX-License-Identifier: MIT
# Part of cmake/static.cmake: what is known only after the compiler was tried.
set(CMAKE_C_IMPLICIT_LINK_LIBRARIES "")
