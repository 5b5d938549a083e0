# The solver's headers, and the name of its library, which is opened when a solver is asked (src/axiomatic/engine/z3.h). Debian's libz3-dev
# has no package file of its own.
#   Z3::headers           the include folder
#   Z3_VERSION            of the headers
#   Z3_RUNTIME_NAME       what to open: libz3.so.4
find_path(Z3_INCLUDE_DIR z3.h PATH_SUFFIXES z3)
find_library(Z3_LIBRARY z3)
mark_as_advanced(Z3_INCLUDE_DIR Z3_LIBRARY)
if(Z3_INCLUDE_DIR AND EXISTS ${Z3_INCLUDE_DIR}/z3_version.h)
  file(STRINGS ${Z3_INCLUDE_DIR}/z3_version.h lines REGEX "#define Z3_(MAJOR|MINOR|BUILD)_(VERSION|NUMBER) +[0-9]+")
  foreach(part MAJOR_VERSION MINOR_VERSION BUILD_NUMBER)
    string(REGEX REPLACE ".*Z3_${part} +([0-9]+).*" "\\1" number "${lines}")
    list(APPEND numbers ${number})
  endforeach()
  list(JOIN numbers "." Z3_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Z3 REQUIRED_VARS Z3_LIBRARY Z3_INCLUDE_DIR VERSION_VAR Z3_VERSION)
if(Z3_FOUND AND NOT TARGET Z3::headers)
  file(REAL_PATH ${Z3_LIBRARY} z3_library)
  get_filename_component(Z3_RUNTIME_NAME ${z3_library} NAME)
  add_library(Z3::headers INTERFACE IMPORTED)
  set_target_properties(Z3::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${Z3_INCLUDE_DIR})
endif()
