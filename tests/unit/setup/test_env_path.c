#include "setup/setup.h"

#include "check.h"

#define US "C:\\Program Files\\jitwarm"

TEST_ARENA(a_folder_is_added_once_and_removed_alone)
{
    CHECK_TEXT(jw_env_path_with("", US, true, a), US);
    CHECK_TEXT(jw_env_path_with("C:\\a;%X%\\b;", US, true, a), "C:\\a;%X%\\b;" US);
    CHECK_TEXT(jw_env_path_with("C:\\a;" US, US, true, a), "C:\\a;" US);
    CHECK_TEXT(jw_env_path_with("c:\\program files\\JITWARM\\;C:\\a", US, true, a),
               "c:\\program files\\JITWARM\\;C:\\a");
    CHECK_TEXT(jw_env_path_with("C:\\a;" US, US, false, a), "C:\\a");
    CHECK_TEXT(jw_env_path_with(US ";C:\\a;;C:\\b", US, false, a), "C:\\a;;C:\\b");
    CHECK_TEXT(jw_env_path_with(US "2;C:\\a", US, false, a), US "2;C:\\a");
    CHECK_TEXT(jw_env_path_with(US, US, false, a), "");
}
