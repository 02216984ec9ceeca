foreach(file interrupt messages opt output progress report table)
    jw_unit_test(cli ${file} LIBS jw_cli)
endforeach()
