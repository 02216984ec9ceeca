foreach(noun cause quote remedy)
    jw_unit_test(cause ${noun})
endforeach()
