# What the page's build takes from the system, whose packages are of another machine: libraries that are headers, without
# the system's own C headers beside them. Threads there are none.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(library fmt boost nlohmann)
  if(NOT EXISTS /usr/include/${library})
    message(FATAL_ERROR "no /usr/include/${library}: tools/packages.txt says what the build takes")
  endif()
  file(CREATE_LINK /usr/include/${library} ${headers}/${library} SYMBOLIC)
endforeach()
# Exceptions as WebAssembly has them: those that JavaScript throws for it cost each call.
add_compile_options(-fwasm-exceptions -Wno-unused-command-line-argument)
add_link_options(-fwasm-exceptions)
include_directories(SYSTEM ${headers} ${CMAKE_CURRENT_LIST_DIR}/library)
set(missing <missing.h>)
set(read_first -include missing.h)
# Kernels are not run on a page; its one thread has one stack.
set(left_out "dynamic/|input/launch/|bridge/extract/|observed/|explain/verify/|explain/words/runs|session/(verify|confirm|cta_selection|launched)|face/api/verifier")
string(APPEND left_out "|report/(json/|draw/timeline|text/(mutants|verify|merged|compare))|support/recursion")
set(fortified "")
set(CMAKE_DL_LIBS "")
set(CMAKE_CXX_COMPILE_OPTIONS_PIC "")  # there is no shared library

add_library(fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/module/fmt.cpp)
add_library(fmt::fmt ALIAS fmt)
add_library(Boost::headers INTERFACE IMPORTED)
add_library(Threads::Threads INTERFACE IMPORTED)
