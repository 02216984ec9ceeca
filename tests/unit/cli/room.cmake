foreach(file output interrupt opt messages table)
    jw_unit_test(cli ${file} LIBS jw_cli)
endforeach()
