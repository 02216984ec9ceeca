foreach(file arena base64 buf bytes command digest err fields json mem num path sort source text)
    jw_unit_test(base ${file})
endforeach()
