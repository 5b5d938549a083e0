# The program. Its main is outside the glob of the library, so that unit tests can link the library.
find_package(CLI11 REQUIRED)
target_link_libraries(ptxmc_cli PRIVATE CLI11::CLI11)
target_compile_definitions(ptxmc_cli PRIVATE PTXMC_VERSION="${PROJECT_VERSION}")
add_executable(ptxmc ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/program/main.cpp)
target_link_libraries(ptxmc PRIVATE ptxmc_cli)
add_dependencies(ptxmc ptxmc_recording ptxmc_recording_runtime)
install(TARGETS ptxmc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
