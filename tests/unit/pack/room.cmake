jw_unit_test(pack keys)
foreach(file export_choose minisign pack_golden pack_name pack_layout pack_manifest tar zstd)
    jw_unit_test(pack ${file} LABELS ${JW_SAME})
endforeach()
jw_unit_test(pack pack_faults LABELS threads)
foreach(file pack_hostile pack_kept pack_read pack_write)
    jw_unit_test(pack ${file} LABELS threads ${JW_SAME})
endforeach()
jw_patient(pack pack_write 600)
if(WIN32)
    jw_unit_test(pack keys_windows)
else()
    jw_unit_test(pack keys_posix LABELS root)

    # Other tools' opinion of packs, and ours of what they sign.
    add_executable(pack_play pack/pack_play.c)
    target_link_libraries(pack_play PRIVATE jw_support jw_check jitwarm_lib jw_flags)
    add_test(NAME unit.pack.pack_tools COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/pack/pack_tools.py
        $<TARGET_FILE:pack_play> $<TARGET_FILE:jitwarm> ${PROJECT_SOURCE_DIR}/tests/samples/packs ${CMAKE_CURRENT_BINARY_DIR}/pack/pack_tools)
    set_tests_properties(unit.pack.pack_tools PROPERTIES SKIP_RETURN_CODE 77 LABELS unit TIMEOUT 120)

    # minisign's own opinion of our keys and signatures, and ours of its.
    add_executable(minisign_play pack/minisign_play.c)
    target_link_libraries(minisign_play PRIVATE jitwarm_lib jw_flags)
    foreach(kind bare locked)
        add_test(NAME unit.pack.minisign_${kind} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/pack/minisign.py
            ${kind} $<TARGET_FILE:minisign_play> ${CMAKE_CURRENT_BINARY_DIR}/pack/minisign_${kind})
        set_tests_properties(unit.pack.minisign_${kind} PROPERTIES SKIP_RETURN_CODE 77 LABELS unit TIMEOUT 300)
    endforeach()
    # A gibibyte and seconds for each time that a passphrase is used.
    set_tests_properties(unit.pack.minisign_locked PROPERTIES LABELS "unit;slow" RUN_SERIAL ON)
endif()
