# CMake toolchain: Linux on aarch64 (Jetson, Grace) by the distribution's cross compiler. The libraries are the static ones
# of `scripts/deps aarch64`; programs run through qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(JW_AARCH64_DEPS "${CMAKE_CURRENT_LIST_DIR}/../build/deps/aarch64" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${JW_AARCH64_DEPS}" /usr/aarch64-linux-gnu)
set(CMAKE_PREFIX_PATH "${JW_AARCH64_DEPS}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# What is built to be tried here finds the cross compiler's C library; what is built for users finds that of their systems.
option(JW_TRIED_HERE "Programs run on this machine, through qemu-user" OFF)
if(JW_TRIED_HERE)
    set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 \
-Wl,--disable-new-dtags,-rpath,/usr/aarch64-linux-gnu/lib")
    list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES JW_TRIED_HERE)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/qemu-run")
