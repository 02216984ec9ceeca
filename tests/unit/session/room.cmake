# jw_unit_test(session NOUN) for each noun.
