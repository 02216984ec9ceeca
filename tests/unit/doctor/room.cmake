jw_unit_test(doctor log LABELS ${JW_SAME})
