# jw_embed(TARGET FILE NAME): the text of FILE as `const char NAME[]` in a generated source of TARGET. FILE must be ASCII
# without a NUL. Used as a script, too: cmake -DFILE=... -DNAME=... -DOUT=... -P JitwarmEmbed.cmake
if(CMAKE_SCRIPT_MODE_FILE)
    file(READ ${FILE} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\t" "\\t" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    file(WRITE ${OUT} "/* Made from ${NAME}'s source; do not edit. */\n"
        "extern const char ${NAME}[];\nconst char ${NAME}[] =\n    \"${text}\";\n")
    return()
endif()

set(JW_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(jw_embed target file name)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
    add_custom_command(OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DNAME=${name} -DOUT=${out} -P ${JW_EMBED_SCRIPT}
        DEPENDS ${file} ${JW_EMBED_SCRIPT} COMMENT "Embedding ${name}" VERBATIM)
    target_sources(${target} PRIVATE ${out})
endfunction()
