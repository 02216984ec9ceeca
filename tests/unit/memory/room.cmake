jw_unit_test(memory drivers)
