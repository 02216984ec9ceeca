# CPack runs this on the files of a .deb or .rpm. Man pages are compressed. A .deb gets its changelog in Debian's form, too. All files get
# the time of SOURCE_DATE_EPOCH: rpm keeps older times, such as those of a checkout.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/*")
if(CPACK_GENERATOR STREQUAL "DEB")
    set(log "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/jitwarm/changelog")
    set(who "${CPACK_PACKAGE_CONTACT}")
    if(NOT who MATCHES "<")
        string(APPEND who " <>")
    endif()
    string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE "${log}" "jitwarm (${CPACK_PACKAGE_VERSION}) stable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}.

 -- ${who}  ${now}
")
    list(APPEND files "${log}")
endif()
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}" -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} + COMMAND_ERROR_IS_FATAL ANY)
endif()
