# What `cpack -G DEB` and `cpack -G RPM` make, from the component "runtime" alone. scripts/release calls them, and
# makes the other kinds itself.
set(CPACK_PACKAGE_NAME jitwarm)
set(CPACK_PACKAGE_VENDOR "the jitwarm authors")
if(NOT CPACK_PACKAGE_CONTACT) # scripts/release --maintainer names one
    set(CPACK_PACKAGE_CONTACT "${CPACK_PACKAGE_VENDOR}")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CUDA software starts fast on GPUs it was not built for")
set(CPACK_PACKAGE_DESCRIPTION "CUDA frameworks ship machine code for some GPUs and PTX for the rest.
The NVIDIA driver compiles the PTX at the first start, for minutes.
jitwarm compiles it before that, in parallel, checks that the next start
compiles nothing, and shares the result with machines of the same kind.")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/scripts/package/staged.cmake")
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};jitwarm;runtime;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4 | libcurl3-gnutls") # export and import load it
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "zstd, minisign")

set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/scripts/package/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_POST_UNINSTALL_SCRIPT_FILE "${PROJECT_SOURCE_DIR}/scripts/package/postrm")
set(CPACK_RPM_PACKAGE_LICENSE "MIT")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_GROUP "Applications/System")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/share/man/man5 /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish
    /usr/share/fish/vendor_completions.d)

# The same commit gives the same bytes: times are SOURCE_DATE_EPOCH's, and no machine is named.
# It recommends what export and import load, for which CPack has no word.
set(CPACK_RPM_SPEC_MORE_DEFINE "Recommends: libcurl.so.4()(64bit)
%define packager ${CPACK_PACKAGE_CONTACT}
%define _build_id_links none
%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1")

include(CPack)
