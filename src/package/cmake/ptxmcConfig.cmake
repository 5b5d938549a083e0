# What find_package(ptxmc) gives: the library ptxmc::ptxmc, the program ptxmc::program, and ptxmc_add_verify_test().
include(${CMAKE_CURRENT_LIST_DIR}/ptxmcTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ptxmcVerifyTest.cmake)
