# The pretenders are tested from outside: `play` is a small program on the driver API that says what each call gave.
add_executable(play fakes/play.c $<$<BOOL:${WIN32}>:$<TARGET_OBJECTS:jw_manifest>>)
target_link_libraries(play PRIVATE jitwarm_lib jw_flags)
target_include_directories(play PRIVATE ${PROJECT_SOURCE_DIR}/tests)
if(WIN32)
    target_link_options(play PRIVATE -static)
endif()

function(jw_fakes_test file)
    jw_unit_test(fakes ${file} SOURCES fakes/rig.c LIBS jw_gen DEFINES PLAY="${JW_DRIVE}$<TARGET_FILE:play>"
        SIMCUDA="${JW_DRIVE}$<TARGET_FILE:simcuda>" SIMNVRTC="${JW_DRIVE}$<TARGET_FILE:simnvrtc>" ${ARGN})
    add_dependencies(test_fakes_${file} play simcuda simnvrtc)
endfunction()

# What real drivers do is asked of them (tests/real): of the double only that its cache is like theirs.
jw_fakes_test(simcache)

# Under Wine and sanitizers several times as long.
jw_long(100 unit.prime.prime unit.driver.pool unit.cache.publish unit.cache.listing unit.cache.publish_live unit.pack.pack_write)
jw_long(30 unit.driver.probe_faults unit.driver.probe unit.driver.probe_place unit.driver.nvrtc_compile unit.cache.prune unit.cache.index_repair
    unit.os.dir unit.pack.minisign unit.pack.pack_read unit.pack.pack_hostile unit.formats.inflate)
