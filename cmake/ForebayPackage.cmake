# The manual page, the files for the field, and two Debian packages: "cpack -G DEB" in the build folder makes forebay
# (the command) and libforebay-dev (headers and static libraries).
#
# What ForebayInstall.cmake installs is of the component "library", all of this of "command".
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GNUInstallDirs)

# The page is made of what the command says. A command under a sanitizer may need help to start.
if(NOT CMAKE_CXX_FLAGS_DEBUG MATCHES sanitize)
  set(man_script ${PROJECT_SOURCE_DIR}/cmake/man_page.py)
  set(man_frame ${PROJECT_SOURCE_DIR}/apps/forebay/forebay.1.in)
  set(man_page ${PROJECT_BINARY_DIR}/forebay.1)
  add_custom_command(OUTPUT ${man_page} ${man_page}.gz
    COMMAND Python3::Interpreter -B ${man_script} $<TARGET_FILE:forebay> ${man_frame} ${man_page}
    COMMAND gzip -9 --no-name --force --keep ${man_page}
    DEPENDS forebay ${man_script} ${man_frame} COMMENT "Writing the manual page" VERBATIM)
  # Ours, and that of the packages, under the names that Debian gives them.
  function(pack_changelog source name)
    set(copy ${PROJECT_BINARY_DIR}/${name})
    add_custom_command(OUTPUT ${copy}.gz
      COMMAND ${CMAKE_COMMAND} -E copy ${source} ${copy}
      COMMAND gzip -9 --no-name --force ${copy}
      DEPENDS ${source} COMMENT "Packing ${name}" VERBATIM)
    install(FILES ${copy}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/forebay COMPONENT command)
    install(FILES ${copy}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libforebay-dev COMPONENT library)
  endfunction()
  pack_changelog(${PROJECT_SOURCE_DIR}/CHANGELOG.md changelog)
  pack_changelog(${PROJECT_SOURCE_DIR}/deploy/debian/changelog changelog.Debian)
  add_custom_target(forebay_package_files ALL
    DEPENDS ${man_page}.gz ${PROJECT_BINARY_DIR}/changelog.gz ${PROJECT_BINARY_DIR}/changelog.Debian.gz)
  install(FILES ${man_page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
endif()

install(TARGETS forebay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
install(FILES README.md deploy/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(FILES deploy/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libforebay-dev COMPONENT library)
# Side by side as here, so that what they say of each other's places holds. Images are built from the sources.
install(DIRECTORY deploy docs DESTINATION ${CMAKE_INSTALL_DATADIR}/forebay COMPONENT command
  PATTERN deploy/debian EXCLUDE PATTERN deploy/docker EXCLUDE PATTERN deploy/compose EXCLUDE
  PATTERN __pycache__ EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME forebay)
set(CPACK_PACKAGE_CONTACT "The authors of Forebay <forebay@forebay.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL command library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0forebay1)  # as in deploy/debian/changelog
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "connection layer for databases that ration connections")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_COMPONENT_COMMAND_DESCRIPTION
"Database connections that are ready before they are needed, and never one too
many. This is the command: a demonstration, a simulator of whole fleets, and
tools for what processes share. Alert rules, a dashboard and a runbook are in
/usr/share/forebay.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME forebay)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION database)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "postgresql, prometheus")

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"Database connections that are ready before they are needed, and never one too
many. These are the headers and static libraries for C++ services.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libforebay-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "libpq-dev, libboost1.81-dev, libfmt-dev, libssl-dev, libcurl4-openssl-dev, libc-ares-dev, \
libpg-query-dev, libyaml-cpp-dev")
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
