/* `jitwarm` without a verb: this machine, how much is warm, the next command, the verbs. */
#ifndef CLI_HOME_H
#define CLI_HOME_H

struct cli;

/* Reads only stored state: it searches nothing and does not load the driver. */
int jw_home_print(struct cli *cli);

#endif
