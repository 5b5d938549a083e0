# The reference of the library: `ninja reference` writes it to build/.../reference/html, by Doxygen, which nothing else needs.
find_program(DOXYGEN doxygen)
set(PTXMC_REFERENCE ${CMAKE_BINARY_DIR}/reference)
set(PTXMC_REFERENCE_HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/include/ptxmc)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/src/doc/reference.doxyfile.in ${CMAKE_BINARY_DIR}/reference.doxyfile @ONLY)
if(DOXYGEN)
  add_custom_target(reference COMMAND ${CMAKE_COMMAND} -E make_directory ${PTXMC_REFERENCE}
    COMMAND ${DOXYGEN} ${CMAKE_BINARY_DIR}/reference.doxyfile
    COMMAND ${CMAKE_COMMAND} -E echo "${PTXMC_REFERENCE}/html/index.html" VERBATIM)
else()
  add_custom_target(reference COMMAND ${CMAKE_COMMAND} -E echo "the reference is written by Doxygen, which is not here (Debian: doxygen)"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
