# The Python module `ptxmc`, where pybind11 is: build/.../python/ptxmc, of the objects that the program is made of. It needs
# no shared library beside it: PYTHONPATH=build/release/python.
option(PTXMC_PYTHON "Build the Python module, where pybind11 is" ON)
set(PTXMC_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "Where below the prefix Python modules are installed")
if(PTXMC_PYTHON AND NOT PTXMC_SANITIZE)  # whose run time would have to be in Python
  find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
  set(PYBIND11_FINDPYTHON ON)
  if(Python3_FOUND)
    find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET)
    find_package(pybind11 2.10 QUIET)
  endif()
  if(NOT pybind11_FOUND)
    message(STATUS "pybind11 is not here: no Python module")
  endif()
endif()
if(pybind11_FOUND)
  set(package ${CMAKE_BINARY_DIR}/python/ptxmc)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/python/*.cpp)
  pybind11_add_module(ptxmc_python MODULE NO_EXTRAS ${sources})
  target_include_directories(ptxmc_python PRIVATE src)
  target_link_libraries(ptxmc_python PRIVATE ptxmc_api Threads::Threads)
  target_link_options(ptxmc_python PRIVATE -Wl,--exclude-libs,ALL)  # beside another copy of the library
  set_target_properties(ptxmc_python PROPERTIES OUTPUT_NAME _ptxmc LIBRARY_OUTPUT_DIRECTORY ${package})
  file(GLOB texts RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/src/python/ptxmc CONFIGURE_DEPENDS src/python/ptxmc/*.py
    src/python/ptxmc/*.pyi src/python/ptxmc/py.typed)
  foreach(text ${texts})
    configure_file(${CMAKE_CURRENT_SOURCE_DIR}/src/python/ptxmc/${text} ${package}/${text} COPYONLY)
    install(FILES src/python/ptxmc/${text} DESTINATION ${PTXMC_PYTHON_FOLDER}/ptxmc)
  endforeach()
  install(TARGETS ptxmc_python LIBRARY DESTINATION ${PTXMC_PYTHON_FOLDER}/ptxmc)
  add_dependencies(ptxmc ptxmc_python)  # whoever builds the program can import the module
endif()
