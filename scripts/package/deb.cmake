# CPack runs this on the files of a .deb: man pages and the changelog are compressed, as Debian's policy says.
if(CPACK_GENERATOR STREQUAL "DEB")
    file(GLOB_RECURSE changelog "${CPACK_TEMPORARY_DIRECTORY}/*/CHANGELOG.md")
    get_filename_component(folder "${changelog}" DIRECTORY)
    file(RENAME "${changelog}" "${folder}/changelog")
    file(GLOB_RECURSE pages "${CPACK_TEMPORARY_DIRECTORY}/*/man/man[15]/*")
    execute_process(COMMAND gzip -9n ${pages} "${folder}/changelog" COMMAND_ERROR_IS_FATAL ANY)
endif()
