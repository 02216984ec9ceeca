/* Collects the facts for env_plan: the cache, its disk, jitwarm's records. Changes nothing. */
#ifndef ENV_ENV_FACTS_H
#define ENV_ENV_FACTS_H

#include "cache/status/status.h"
#include "env/env_look.h"
#include "env/env_plan.h"
#include "env/env_quote.h"

struct jw_env_state {
    struct jw_env_look look;
    struct jw_env_facts facts;
    struct jw_env_advice advice[JW_ENV_ADVICES];
    struct jw_status_report status; /* to be freed */
    const char *home;               /* or NULL */
};

struct jw_env_ask {
    uint64_t size;     /* --maxsize; 0: not given */
    const char *place; /* --path; NULL: not given */
    bool no_login;     /* do not start a login shell */
    const atomic_bool *interrupted;
};

bool jw_env_state(const struct jw_env_ask *ask, struct jw_arena *a, struct jw_env_state *out,
                  struct jw_err *err) JW_MUST;
void jw_env_state_free(struct jw_env_state *s); /* accepts a zeroed one */

/* The recommended settings, as --shell prints and env apply writes them. At most JW_ENV_ADVICES. */
size_t jw_env_settings(const struct jw_env_state *s, struct jw_env_setting out[JW_ENV_ADVICES]);

#endif
