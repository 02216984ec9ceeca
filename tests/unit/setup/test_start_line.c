#include "check.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "setup/login/start_line.h"

static struct jw_arena arena;

static bool returns(const char *text)
{
    return jw_start_file_returns(tree_file(&arena, "profile", text), &arena);
}

TEST(a_return_ends_a_file)
{
    CHECK(returns("[ -z \"$PS1\" ] && return\nexport A=1\n"));
    CHECK(returns("if true; then\n\treturn 0\nfi\n"));
    CHECK(!returns("export A=1 # return\n") && !returns("") && !returns("returned() { :; }\n"));
}

TEST(a_return_of_a_function_ends_no_file)
{
    CHECK(!returns("pathadd() {\n    [ -d \"$1\" ] || return\n    PATH=\"${1}:$PATH\"\n}\npathadd ~/bin\n"));
    CHECK(!returns("pathadd ()\n{\n  if true; then { return 1; }; fi\n}\n"));
    CHECK(!returns("function here { return 0; }\nhere\n") && !returns("\tf() { return; }\n"));
    CHECK(returns("f() {\n  return\n}\nf\nreturn\n") && returns("f() { return; }\nf || return\n"));
    CHECK(returns("f() (\n  exit\n)\nreturn\n")); /* its body has no brace */
    CHECK(returns("[ \"$(f)\" ] || return\n"));   /* it is only called */
    CHECK(returns("case $(f) in a) return ;; esac\n"));
}
