/* A library that is no driver. */
int nothing_of_a_driver(void);
int nothing_of_a_driver(void) { return 0; }
