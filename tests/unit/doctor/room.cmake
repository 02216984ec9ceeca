jw_unit_test(doctor log)
