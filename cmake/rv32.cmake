# SPDX-License-Identifier: MIT
# A RISC-V of 32 bits with picolibc, in the memory of QEMU's machine "virt".
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-march=rv32imac -mabi=ilp32 -msave-restore -mtune=size \
--specs=picolibc.specs")
set(CMAKE_C_FLAGS_MINSIZEREL_INIT "-Os -DNDEBUG")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--defsym=__flash=0x80000000 \
-Wl,--defsym=__flash_size=0x40000 -Wl,--defsym=__ram=0x80400000 \
-Wl,--defsym=__ram_size=0x10000")
