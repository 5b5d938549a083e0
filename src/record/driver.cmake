# The driver that recorded programs load in place of the GPU's: a library by itself, which they can load whatever they are
# built with. Its name is that of the real one; a folder of its own keeps it out of everybody else's way.
add_library(ptxmc_recording SHARED)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/record/driver/*.cpp)
target_sources(ptxmc_recording PRIVATE ${sources})
target_include_directories(ptxmc_recording PRIVATE src)
set_target_properties(ptxmc_recording PROPERTIES OUTPUT_NAME cuda SOVERSION 1 CXX_VISIBILITY_PRESET hidden
                      VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/record)
target_link_libraries(ptxmc_recording PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
target_link_options(ptxmc_recording PRIVATE -static-libstdc++ -static-libgcc
                    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/src/record/driver/exports.map)
set_target_properties(ptxmc_recording PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/record/driver/exports.map)
if(PTXMC_SANITIZE)  # no sanitizer's run time is in the programs that load it
  target_compile_options(ptxmc_recording PRIVATE -fno-sanitize=all)
  target_link_options(ptxmc_recording PRIVATE -fno-sanitize=all)
endif()
install(TARGETS ptxmc_recording LIBRARY DESTINATION lib/ptxmc/record NAMELINK_SKIP)
