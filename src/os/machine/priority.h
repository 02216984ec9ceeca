/* Lower priority for work that others should not notice. */
#pragma once

enum jw_priority {
    JW_PRIORITY_NORMAL,
    /* A person waits for it, and other programs stay quick: where both want a processor, it gets a
     * thirtieth of it. */
    JW_PRIORITY_BEHIND,
    /* Below all other programs, for processor and disk. (Windows: children get below-normal
     * processor and normal disk priority.) */
    JW_PRIORITY_BACKGROUND,
    /* Only idle processor time. Not for a process that holds a lock which other programs wait for:
     * on a busy machine it may not run for seconds. */
    JW_PRIORITY_IDLE
};

/* Lowers the priority of this thread, of its later children and of the session that it leads; on
 * Windows of the process; as far as the system does it. Call it before starting threads. */
void jw_priority_lower(enum jw_priority how);

/* Windows: closes a console that was created only for this program. Does nothing elsewhere. */
void jw_leave_console(void);
