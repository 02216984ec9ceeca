# jw_unit_test(doctor NOUN) for each noun.
