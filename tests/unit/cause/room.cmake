jw_unit_test(cause quote)
foreach(noun cause remedy)
    jw_unit_test(cause ${noun} LABELS ${JW_SAME})
endforeach()
if(NOT WIN32 AND NOT JW_SANITIZE)
    # docs/dev/findings.md is made of the table.
    add_test(NAME unit.cause.findings COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/gen_findings.py --check)
    set_tests_properties(unit.cause.findings PROPERTIES LABELS unit)
endif()
