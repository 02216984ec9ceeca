# jw_unit_test(setup NOUN) for each noun.
