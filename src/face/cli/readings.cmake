# The tests of litmus/readings, compiled into ptxmc_face_cli: reading_texts.cpp is generated from them at build time.
file(GLOB reading_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/litmus/readings/*.litmus)
set(reading_texts_cpp ${CMAKE_CURRENT_BINARY_DIR}/cli/reading_texts.cpp)
set(reading_texts_script ${CMAKE_CURRENT_SOURCE_DIR}/src/face/cli/embed_readings.cmake)
add_custom_command(
  OUTPUT ${reading_texts_cpp}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${reading_texts_cpp} "-DTESTS=${reading_tests}" -P ${reading_texts_script}
  DEPENDS ${reading_tests} ${reading_texts_script}
  COMMENT "Embedding the tests of readings"
  VERBATIM)
target_sources(ptxmc_face_cli PRIVATE ${reading_texts_cpp})
