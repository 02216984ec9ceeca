# Libraries that stand in for a driver; never installed. Sanitizers stay out of them: they are loaded by others.
function(jw_fake_library name source)
    add_library(${name} MODULE ${source})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion)
    target_compile_definitions(${name} PRIVATE ${ARGN})
    set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden)
    if(WIN32)
        target_link_options(${name} PRIVATE -static-libgcc)
    else()
        target_link_options(${name} PRIVATE -Wl,--build-id=sha1)
    endif()
endfunction()

jw_fake_library(fake_driver driver/fake_driver.c)
jw_fake_library(fake_driver_old driver/fake_driver.c FAKE_OLD)
jw_fake_library(fake_empty driver/empty_library.c)
jw_fake_library(fake_nvrtc driver/fake_nvrtc.c)
jw_fake_library(fake_nvrtc_old driver/fake_nvrtc.c FAKE_OLD)
# Beside the simulated driver, for programs that load one.
jw_fake_library(simnvrtc driver/fake_nvrtc.c FAKE_SCRIPT="SIMNVRTC" FAKE_VERSION="13.0" FAKE_ISA="9.0"
    FAKE_ARCHS="75,80,86,87,88,89,90,100,103,110,120,121")
set_target_properties(simnvrtc PROPERTIES OUTPUT_NAME libnvrtc-sim LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/simcuda)

# The compiler's library is watched while a command runs.
if(NOT WIN32)
    jw_unit_test(driver witness OWN_PROCESSES LABELS threads DEFINES COMPILER_LIBRARY="$<TARGET_FILE:simcuda_compiler>")
    add_dependencies(test_driver_witness simcuda_compiler)
endif()

# The tables of entry points against NVIDIA's own headers, where a toolkit is installed.
if(NOT WIN32 AND NOT JW_SANITIZE)
    foreach(table driver_api nvrtc_api)
        add_test(NAME unit.driver.${table} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/driver/test_apis.py
            ${table} ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR})
        set_tests_properties(unit.driver.${table} PROPERTIES SKIP_RETURN_CODE 77 LABELS unit TIMEOUT 120)
    endforeach()
endif()
jw_unit_test(driver driver)

function(jw_worker_test file)
    cmake_parse_arguments(ARG "" "" "LABELS;SOURCES;DEFINES" ${ARGN})
    jw_unit_test(driver ${file} ${ARG_UNPARSED_ARGUMENTS} SOURCES driver/rig.c ${ARG_SOURCES} LIBS jw_gen LABELS ${ARG_LABELS} DEFINES ${ARG_DEFINES}
        FAKE_DRIVER="$<TARGET_FILE:fake_driver>"
        FAKE_OLD="$<TARGET_FILE:fake_driver_old>" FAKE_EMPTY="$<TARGET_FILE:fake_empty>" JITWARM="$<TARGET_FILE:jitwarm>")
    add_dependencies(test_driver_${file} fake_driver fake_driver_old fake_empty)
    if(NOT JW_SANITIZE STREQUAL "thread") # the workers of its one test are the test itself
        add_dependencies(test_driver_${file} jitwarm)
    endif()
endfunction()

jw_unit_test(driver proto LABELS ${JW_SAME})
jw_unit_test(driver supervisor LABELS ${JW_SAME})
jw_unit_test(driver identity LIBS jw_gen)
jw_unit_test(driver compiler_code LABELS ${JW_SAME})
jw_worker_test(worker)
jw_worker_test(worker_jobs)

# Many workers of the test itself, on the simulated driver.
function(jw_pool_test file)
    jw_worker_test(${file} ALONE SOURCES driver/pool_rig.c LABELS threads DEFINES SIMCUDA="$<TARGET_FILE:simcuda>")
    target_link_options(test_driver_${file} PRIVATE -Wl,--wrap=jw_worker_start -Wl,--wrap=jw_worker_load)
    add_dependencies(test_driver_${file} simcuda)
    jw_patient(driver ${file} 600)
endfunction()

jw_pool_test(pool)

if(NOT WIN32)
    jw_worker_test(worker_posix)
endif()

# The same of NVRTC.
function(jw_nvrtc_test file)
    jw_unit_test(driver ${file} SOURCES ../rigs/nvrtc_rig.c DEFINES SIMNVRTC="$<TARGET_FILE:simnvrtc>"
        FAKE_NVRTC="$<TARGET_FILE:fake_nvrtc>" FAKE_NVRTC_OLD="$<TARGET_FILE:fake_nvrtc_old>"
        FAKE_EMPTY="$<TARGET_FILE:fake_empty>" JITWARM="$<TARGET_FILE:jitwarm>")
    add_dependencies(test_driver_${file} fake_nvrtc fake_nvrtc_old fake_empty simnvrtc jitwarm)
endfunction()

jw_nvrtc_test(nvrtc_compile)
jw_patient(driver nvrtc_compile 300)

jw_unit_test(driver probe_place)
foreach(file probe_check probe_set)
    jw_unit_test(driver ${file} LABELS ${JW_SAME})
endforeach()
jw_probe_test(driver probe root)
jw_probe_test(driver probe_faults)
set_property(TEST unit.driver.probe_faults APPEND PROPERTY LABELS ${JW_SAME})
