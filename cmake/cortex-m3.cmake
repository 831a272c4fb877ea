# SPDX-License-Identifier: MIT
# A Cortex-M3 with picolibc, in the memory of an LM3S6965.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m3 -mthumb --specs=picolibc.specs")
set(CMAKE_C_FLAGS_MINSIZEREL_INIT "-Os -DNDEBUG")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--defsym=__flash=0 \
-Wl,--defsym=__flash_size=0x40000 -Wl,--defsym=__ram=0x20000000 \
-Wl,--defsym=__ram_size=0x10000")
