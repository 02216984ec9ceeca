foreach(file interrupt messages opt output progress report)
    jw_unit_test(cli ${file} LIBS jw_cli)
endforeach()
