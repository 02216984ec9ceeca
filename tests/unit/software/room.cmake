# Folders of made software (tree.c) for the scans.
function(jw_scan_test file)
    jw_unit_test(software ${file} SOURCES software/tree.c LIBS jw_gen ${ARGN})
endfunction()

jw_scan_test(scan LABELS threads)
jw_scan_test(scan_wheel LABELS threads ${JW_SAME})
jw_scan_test(scan_verdict LABELS ${JW_SAME})
jw_scan_test(scan_jobs LABELS threads)
foreach(file owner toolkit_find vendor)
    jw_unit_test(software ${file})
endforeach()
jw_unit_test(software discover ALONE)
target_link_options(test_software_discover PRIVATE -Wl,--wrap=jw_time_monotonic_ns)
