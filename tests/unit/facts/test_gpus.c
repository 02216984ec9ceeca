#include "base/text.h"
#include "check.h"
#include "facts/archs.h"
#include "facts/gpus.h"

static const struct {
    const char *device;
    unsigned sm;
    const char *name;
} devices[] = {
    {"2484", 86, "NVIDIA GeForce RTX 3070"},
    {"102d", 37, "Tesla K80"},
    {"1eb8", 75, "Tesla T4"},
    {"2330", 90, "H100"},
    {"2b85", 120, "RTX 5090"},
    {"2e12", 121, "GB10"},
    {"2080", 80, "NVIDIA GA100"}, /* a device without a product name */
};

TEST(pci_ids)
{
    struct jw_gpu gpu;

    for (size_t i = 0; i < JW_COUNT(devices); i++) {
        CHECK(jw_gpu_parse(JW_PHRASE("0x%s", devices[i].device), &gpu, &err));
        CHECK_NUM(gpu.sm, devices[i].sm);
        CHECK_HAS(gpu.name, devices[i].name);
    }
    CHECK(!jw_gpu_parse("10de:0000", &gpu, &err)); /* integrated GPUs have none */
    CHECK(!jw_gpu_parse("10de:ffff", &gpu, &err) && !jw_gpu_parse("10de:12484", &gpu, &err));
}

TEST(boards_refine_the_name)
{
    struct jw_gpu gpu;

    CHECK(jw_gpu_parse("10de:1e78:10de:13d8", &gpu, &err));
    CHECK_TEXT(gpu.name, "Quadro RTX 8000");
    CHECK(jw_gpu_parse("10de:1e78:10de:13d9", &gpu, &err));
    CHECK_TEXT(gpu.name, "Quadro RTX 6000");
    CHECK(jw_gpu_parse("10de:1e78:1234:5678", &gpu, &err) && gpu.sm == 75); /* another board */
    CHECK(jw_gpu_parse("10de:2484:1458:403b", &gpu, &err));
    CHECK_TEXT(gpu.name, "NVIDIA GeForce RTX 3070");
}

/* name NULL: any. */
static const struct {
    const char *text;
    unsigned sm;
    const char *name;
} good[] = {
    {"sm_86", 86, ""},
    {"SM_86", 86, ""},
    {"sm86", 86, ""},
    {"86", 86, ""},
    {"8.6", 86, ""},
    {"12.0", 120, ""},
    {"compute_86", 86, ""},
    {"cc8.6", 86, ""},
    {"sm_90a", 90, ""},
    {"90a", 90, ""},
    {"sm_100f", 100, ""},
    {"sm_130", 130, ""}, /* newer than the table: the general rules */
    {"sm_130f", 130, ""},
    {"13.0", 130, ""},
    {"sm_199", 199, ""},
    {"121", 121, ""},
    {"10de:2484", 86, "NVIDIA GeForce RTX 3070"},
    {"10DE:2484", 86, "NVIDIA GeForce RTX 3070"},
    {"0x10de:0x2484", 86, "NVIDIA GeForce RTX 3070"},
    {"0x2484", 86, "NVIDIA GeForce RTX 3070"},
    {"10DE:1E78:10DE:13D8", 75, "Quadro RTX 8000"},
    {"PCI\\VEN_10DE&DEV_1E78&SUBSYS_13D810DE&REV_A1\\4&2", 75, "Quadro RTX 8000"},
    {"pci\\ven_10de&dev_2484", 86, "NVIDIA GeForce RTX 3070"},
    {"RTX 3070", 86, "NVIDIA GeForce RTX 3070"},
    {"rtx3070", 86, "NVIDIA GeForce RTX 3070"},
    {"3070", 86, "NVIDIA GeForce RTX 3070"},
    {"  GeForce   rtx 3070 ", 86, "NVIDIA GeForce RTX 3070"},
    {"NVIDIA GeForce RTX 3070", 86, "NVIDIA GeForce RTX 3070"},
    {"NVIDIA GeForce RTX 3070 Laptop GPU", 86, "NVIDIA GeForce RTX 3070 Laptop GPU"},
    {"rtx 3070 laptop", 86, "NVIDIA GeForce RTX 3070 Laptop GPU"},
    {"RTX 3070 Ti", 86, NULL},
    {"H100", 90, "NVIDIA H100"},
    {"h100 pcie", 90, "NVIDIA H100 PCIe"},
    {"A100", 80, "NVIDIA A100"},                     /* of several boards */
    {"A100 PCIe 80GB", 80, "NVIDIA A100 80GB PCIe"}, /* in any order */
    {"1080", 61, "GeForce GTX 1080"},                /* the name with the fewest other words */
    {"RTX PRO 6000 Workstation", 120, "NVIDIA RTX PRO 6000 Blackwell Workstation Edition"},
    {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", 80, "NVIDIA A100-SXM4-40GB"},
    {"T4", 75, "Tesla T4"},
    {"Tesla T4", 75, "Tesla T4"},
    {"NVIDIA T4", 75, "Tesla T4"},
    {"A10", 86, "NVIDIA A10"}, /* not A100, A1000 */
    {"L4", 89, "NVIDIA L4"},
    {"V100", 70, NULL},
    {"RTX PRO 6000", 120, NULL},
    {"RTX A6000", 86, "NVIDIA RTX A6000"},
    {"RTX 6000 Ada", 89, "NVIDIA RTX 6000 Ada Generation"},
    {"Quadro RTX 6000", 75,
     "Quadro RTX 6000"}, /* the very name, where its short form is two products */
    {"RTX 3050", 86, "NVIDIA GeForce RTX 3050"}, /* not RTX 3050 A, whose name merely begins so */
    {"rtx3050", 86, "NVIDIA GeForce RTX 3050"},
    {"geforce rtx 3050", 86, "NVIDIA GeForce RTX 3050"},
    {"DGX Spark", 121, "NVIDIA DGX Spark"},
    {"NVIDIA GeForce RTX 3050", 86, "NVIDIA GeForce RTX 3050"},
    {"RTX 3050 Laptop", 86, "NVIDIA GeForce RTX 3050 Laptop GPU"},
    {"RTX 3050 A", 89, "NVIDIA GeForce RTX 3050 A Laptop GPU"},
    {"RTX 3050 Ti", 86, NULL},
    {"B200", 100, "NVIDIA B200"},
    {"H200", 90, "NVIDIA H200"},
    {"GB10", 121, "NVIDIA GB10"},
    {"Titan V", 70, "TITAN V"},
    {"Orin", 87, NULL},
    {"Jetson Thor", 110, NULL},
    {"ga104", 86, "NVIDIA GA104"},
    {"NVIDIA TU102", 75, "NVIDIA TU102"},
};

TEST(what_users_type)
{
    for (size_t i = 0; i < JW_COUNT(good); i++) {
        struct jw_gpu gpu = {0};

        err = (struct jw_err){0};
        if (!jw_gpu_parse(good[i].text, &gpu, &err))
            check_failed(__FILE__, __LINE__, err.msg);
        else if (gpu.sm != good[i].sm)
            check_failed(__FILE__, __LINE__, good[i].text);
        if (good[i].name)
            CHECK_TEXT(gpu.name, good[i].name);
        CHECK_TEXT(err.msg, "");
    }
}

static const struct {
    const char *text, *why;
} refused[] = {
    {"RTX 6000", "kinds of GPU are called \"RTX 6000\": sm_75 (Quadro RTX 6000), sm_89 (NVIDIA "
                 "RTX 6000 Ada"},
    {"RTX 6000", "give the PCI id or the sm_ number"},
    {"geforce gtx 750 ti", "sm_30"},
    {"GTX 860M", "sm_50"},
    {"GT 1030", "sm_61"},
    {"RTX", "several kinds of GPU"},
    {"titan", "several kinds of GPU"},
    {"RTX 9090", "no GPU is called \"RTX 9090\"; name one as sm_86"},
    {"", "no GPU is called"},
    {"geforce", "no GPU is called"},
    {"0", "index"},
    {"9", "index"},
    {"GPU-5ad4c2b1-0000-1111-2222-333344445555", "UUID"},
    {"MIG-5ad4c2b1-0000", "UUID"},
    {"MIG 1g.10gb", "no GPU is called"},
    {"1g.24gb", "no GPU is called"},
    {"3g.40GB+me", "no GPU is called"},
    {"1002:73bf", "AMD"},
    {"8086:56a0", "Intel"},
    {"pci\\VEN_1002&DEV_73BF", "AMD"},
    {"1af4:1050", "not a GPU of NVIDIA"},
    {"10de:ffff", "not in the table"},
    {"0xffff", "not in the table"},
    {"sm_13", "no known architecture, such as sm_86; the newest is sm_121"},
    {"1.3", "no known architecture"},
    {"sm_1000", "no known architecture"},
    {"sm_99", "no known architecture, such as sm_86"},
    {"sm_999", "no known architecture, such as sm_86"},
    {"sm_99999999999", "no GPU is called"},
    {"sm_86a", "there is no sm_86a"},
    {"sm_90f", "there is no sm_90f"},
    {"sm_90b", "no GPU is called"},
    {"8.60", "no GPU is called"},
    {"10de:248", "no GPU is called"},
    {"10de:24844", "no GPU is called"},
    {"10de:2484:1458", "no GPU is called"},
    {"2484", "no GPU is called"},
    {"10de:2484:", "no GPU is called"},
};

TEST(refusals_help)
{
    char longer[400];

    for (size_t i = 0; i < JW_COUNT(refused); i++) {
        struct jw_gpu gpu = {0};

        err = (struct jw_err){0};
        if (jw_gpu_parse(refused[i].text, &gpu, &err))
            check_failed(__FILE__, __LINE__, refused[i].text);
        CHECK(err.code == JW_E_USAGE);
        CHECK_HAS(err.msg, refused[i].why);
        CHECK(strlen(err.msg) < sizeof err.msg - 1); /* nothing was cut off */
    }
    for (size_t n = 1; n < sizeof longer; n += 7) {
        struct jw_gpu gpu = {0};

        err = (struct jw_err){0};
        memset(longer, n % 2 ? '7' : 'x', n);
        longer[n] = '\0';
        for (size_t i = 0; n % 3 == 0 && i < n; i += 2)
            longer[i] = 'q';
        if (n > 3)
            CHECK(!jw_gpu_parse(longer, &gpu, &err) && err.msg[0]);
    }
}

TEST(every_row_can_be_named)
{
    for (unsigned device = 1; device < 0x10000; device++) {
        struct jw_gpu gpu, again = {0};
        char id[16];

        err = (struct jw_err){0};
        (void)snprintf(id, sizeof id, "10de:%04x", device);
        if (!jw_gpu_parse(id, &gpu, &err))
            continue;
        CHECK(gpu.name[0] && jw_arch_find(gpu.sm));
        /* The full name leads back to it, or is one of those that exist twice. */
        if (jw_gpu_parse(gpu.name, &again, &err))
            CHECK_NUM(again.sm, gpu.sm);
        else if (!strstr(err.msg, "several kinds of GPU"))
            check_failed(__FILE__, __LINE__, err.msg);
    }
}

TEST(indexes)
{
    CHECK(jw_gpu_is_index("0") && jw_gpu_is_index("9") && jw_gpu_is_index("15"));
    CHECK(!jw_gpu_is_index("86") && !jw_gpu_is_index("") && !jw_gpu_is_index("-1")
          && !jw_gpu_is_index("0x1"));
    CHECK(!jw_gpu_is_index("8.6") && !jw_gpu_is_index("1 "));
}
