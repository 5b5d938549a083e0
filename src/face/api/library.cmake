# What others link with: one shared library with the functions of include/ptxmc, out of the objects that the program is made of.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(map ${CMAKE_CURRENT_SOURCE_DIR}/src/face/api/exports.map)
add_library(ptxmc_shared SHARED $<TARGET_OBJECTS:ptxmc_face_api>)
add_library(ptxmc::ptxmc ALIAS ptxmc_shared)
# While the major version is 0, each minor one is another interface.
set_target_properties(ptxmc_shared PROPERTIES OUTPUT_NAME ptxmc EXPORT_NAME ptxmc LINK_DEPENDS ${map}
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(ptxmc_shared PRIVATE ptxmc_face_api)
target_link_options(ptxmc_shared PRIVATE -Wl,--version-script=${map})
if(NOT PTXMC_SANITIZE)  # whose run time is in the program
  target_link_options(ptxmc_shared PRIVATE -Wl,--no-undefined)
endif()
target_compile_features(ptxmc_shared INTERFACE cxx_std_20)
target_include_directories(ptxmc_shared INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS ptxmc_shared EXPORT ptxmc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ptxmc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ptxmc)
install(EXPORT ptxmc NAMESPACE ptxmc:: FILE ptxmcTargets.cmake DESTINATION ${package})
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/src/package/cmake/ptxmcConfig.cmake
  ${CMAKE_CURRENT_SOURCE_DIR}/src/package/cmake/ptxmcVerifyTest.cmake DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ptxmcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ptxmcConfigVersion.cmake DESTINATION ${package})
# Told from where it lies, so that an installation can be moved.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/src/face/api/ptxmc.pc.in ${CMAKE_CURRENT_BINARY_DIR}/ptxmc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ptxmc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
