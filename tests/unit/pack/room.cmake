jw_unit_test(pack keys)
foreach(file export_choose minisign pack_name pack_layout pack_manifest tar zstd)
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

    # Other tools' opinion of packs.
    add_test(NAME unit.pack.pack_tools COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/pack/pack_tools.py
        ${PROJECT_SOURCE_DIR}/tests/samples/packs ${CMAKE_CURRENT_BINARY_DIR}/pack/pack_tools)
    set_tests_properties(unit.pack.pack_tools PROPERTIES SKIP_RETURN_CODE 77 LABELS unit TIMEOUT 120)
endif()
