foreach(file compile_time driver_settings drivers errors gpus libraries ptx_options)
    jw_unit_test(facts ${file} LABELS ${JW_SAME})
endforeach()
if(NOT WIN32 AND NOT JW_SANITIZE)
    add_test(NAME unit.facts.damaged_tables COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/facts/damaged_tables.py
        ${PROJECT_SOURCE_DIR}/scripts/gen_facts.py ${PROJECT_SOURCE_DIR}/src/facts/tables)
    set_tests_properties(unit.facts.damaged_tables PROPERTIES LABELS unit TIMEOUT 120)
    # The drivers that are here ask the loader for the names of the table.
    add_test(NAME unit.facts.driver_names COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/facts/driver_names.py
        ${PROJECT_SOURCE_DIR}/src/facts/libraries.c)
    set_tests_properties(unit.facts.driver_names PROPERTIES SKIP_RETURN_CODE 77 LABELS unit TIMEOUT 120)
endif()
if(NOT WIN32)
    # doctor --log explains each line that a program really printed.
    add_test(NAME unit.facts.log_texts COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/facts/test_log_texts.py
        $<TARGET_FILE:jitwarm> ${PROJECT_SOURCE_DIR}/src/facts/tables/errors.csv)
    set_tests_properties(unit.facts.log_texts PROPERTIES LABELS unit TIMEOUT 120)
endif()
