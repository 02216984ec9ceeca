/* The report's rows: each part has them beside what computes it, and verbs/prime_report.c puts them together. */
#ifndef PRIME_PRIME_ROWS_H
#define PRIME_PRIME_ROWS_H

#include "base/rows.h"

/* of a struct jw_driver_here, a jw_prime_gpu and a jw_cache_here */
extern const struct jw_row prime_driver_rows[], prime_driver_named_rows[], prime_gpu_rows[],
    prime_cache_rows[];

/* of a struct jw_prime_report */
extern const struct jw_row prime_absent_rows[], prime_receipt_rows[], prime_target_rows[], prime_room_rows[],
    prime_predicted_rows[], prime_count_rows[], prime_added_rows[], prime_compile_rows[],
    prime_command_rows[], prime_command_cache_rows[], prime_kit_rows[], prime_unread_rows[];

/* of a struct jw_job, in their order */
extern const struct jw_row plan_module_rows[], prime_job_end_rows[], prime_job_failure_rows[],
    plan_place_rows[];

/* of a struct jw_verify_report and a jw_verify_pass */
extern const struct jw_row prime_verify_rows[], prime_pass_rows[];

#endif
