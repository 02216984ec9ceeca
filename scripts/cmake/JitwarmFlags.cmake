# Compiler flags, once, for every target.
include(CheckCCompilerFlag)
find_package(Threads REQUIRED)

add_library(jw_flags INTERFACE)
target_include_directories(jw_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(jw_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wstrict-prototypes -Wmissing-prototypes
    -Wpointer-arith -Wwrite-strings -Wformat=2 -fno-strict-aliasing
    $<$<BOOL:${JW_WERROR}>:-Werror>)
target_compile_definitions(jw_flags INTERFACE JITWARM_VERSION="${PROJECT_VERSION}")
if(WIN32)
    target_compile_definitions(jw_flags INTERFACE _FILE_OFFSET_BITS=64
        UNICODE _UNICODE _WIN32_WINNT=0x0A00 WIN32_LEAN_AND_MEAN __USE_MINGW_ANSI_STDIO=1
        _POSIX_THREAD_SAFE_FUNCTIONS=200809L) # gmtime_r
else()
    target_compile_definitions(jw_flags INTERFACE _GNU_SOURCE)
    target_compile_options(jw_flags INTERFACE -fstack-protector-strong)
    # As distributions build their packages; -fcf-protection is of x86, -mbranch-protection of aarch64.
    foreach(flag -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
        string(MAKE_C_IDENTIFIER "JW_HAS${flag}" known)
        check_c_compiler_flag(${flag} ${known})
        if(${known})
            target_compile_options(jw_flags INTERFACE ${flag})
        endif()
    endforeach()
    if(CMAKE_BUILD_TYPE MATCHES Rel)
        target_compile_definitions(jw_flags INTERFACE _FORTIFY_SOURCE=3)
    endif()
    target_link_options(jw_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
# What users get is small (scripts/package/size.py): no tables for unwinding, for nothing in
# here is unwound, and nothing that is never called. Code that does not see the bulk of the data is made small (JW_SMALL).
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT WIN32)
    set(JW_SMALL ON)
    target_compile_options(jw_flags INTERFACE -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables)
endif()
if(JW_SANITIZE)
    target_compile_options(jw_flags INTERFACE
        -fsanitize=${JW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(jw_flags INTERFACE -fsanitize=${JW_SANITIZE})
endif()
target_link_libraries(jw_flags INTERFACE Threads::Threads)
