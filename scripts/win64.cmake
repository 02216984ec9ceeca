# CMake toolchain: Windows on x86-64 by mingw-w64, everything linked statically.
# The libraries are those of `scripts/deps win64`; programs run through Wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

# The -posix compilers know C11 threads and winpthreads; the plain names may not.
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

get_filename_component(JW_WIN64_DEPS "${CMAKE_CURRENT_LIST_DIR}/../build/deps/win64" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${JW_WIN64_DEPS}" /usr/x86_64-w64-mingw32)
set(CMAKE_PREFIX_PATH "${JW_WIN64_DEPS}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(BUILD_SHARED_LIBS OFF)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")

set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/wine-run")
