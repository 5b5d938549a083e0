# The built-in models, src/model/*.cat, compiled into ptxmc_model: texts.cpp is generated from them at build time.
file(GLOB model_texts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/model/*.cat)
set(model_texts_cpp ${CMAKE_CURRENT_BINARY_DIR}/model/texts.cpp)
set(model_texts_script ${CMAKE_CURRENT_SOURCE_DIR}/src/model/embed_texts.cmake)
add_custom_command(
  OUTPUT ${model_texts_cpp}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${model_texts_cpp} "-DTEXTS=${model_texts}" -P ${model_texts_script}
  DEPENDS ${model_texts} ${model_texts_script}
  COMMENT "Embedding the built-in models"
  VERBATIM)
target_sources(ptxmc_model PRIVATE ${model_texts_cpp})
