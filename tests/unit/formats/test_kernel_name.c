#include "base/compiler.h"
#include "base/text.h"
#include "check.h"
#include "formats/kernel_name.h"

#include <string.h>

TEST(plain_names)
{
    static const struct {
        const char *name, *plain;
    } cases[] = {
        { "triton_poi_fused_add_0", "triton_poi_fused_add_0" },
        { "_Z5scalePffi", "scale" },
        { "_ZL11mul_mat_vecIfLi32EEvPKT_Pf", "mul_mat_vec" },
        { "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIaEESt5arrayIPcLm1EEEEviT0_T1_",
          "vectorized_elementwise_kernel" },
        { "_ZN3cub17CUB_200200_700_NS6detail6Policy3RunILb1ELi256EE6kernelEv", "Run" },
        { "_ZN12_GLOBAL__N_17softmaxE6float4", "softmax" },
        { "?scale@@YAXPEAMM@Z", "scale" },
        { "??$scale@M@ns@@YAXPEAM@Z", "scale" },
        { "", "" },
        { "_Z", "_Z" },
        { "_Z99999999999999999999x", "_Z99999999999999999999x" },
        { "_ZN5sca", "_ZN5sca" },
        { "??", "??" },
        { "a\n\033[2J", "a\\x0a\\x1b[2J" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_buf b = JW_BUF(4096);

        jw_kernel_plain(&b, cases[i].name);
        CHECK_TEXT(jw_buf_cstr(&b), cases[i].plain);
        jw_buf_free(&b);
    }
}

TEST(a_long_name_is_cut)
{
    char name[300];
    struct jw_buf b = JW_BUF(4096);

    memset(name, 'k', sizeof name);
    name[sizeof name - 1] = '\0';
    jw_kernel_plain(&b, name);
    CHECK_NUM(jw_text_width(jw_buf_cstr(&b)), 48);
    jw_buf_free(&b);
}
