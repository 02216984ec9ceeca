# Dependencies, each for what it is best at: zstd and lz4 (fatbins), ISA-L (wheels, CRC-32),
# cJSON (metadata), libsodium (digests, signatures); zlib for tests alone; libcurl's headers (export, import).
# They come from packages; `scripts/deps` makes static ones from the distribution's source packages for cross builds.
# A build against another system's root takes what that system lacks from here: scripts/release.
set(JW_CJSON_ROOT "" CACHE PATH "A folder with cJSON in it, outside of the system's root")

function(jw_dep target header library)
    set(elsewhere)
    if(ARGN)
        set(elsewhere HINTS ${ARGN} NO_CMAKE_FIND_ROOT_PATH)
    endif()
    find_path(${target}_INCLUDE ${header} PATH_SUFFIXES include ${elsewhere})
    if(JW_STATIC)
        find_library(${target}_LIBRARY NAMES lib${library}.a ${library} PATH_SUFFIXES lib ${elsewhere})
    else()
        find_library(${target}_LIBRARY NAMES ${library})
    endif()
    if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
        message(FATAL_ERROR "${library} is missing. scripts/test and scripts/quickstart install what the build needs; "
                            "for a cross build run scripts/deps first.")
    endif()
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
        IMPORTED_LOCATION "${${target}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${${target}_INCLUDE}")
endfunction()

jw_dep(jw_zstd zstd.h zstd)
jw_dep(jw_lz4 lz4frame.h lz4)
jw_dep(jw_isal isa-l/igzip_lib.h isal)
jw_dep(jw_cjson cjson/cJSON.h cjson ${JW_CJSON_ROOT})
jw_dep(jw_sodium sodium.h sodium)
if(JW_TESTS OR JW_DEMO)
    jw_dep(jw_zlib zlib.h z)
endif()
# libcurl is loaded at run time: a build needs its headers alone. They are the same for every system, so a cross build
# takes this machine's; copied, because they may stand among headers that are not.
if(NOT WIN32)
    find_path(JW_CURL_HEADERS curl/curl.h PATH_SUFFIXES include)
    find_path(JW_CURL_HEADERS curl/curl.h PATHS /usr/include PATH_SUFFIXES x86_64-linux-gnu aarch64-linux-gnu
        NO_CMAKE_FIND_ROOT_PATH)
    if(NOT JW_CURL_HEADERS)
        message(FATAL_ERROR "libcurl's headers are missing. scripts/test and scripts/quickstart install what the build needs.")
    endif()
    file(COPY ${JW_CURL_HEADERS}/curl DESTINATION ${CMAKE_BINARY_DIR}/headers)
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
