# The bug zoo as a page with pictures: `ninja zoo` writes build/.../zoo/index.html.
add_custom_target(zoo COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/src/doc/zoo.py $<TARGET_FILE:ptxmc> ${CMAKE_CURRENT_SOURCE_DIR}/litmus/bugzoo ${CMAKE_BINARY_DIR}/zoo
  DEPENDS ptxmc VERBATIM)
