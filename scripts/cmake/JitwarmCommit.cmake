# jw_commit(TARGET): makes commit.h for TARGET, with the commit of the source. Without git the commit is what `git archive` wrote
# to commit.txt, else "unknown". Also a script: cmake -DSOURCE=... -DOUT=... -P JitwarmCommit.cmake
if(CMAKE_SCRIPT_MODE_FILE)
    file(STRINGS ${SOURCE}/scripts/cmake/commit.txt commit LIMIT_COUNT 1)
    if(commit MATCHES "Format")
        set(commit unknown)
    else()
        string(SUBSTRING ${commit} 0 12 commit)
    endif()
    if(EXISTS ${SOURCE}/.git)
        execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --dirty=-changed --exclude=*
            OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE code)
        if(code EQUAL 0)
            set(commit ${said})
        endif()
    endif()
    file(CONFIGURE OUTPUT ${OUT} CONTENT "#define JITWARM_COMMIT \"${commit}\"\n")
    return()
endif()

set(JW_COMMIT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(jw_commit target)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/commit)
    add_custom_target(${target}_commit BYPRODUCTS ${folder}/commit.h
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${folder}/commit.h -P ${JW_COMMIT_SCRIPT} VERBATIM)
    add_dependencies(${target} ${target}_commit)
    target_include_directories(${target} PRIVATE ${folder})
endfunction()
