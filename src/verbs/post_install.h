/* A prime of `paths` in the background, for a package's script (prime --post-install) and after an
 * enrolment: as the user behind a package manager (sudo, doas, pkexec), through that user's login
 * shell, so it has the settings that programs will have; for root itself only in a container or
 * with --as-root. Nothing is loaded, and nothing waits. `*says`: what came of it, a sentence.
 * False: it could not be started. A package's script ends with 0 in each case. */
#pragma once

#include "session/session.h"

bool jw_post_install(struct jw_session *s, struct jw_texts paths, const char **says) JW_MUST;
