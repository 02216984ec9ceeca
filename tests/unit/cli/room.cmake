foreach(file interrupt opt progress report stream)
    jw_unit_test(cli ${file} LIBS jw_cli)
endforeach()
