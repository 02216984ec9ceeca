# jw_unit_test(cause NOUN) for each noun.
