# CPack runs this on the files of a .deb or .rpm. Man pages are compressed, and the changelog of a .deb, as Debian's policy says. All files
# get the time of SOURCE_DATE_EPOCH: rpm keeps older times, such as those of a checkout.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/*")
if(CPACK_GENERATOR STREQUAL "DEB")
    set(folder "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/jitwarm")
    file(RENAME "${folder}/CHANGELOG.md" "${folder}/changelog")
    list(APPEND files "${folder}/changelog")
endif()
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}" -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} + COMMAND_ERROR_IS_FATAL ANY)
endif()
