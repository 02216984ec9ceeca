/* root may do everything, so what a test asks about rights is asked by somebody else. */
#ifndef TESTS_RIGS_AS_NOBODY_H
#define TESTS_RIGS_AS_NOBODY_H

/*
 * Runs `fn` in a child process that has no rights (in this one's name when this one has none), and counts its
 * failed checks as failures of this test. `folder` is made for it: it owns nothing there and may enter it.
 */
void as_nobody(void (*fn)(const char *folder), void (*prepare)(const char *folder));

#endif
