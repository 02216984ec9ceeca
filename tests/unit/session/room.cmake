jw_probe_test(session session)
