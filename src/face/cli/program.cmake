# The program. Its main is outside the glob of the library, so that unit tests can link the library.
find_package(CLI11 REQUIRED)
target_link_libraries(ptxmc_face_cli PRIVATE CLI11::CLI11)
target_compile_definitions(ptxmc_face_cli PRIVATE PTXMC_VERSION="${PROJECT_VERSION}")
set(program ${CMAKE_CURRENT_SOURCE_DIR}/src/face/cli/program)
add_executable(ptxmc ${program}/main.cpp)
target_link_libraries(ptxmc PRIVATE ptxmc_face_cli)
if(NOT PTXMC_SANITIZE)  # who look for leaks at the end
  target_compile_definitions(ptxmc PRIVATE PTXMC_ENDS_AT_ONCE)
endif()
# A program of its own C++ library starts sooner: to bind the symbols of the shared one is a third of a small test.
if(PTXMC_STATIC AND NOT PTXMC_SANITIZE AND fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  target_sources(ptxmc PRIVATE ${program}/formatting.cpp)
  target_link_options(ptxmc PRIVATE -static-libstdc++ -static-libgcc -Wl,--as-needed)
endif()
target_compile_options(ptxmc PRIVATE ${fortified})
add_dependencies(ptxmc ptxmc_recording ptxmc_recording_runtime)
set_target_properties(ptxmc PROPERTIES EXPORT_NAME program)
install(TARGETS ptxmc EXPORT ptxmc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What programs read beside it: the schemas of --format json and of launch files, grammars for editors.
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/src/report/json/schema.json ${CMAKE_CURRENT_SOURCE_DIR}/src/input/launch/launch.schema.json
  ${CMAKE_CURRENT_SOURCE_DIR}/src/face/cli/configuration.schema.json
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/ptxmc)
# The tests that `ptxmc conform` runs; it finds them from the place of the program (src/face/cli/conform_suite.cpp).
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/litmus DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/ptxmc
  FILES_MATCHING PATTERN "*.litmus" PATTERN "*.suite")
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/src/package/editors DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/ptxmc
  PATTERN node_modules EXCLUDE PATTERN grammars EXCLUDE PATTERN "*.tgz" EXCLUDE PATTERN .gitignore EXCLUDE)

# What shells and `man` read of it, by the program itself.
find_program(GZIP gzip)
if(NOT CMAKE_CROSSCOMPILING)
  set(texts)
  # ptxmc_text(FILE FOLDER WORD...): what the program prints for the words is FILE of the installation's FOLDER.
  function(ptxmc_text file folder)
    set(path ${CMAKE_BINARY_DIR}/texts/${folder}/${file})
    get_filename_component(place ${path} DIRECTORY)
    add_custom_command(OUTPUT ${path} COMMAND ${CMAKE_COMMAND} -E make_directory ${place}
      COMMAND $<TARGET_FILE:ptxmc> ${ARGN} > ${path} DEPENDS ptxmc VERBATIM)
    if(GZIP AND folder MATCHES "^man/")  # as Debian's policy has it
      add_custom_command(OUTPUT ${path}.gz COMMAND ${GZIP} -9nkf ${path} DEPENDS ${path} VERBATIM)
      string(APPEND path .gz)
    endif()
    install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${folder})
    set(texts ${texts} ${path} PARENT_SCOPE)
  endfunction()
  ptxmc_text(ptxmc bash-completion/completions completions bash)
  ptxmc_text(_ptxmc zsh/site-functions completions zsh)
  install(FILES ${CMAKE_BINARY_DIR}/texts/zsh/site-functions/_ptxmc  # where Debian's zsh looks below /usr
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions)
  ptxmc_text(ptxmc.fish fish/vendor_completions.d completions fish)
  ptxmc_text(ptxmc.1 man/man1 man)
  foreach(verb check explain races repair weaken verify record nvcc import run compare conform generate model doctor lsp)
    ptxmc_text(ptxmc-${verb}.1 man/man1 man ${verb})
  endforeach()
  add_custom_target(ptxmc_texts ALL DEPENDS ${texts})
endif()
