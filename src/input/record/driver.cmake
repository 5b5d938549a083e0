# What recorded programs load in place of the GPU's driver, and where there is none in place of NVIDIA's runtime: libraries by
# themselves, which programs can load whatever they are built with. Their names are those of the real ones; folders of
# their own keep them out of everybody else's way.
# ptxmc_stand_in(TARGET FOLDER NAME VERSION PLACE)
function(ptxmc_stand_in target folder name version place)
  set(map ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}/exports.map)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}/*.cpp)
  add_library(${target} SHARED ${sources})
  target_include_directories(${target} PRIVATE src)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SOVERSION ${version}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${place} LINK_DEPENDS ${map})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--version-script=${map})
  if(PTXMC_SANITIZE)  # no sanitizer's run time is in the programs that load it
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
    target_link_options(${target} PRIVATE -fno-sanitize=all)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib/ptxmc/${place} NAMELINK_SKIP)
endfunction()
ptxmc_stand_in(ptxmc_recording input/record/driver cuda 1 record)
ptxmc_stand_in(ptxmc_recording_runtime input/record/runtime cudart 13 record/runtime)
# Before any constructor registers a kernel with the runtime that it replaces; whatever a program has, its own names are its own.
target_link_options(ptxmc_recording_runtime PRIVATE -Wl,-z,initfirst -Wl,-Bsymbolic)
