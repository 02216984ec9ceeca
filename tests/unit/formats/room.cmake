foreach(file arch cubin elf fatbin fatbin_find fatbin_unpack fatbin_write host image inflate pe ptx ptx_strings select traps zip)
    jw_unit_test(formats ${file} LIBS jw_gen LABELS ${JW_SAME})
endforeach()

# Files that a real linker made.
if(NOT WIN32)
    add_test(NAME unit.formats.real_files COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/formats/real_files.py
        $<TARGET_FILE:list_entries> $<TARGET_FILE:gen_samples> ${CMAKE_CURRENT_BINARY_DIR}/formats/real_files)
    set_tests_properties(unit.formats.real_files PROPERTIES SKIP_RETURN_CODE 77 LABELS unit TIMEOUT 300)
endif()
