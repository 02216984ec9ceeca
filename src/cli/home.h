/* `jitwarm` alone: this machine, how much is warm, the next command, and the verbs. Ten lines. */
#ifndef CLI_HOME_H
#define CLI_HOME_H

struct cli;

/* Uses what is remembered: nothing is searched, and the driver is not loaded. */
int jw_home_print(struct cli *cli);

#endif
