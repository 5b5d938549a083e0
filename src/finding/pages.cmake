#The pages of the rules, src / finding / pages/*.md, compiled into ptxmc_finding: pages.cpp is generated from them at build time.
file(GLOB rule_pages CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/finding/pages/*.md)
set(rule_pages_cpp ${CMAKE_CURRENT_BINARY_DIR}/finding/embedded.cpp)
set(rule_pages_script ${CMAKE_CURRENT_SOURCE_DIR}/src/finding/embed_pages.cmake)
add_custom_command(
  OUTPUT ${rule_pages_cpp}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${rule_pages_cpp} "-DPAGES=${rule_pages}" -P ${rule_pages_script}
  DEPENDS ${rule_pages} ${rule_pages_script}
  COMMENT "Embedding the pages of the rules"
  VERBATIM)
target_sources(ptxmc_finding PRIVATE ${rule_pages_cpp})
