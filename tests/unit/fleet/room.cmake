jw_unit_test(fleet fleet_format LABELS ${JW_SAME})
