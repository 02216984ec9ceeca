#include "fleet/machine.h"

#include "base/sort.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "fleet/format/ref.h"
#include "os/machine/env.h"
#include "pack/store/store.h"

/* ---- the driver ---- */

static bool ask_machine(struct jw_session *s, struct jw_fleet_machine *out, struct jw_err *err)
{
    const struct jw_driver_state *known;
    const struct jw_probe_report *p;
    const char *why;

    if (!jw_session_driver(s, &p, err))
        return false;
    why = jw_probe_why_unusable(p);
    if (!why && p->state.stamp) {
        out->stamp = p->state.stamp;
        out->driver = p->driver.version ? p->driver.version : p->state.version;
        return true;
    }
    if (!why && p->no_room)
        return jw_fail(err, JW_E_IO, "%s", p->unproven);
    if (!why)
        return jw_fail(err, JW_E_DRIVER,
                       "the driver build is unknown; run jitwarm doctor --probe for the cause");
    known = jw_session_known_driver(s);
    if (!known || !known->stamp)
        return jw_fail(err, JW_E_DRIVER, "the driver is unknown (%.200s), and no driver was used here before",
                       why);
    out->unasked = why;
    out->stamp = known->stamp;
    out->driver = known->version;
    return true;
}

/* ---- architectures ---- */

/* One that only a newer jitwarm's table has is known where such a GPU is here. */
static bool is_known_sm(const struct jw_probe_report *p, uint16_t sm)
{
    bool known = jw_arch_find(sm) != NULL;

    for (size_t i = 0; !known && i < p->n_devices; i++)
        known = p->devices[i].sm == sm;
    return known;
}

static bool choose_sms(struct jw_session *s, struct jw_fleet_machine *m, const char *const *gpus,
                       size_t n_gpus, struct jw_err *err)
{
    const struct jw_probe_report *p;

    if (!jw_session_driver(s, &p, err))
        return false;
    for (size_t i = 0; i < n_gpus; i++) {
        struct jw_gpu one;

        if (!jw_gpu_parse(gpus[i], &one, err))
            return jw_wrap(err, "--gpu");
        if (!is_known_sm(p, one.sm))
            return jw_fail(err, JW_E_USAGE, "--gpu %.100s: jitwarm knows no architecture sm_%u", gpus[i],
                           (unsigned)one.sm);
        jw_sms_add(m->sms, &m->n_sms, one.sm);
    }
    for (size_t i = 0; !n_gpus && !m->unasked && i < p->n_devices; i++)
        jw_sms_add(m->sms, &m->n_sms, p->devices[i].sm);
    jw_sort(m->sms, m->n_sms, sizeof *m->sms, jw_by_u16);
    if (!m->n_sms && m->unasked)
        return jw_fail(err, JW_E_DRIVER, "which GPUs are here is unknown: %.300s", m->unasked);
    return m->n_sms
           || jw_fail(err, JW_E_DRIVER,
                      "no GPU was found here; jitwarm key --gpu sm_86 prints the key of another machine");
}

bool jw_fleet_machine(struct jw_session *s, const char *const *gpus, size_t n_gpus,
                      struct jw_fleet_machine *out, struct jw_err *err)
{
    *out = (struct jw_fleet_machine){ 0 };
    return ask_machine(s, out, err) && choose_sms(s, out, gpus, n_gpus, err);
}

bool jw_fleet_drives(const char *driver, unsigned sm)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    return !driver || !jw_driver_parse(driver, &v, &ignored) || jw_driver_support(&v, sm) == JW_DRIVER_FITS;
}

/* ---- the key ---- */

/* The stamp, spelled as in the names of packs in the store. */
static bool put_stamp(struct jw_buf *out, const char *stamp, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_REF_TAG);
    bool ok = jw_store_stamp(&text, stamp, err) && jw_buf_ok(&text, err);

    for (size_t i = 0; ok && i < text.n; i++)
        jw_buf_add(out, text.p[i] == '%' ? (const uint8_t *)"_" : text.p + i, 1);
    jw_buf_free(&text);
    return ok;
}

bool jw_fleet_key(struct jw_buf *out, const struct jw_fleet_machine *m, const uint16_t *sms, size_t n,
                  struct jw_err *err)
{
    jw_buf_printf(out, "jitwarm2-%s-%s", jw_os_name(), jw_os_arch());
    for (size_t i = 0; i < n; i++)
        jw_buf_printf(out, "-sm_%u", (unsigned)sms[i]);
    jw_buf_text(out, "-");
    return put_stamp(out, m->stamp, err) && jw_buf_ok(out, err);
}

const char *jw_fleet_tag(const struct jw_fleet_machine *m, uint16_t sm, struct jw_arena *a,
                         struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(a, JW_REF_TAG);
    const char *tag = NULL;

    if (jw_fleet_key(&text, m, &sm, 1, err))
        tag = jw_buf_cstr(&text);
    return tag;
}
