# CPack runs this on the files of a .deb or .rpm: man pages are compressed, and the changelog of a .deb, as Debian's policy says.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/*")
if(CPACK_GENERATOR STREQUAL "DEB")
    set(folder "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/jitwarm")
    file(RENAME "${folder}/CHANGELOG.md" "${folder}/changelog")
    list(APPEND files "${folder}/changelog")
endif()
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
