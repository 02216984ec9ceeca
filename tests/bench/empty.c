/* Linked with the tool's libraries, and done. */
int main(void) { return 0; }
