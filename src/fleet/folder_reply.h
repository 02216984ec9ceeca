/* Whether a folder's file system replies. One of a server that has gone lets each call wait, often for good. */
#ifndef FLEET_FOLDER_REPLY_H
#define FLEET_FOLDER_REPLY_H

#include <stdbool.h>

/* Reads index.json, or a name where there is none, in a thread; false: not within `timeout_ms`. Such a thread is left
 * alone: it ends when the file system replies, or with this process. */
bool jw_folder_replies(const char *folder, unsigned timeout_ms);

#endif
