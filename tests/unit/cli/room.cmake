foreach(file output interrupt opt messages progress_block table)
    jw_unit_test(cli ${file} LIBS jw_cli)
endforeach()
