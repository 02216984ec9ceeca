/* Wording that several findings share. */
#ifndef DOCTOR_DOCTOR_WORDS_H
#define DOCTOR_DOCTOR_WORDS_H

#include "base/command.h"
#include "doctor/doctor.h"

/* The source of a driver, behind "install driver 570 or newer". */
#define DOCTOR_DRIVERS_WINDOWS ", from https://www.nvidia.com/drivers"
#define DOCTOR_DRIVERS_LINUX ", by the system's package manager or from https://www.nvidia.com/drivers"

/* A variable of this process; NULL: unset. */
const char *doctor_variable(const struct jw_doctor_machine *m, const char *name);

/* True if CUDA_VISIBLE_DEVICES hides all GPUs. */
bool doctor_gpus_are_hidden(const struct jw_doctor_machine *m);

/* "CUDA_CACHE_DISABLE=1"; a long value is cut. */
const char *doctor_setting(const char *name, const char *value, struct jw_findings *f);

/* "CUDA_CACHE_DISABLE=1", with the file that sets the same value for logins. */
const char *doctor_where_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                             struct jw_findings *f);

/* doctor_set_command: the command that sets a variable, or (value NULL) removes it, in this shell and, where jitwarm
 * can, for new logins; doctor_how_to_set: the sentence before it. */
const char *doctor_set_command(const struct jw_doctor_machine *m, const char *name, const char *value,
                               struct jw_findings *f);
const char *doctor_how_to_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                              struct jw_findings *f);

/* The command for this shell only. */
const char *doctor_set_in_shell(const struct jw_doctor_machine *m, const char *name, const char *value,
                                struct jw_findings *f);

/* Quoted for a command line, if needed. */
const char *doctor_quoted(const struct jw_doctor_machine *m, const char *path, struct jw_findings *f);

/* A command of these words. */
#define DOCTOR_COMMAND(m, f, ...) JW_COMMAND((f)->a, (m)->windows, __VA_ARGS__)

/* A finding about the cache's folder, its subject; its evidence is where that is, unless it has another. */
void doctor_cache_finding(const struct jw_doctor_machine *m, struct jw_findings *f, struct jw_finding one);
#define CACHE_FINDING(m, f, ...) doctor_cache_finding(m, f, (struct jw_finding){ __VA_ARGS__ })

/* The command that gives the driver its own local folder, with an unpredictable name, in this shell and for new logins. */
const char *doctor_own_folder(const struct jw_doctor_machine *m, struct jw_findings *f);
const char *doctor_own_folder_fix(const struct jw_doctor_machine *m);

/* The same, in a container: a folder on its volume; where it has none, doctor_container_volume. */
const char *doctor_volume_command(const struct jw_doctor_machine *m, struct jw_findings *f);
const char *doctor_volume_fix(const struct jw_doctor_machine *m, struct jw_findings *f);

/* The place where a variable of a container is set for good: "docker run -e, or ENV in the image". */
const char *doctor_container_setting(const struct jw_doctor_machine *m);

/* The command that takes folders out of this shell's LD_LIBRARY_PATH: the one of this path, or those with this word in
 * theirs. */
const char *doctor_without_folder(const struct jw_doctor_machine *m, const char *word, struct jw_findings *f);

/* LD_LIBRARY_PATH with these folders in front of its present ones. */
const char *doctor_with_folders(const struct jw_doctor_machine *m, const char *folders,
                                struct jw_findings *f);

/* True: rights and owner of the cache's folder may be changed. It is the driver's default place in this user's home,
 * or it holds the driver's index and is no folder of the system; a CUDA_CACHE_PATH with a mistake in it may name any
 * folder. */
bool doctor_is_plainly_the_cache(const struct jw_doctor_machine *m);
/* True: this file is in the way of the driver's default place, below this user's home. */
bool doctor_may_rename(const struct jw_doctor_machine *m, const char *path);

/* For other folders: the command that has the driver use another one, and the sentence before it. */
const char *doctor_other_place(const struct jw_doctor_machine *m, struct jw_findings *f);
const char *doctor_other_place_fix(const struct jw_doctor_machine *m, struct jw_findings *f);
/* The same where it must be on a disk of this machine: the home's default place if that is one, or else a new folder. */
const char *doctor_local_place(const struct jw_doctor_machine *m, struct jw_findings *f);
const char *doctor_local_place_fix(const struct jw_doctor_machine *m, struct jw_findings *f);

/* The fix for a cache of another user: a folder that root made in this user's own home is given to the user;
 * else the driver uses another place. */
const char *doctor_right_owner(const struct jw_doctor_machine *m, struct jw_findings *f);
const char *doctor_right_owner_fix(const struct jw_doctor_machine *m, struct jw_findings *f);

/* "chmod u+rw FILE", for a file or folder that the user owns (`closed`). */
const char *doctor_open(const struct jw_doctor_machine *m, struct jw_findings *f);

/* "sudo " where this user needs it. */
const char *doctor_sudo(const struct jw_doctor_machine *m);

/* For a driver that is newer than the kernel's module. In a container it is for the host. */
const char *doctor_reboot(const struct jw_doctor_machine *m, struct jw_findings *f);
const char *doctor_reboot_fix(const struct jw_doctor_machine *m);

/* "jitwarm prime", as this user has to run it. */
const char *doctor_prime(const struct jw_doctor_machine *m, struct jw_findings *f);

/* Lists what was primed and is gone, in the cache that doctor looks at. */
const char *doctor_list_gone(const struct jw_doctor_machine *m, struct jw_findings *f);

/* The command of this system's package manager for a new driver; NULL: none is certain. */
const char *doctor_install_driver(const struct jw_doctor_machine *m);
/* The same where one is there that is too old. A release of Debian has one version of it. */
const char *doctor_newer_driver(const struct jw_doctor_machine *m);

/* In a container, the command that gives it a GPU, and the sentence before it: for where Docker, Podman, kubectl ... are. */
const char *doctor_container_gpu(const struct jw_doctor_machine *m, struct jw_findings *f);
const char *doctor_container_gpu_fix(const struct jw_doctor_machine *m);

/* A variable, and the folder on a volume that it shall name. */
struct doctor_set {
    const char *name, *folder;
};

/* The same for a container without a volume: one that has one, and these variables. A container is started again once:
 * the findings that it has no GPU and that its cache is on no volume get this command, too. */
const char *doctor_container_volume(const struct jw_doctor_machine *m, const struct doctor_set *sets,
                                    size_t n, struct jw_findings *f);
const char *doctor_container_volume_fix(const struct jw_doctor_machine *m);

/* ---- the limit of the cache ---- */

/* The bytes that a value such as "4G" was meant to be, but not less than is recommended. The machine's cache
 * is known. */
const char *doctor_limit_meant(const struct jw_doctor_machine *m, const char *value, struct jw_findings *f);

/* True if the driver reads the value as a limit under which no real program keeps anything. */
bool doctor_limit_keeps_nothing(const struct jw_doctor_machine *m, const char *value);

/* Against modules that the driver's compiler refused. */
#define DOCTOR_REFUSED_FIX                                                                                   \
    "take another version of the software where the compiler names an error in the code, else another "      \
    "driver branch"

#endif
