foreach(file jitcache_entry jitcache_index jitcache_key module_name digest_set)
    jw_unit_test(cache ${file} LABELS ${JW_SAME})
endforeach()
jw_unit_test(cache listing ALONE SOURCES ../rigs/naps.c LABELS threads root ${JW_SAME})
jw_unit_test(cache cache_env LABELS root)
jw_unit_test(cache cache_disk LABELS root)

# Those that fail at each step in turn take their time.
jw_unit_test(cache index_repair ALONE SOURCES ../rigs/naps.c LABELS ${JW_SAME})
jw_patient(cache index_repair 600)
target_link_options(test_cache_index_repair PRIVATE -Wl,--wrap=jw_cache_list -Wl,--wrap=publish_there)
jw_unit_test(cache publish ALONE SOURCES ../rigs/publish_rig.c ../rigs/naps.c)
target_link_options(test_cache_publish PRIVATE -Wl,--wrap=publish_there -Wl,--wrap=publish_place)
foreach(file listing index_repair publish)
    target_link_options(test_cache_${file} PRIVATE -Wl,--wrap=jw_time_sleep_ms)
endforeach()
jw_patient(cache publish 600)
if(NOT WIN32)
    jw_unit_test(cache publish_posix SOURCES ../rigs/publish_rig.c LABELS root)
endif()

# Beside programs on the simulated driver.
jw_unit_test(cache publish_live ALONE DEFINES PLAY="${JW_DRIVE}$<TARGET_FILE:play>"
    SIMCUDA="${JW_DRIVE}$<TARGET_FILE:simcuda>")
target_link_options(test_cache_publish_live PRIVATE -Wl,--wrap=jw_filelock_take -Wl,--wrap=jw_filelock_drop)
add_dependencies(test_cache_publish_live play simcuda)
jw_patient(cache publish_live 300)

# More kills, more programs, and under Wine each fault instead of some.
jw_slow_part(cache publish 1800 faults many_in_several_turns)
jw_slow_part(cache index_repair 1800 every_call_fails_once)
jw_slow_part(cache publish_live 1800 beside_four_programs_for_long)
if(NOT WIN32)
    jw_slow_part(cache publish_posix 1800 killed_at_any_instant)
endif()
