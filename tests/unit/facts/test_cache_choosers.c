#include "check.h"
#include "facts/cache_choosers.h"

TEST_ARENA(a_folder_tells_who_chose_it)
{
    CHECK_TEXT(jw_cache_chooser_words("/home/ada/.cache/sglang/nv", a),
               " (SGLang sets CUDA_CACHE_PATH where it is not set)");
    CHECK_TEXT(jw_cache_chooser_words("/home/ada/.nv/ComputeCache", a), "");
    CHECK_TEXT(jw_cache_chooser_words("/home/ada/.cache/sglang/nv/0", a), "");
    CHECK_TEXT(jw_cache_chooser_words("", a), "");
}
