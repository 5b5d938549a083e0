# ptxmc_add_verify_test(NAME name [COMMAND program] [ARGS word...] [OPTIONS word...] [PRETEND])
# ptxmc_add_verify_test(NAME name LAUNCHES file... [OPTIONS word...])
#
# A test of CTest that fails unless no error was found and all schedules are covered.
#   COMMAND   a program: a target, or a path; by default the target `name`. It runs, with ARGS, under `ptxmc record --verify`.
#   LAUNCHES  files of launches, CUDA sources with launches beside them, or folders, for `ptxmc verify`; relative to the source folder.
#   OPTIONS   of that verb, as --allow-incomplete --timeout 60.
#   PRETEND   on the simulated device, though there is a GPU.
# What was recorded is in the folder ptxmc/name of the build folder, and stays there.
function(ptxmc_add_verify_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "PRETEND" "NAME;COMMAND" "ARGS;OPTIONS;LAUNCHES")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptxmc_add_verify_test: unknown words: ${test_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT test_NAME)
    message(FATAL_ERROR "ptxmc_add_verify_test: NAME is missing")
  endif()
  if(test_LAUNCHES)
    if(test_COMMAND OR test_ARGS OR test_PRETEND)
      message(FATAL_ERROR "ptxmc_add_verify_test(NAME ${test_NAME}): COMMAND, ARGS and PRETEND are of a program, and LAUNCHES of none")
    endif()
    add_test(NAME ${test_NAME} COMMAND ptxmc::program verify ${test_OPTIONS} ${test_LAUNCHES}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    return()
  endif()
  set(program ${test_NAME})
  if(test_COMMAND)
    set(program ${test_COMMAND})
  endif()
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  elseif(NOT test_COMMAND)
    message(FATAL_ERROR "ptxmc_add_verify_test(NAME ${test_NAME}): no target has this name; COMMAND names the program")
  endif()
  set(pretend)
  if(test_PRETEND)
    set(pretend --pretend)
  endif()
  add_test(NAME ${test_NAME} COMMAND ptxmc::program record --verify ${pretend} -o ${CMAKE_CURRENT_BINARY_DIR}/ptxmc/${test_NAME}
    ${test_OPTIONS} -- ${program} ${test_ARGS})
endfunction()
