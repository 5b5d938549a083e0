include(GNUInstallDirs)
if(GZIP)  # as Debian's policy has it
  set(changelog ${CMAKE_BINARY_DIR}/texts/doc/changelog.gz)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/texts/doc)
  execute_process(COMMAND ${GZIP} -9nc ${CMAKE_CURRENT_SOURCE_DIR}/src/package/changelog OUTPUT_FILE ${changelog})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/package/changelog)
  install(FILES ${changelog} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/src/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/src/package/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides
  RENAME ptxmc)

# `cpack -G DEB` in the build folder: a Debian package of all that `cmake --install` installs.
set(CPACK_PACKAGE_NAME ptxmc)
set(CPACK_PACKAGE_VENDOR ptxmc)
set(CPACK_PACKAGE_CONTACT "ptxmc <ptxmc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "model checker for the PTX memory consistency model")
set(CPACK_PACKAGE_DESCRIPTION "Says which outcomes of litmus tests the PTX memory model allows, finds data\n"
  "races and hangs, and verifies synchronization in GPU kernels. Program, library,\n" "headers, Python module.")
string(REPLACE ";" "" CPACK_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # of what is linked
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/src/package/triggers)
if(PTXMC_SMT)  # Z3 is opened, not linked; which file that is, FindZ3 says
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libz3-4")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, python3")
include(CPack)
