# A page to play on: `ninja page` makes build/.../page, a folder that any server of files, or a browser without one, shows. It
# configures this tree again, for Emscripten, in build/.../web; nothing else needs that.
add_library(ptxmc_face_web STATIC ${CMAKE_CURRENT_SOURCE_DIR}/src/face/web/ask.cpp)
target_include_directories(ptxmc_face_web PUBLIC src)
target_link_libraries(ptxmc_face_web PUBLIC ptxmc_face_api)
set_property(GLOBAL APPEND PROPERTY PTXMC_ARROWS "face/web: " "face/web/module: ptxmc_face_web ptxmc_support")
set_property(GLOBAL APPEND PROPERTY PTXMC_FOLDERS face/web face/web/module)

if(EMSCRIPTEN)
  target_sources(ptxmc_support PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/face/web/module/recursion.cpp)
  add_executable(ptxmc_module ${CMAKE_CURRENT_SOURCE_DIR}/src/face/web/module/main.cpp)
  target_link_libraries(ptxmc_module PRIVATE ptxmc_face_web)
  target_link_options(ptxmc_module PRIVATE --no-entry "SHELL:-s SINGLE_FILE=1" "SHELL:-s ENVIRONMENT=worker" "SHELL:-s ALLOW_MEMORY_GROWTH=1"
    "SHELL:-s TOTAL_STACK=33554432" "SHELL:-s INITIAL_MEMORY=67108864" "SHELL:-s FILESYSTEM=0"
    "SHELL:-s EXPORTED_FUNCTIONS=_ptxmc_ask,_malloc,_free" "SHELL:-s EXPORTED_RUNTIME_METHODS=stringToUTF8,lengthBytesUTF8,UTF8ToString")
  return()
endif()

find_program(EMCMAKE emcmake)
set(PTXMC_PAGE ${CMAKE_BINARY_DIR}/page)
if(EMCMAKE)
  set(web ${CMAKE_BINARY_DIR}/web)
  file(GLOB page_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/face/web/page/*)
  # NODE_PATH: Debian's packages of Emscripten's own scripts, for another node than Debian's.
  add_custom_target(page
    COMMAND ${EMCMAKE} ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_SOURCE_DIR} -B ${web} -G Ninja -DCMAKE_BUILD_TYPE=Release -DPTXMC_UNITY=ON
      -DPTXMC_SMT=OFF -DPTXMC_TESTS=OFF -DPTXMC_BENCH=OFF
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${CMAKE_COMMAND} --build ${web} --target ptxmc_module
    COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/src/face/web/make_page.py ${CMAKE_CURRENT_SOURCE_DIR} ${web}/ptxmc_module.js ${PTXMC_PAGE}
    USES_TERMINAL VERBATIM)
else()
  add_custom_target(page COMMAND ${CMAKE_COMMAND} -E echo "the page is built by Emscripten, which is not here (Debian: emscripten)"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
