/* GPUs as a user or the PCI bus names them. */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "jitwarm/gpu.h"

/* Reads what a user writes after --gpu:
 *
 *   sm_86 compute_86 86 8.6 sm_90a     an architecture, known or one that may come (name "")
 *   10de:2484 10de:2484:1458:403b      a PCI id, perhaps with that of its board
 *   0x2484 PCI\VEN_10DE&DEV_2484       the same
 *   GA104                              a chip
 *   "NVIDIA GeForce RTX 3070" rtx3070  a product: all words are in its name, which has the fewest
 *                                      others, and belongs to one compute capability only
 *
 * Refused: the index or UUID of a GPU of this machine, which are the caller's business. */
bool jw_gpu_parse(const char *text, struct jw_gpu *out, struct jw_err *err) JW_MUST;

bool jw_gpu_is_index(const char *text); /* a bare number below 20 */

/* Is the text a number or a UUID ("GPU-...", "MIG-..."), which only its own machine has? And does
 * it mean this GPU: by its number, UUID, or a part of its name? */
bool jw_gpu_is_of_machine(const char *text);
bool jw_gpu_means(const char *text, const struct jw_device *gpu);

bool jw_sms_have(const struct jw_sms *sms, unsigned sm);
void jw_sms_add(struct jw_sms *sms, uint16_t sm);

extern const struct jw_sms jw_sms_important; /* "all", and the default without a GPU */
