# jw_unit_test(prime NOUN) for each noun.
jw_unit_test(prime kept)
jw_unit_test(prime watch)
