foreach(noun cause quote remedy)
    jw_unit_test(cause ${noun})
endforeach()
# docs/findings.md is made of the table.
add_test(NAME unit.cause.findings COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/gen_findings.py --check)
set_tests_properties(unit.cause.findings PROPERTIES LABELS unit)
