# The table of costs, src/repair/costs.txt, compiled into ptxmc_repair.
set(costs_text ${CMAKE_CURRENT_SOURCE_DIR}/src/repair/costs.txt)
set(costs_cpp ${CMAKE_CURRENT_BINARY_DIR}/repair/shipped_costs.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${costs_text})
file(READ ${costs_text} costs)
file(CONFIGURE OUTPUT ${costs_cpp} CONTENT
  "#include \"repair/shipped_costs.h\"\n\nnamespace ptxmc::repair {\nconst std::string_view kShippedCosts = R\"costs(@costs@)costs\";\n}\n" @ONLY)
target_sources(ptxmc_repair PRIVATE ${costs_cpp})
