# The built-in models, compiled into ptxmc_model.
file(GLOB models CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/model/*.cat)
ptxmc_embed(ptxmc_model ptxmc::model::texts ${models})

if(CMAKE_CROSSCOMPILING)  # what would elaborate them does not run here: they are read where they are asked for
  target_sources(ptxmc_model PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/model/embed/none.cpp)
  return()
endif()

# The same after reading: the program `elaborate` has all of ptxmc_model but the table that it writes.
file(GLOB model_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/model/*.cpp)
add_library(elaborating OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/src/model/embed/elaborate.cpp ${CMAKE_CURRENT_SOURCE_DIR}/src/model/embed/none.cpp
  ${model_sources} ${ptxmc_model_texts})
add_executable(elaborate)
set_property(GLOBAL APPEND PROPERTY PTXMC_ARROWS "model/embed: ptxmc_model ptxmc_axiomatic_event")
set_property(GLOBAL APPEND PROPERTY PTXMC_FOLDERS model/embed)
ptxmc_together(elaborating)
ptxmc_compiled(elaborating $<$<CONFIG:Release>:-O1>)
target_precompile_headers(elaborating REUSE_FROM ptxmc_std)
target_link_libraries(elaborating PUBLIC ptxmc_finding ptxmc_axiomatic_event ptxmc_model_cat ptxmc_model_relation ptxmc_support)
target_link_libraries(elaborate PRIVATE elaborating)
set(elaborated_cpp ${CMAKE_CURRENT_BINARY_DIR}/model/elaborated.cpp)
add_custom_command(
  OUTPUT ${elaborated_cpp}
  COMMAND elaborate ${elaborated_cpp}
  DEPENDS elaborate
  COMMENT "Elaborating the built-in models"
  VERBATIM)
target_sources(ptxmc_model PRIVATE ${elaborated_cpp})
