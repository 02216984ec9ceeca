# jw_unit_test(prime NOUN) for each noun.
