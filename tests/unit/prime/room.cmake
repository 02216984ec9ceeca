# jw_unit_test(prime NOUN) for each noun.
jw_unit_test(prime kept)
jw_unit_test(prime watch)
jw_unit_test(prime plan LABELS ${JW_SAME})
jw_unit_test(prime pace LABELS ${JW_SAME})
jw_unit_test(prime steps LABELS ${JW_SAME})
jw_unit_test(prime answer LABELS ${JW_SAME})
jw_unit_test(prime look)
jw_unit_test(prime carry)
jw_probe_test(prime prime)
set_property(TEST unit.prime.prime APPEND PROPERTY LABELS ${JW_SAME}) # cli.prime asks Windows
