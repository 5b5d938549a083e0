# ptxmc_embed(TARGET FUNCTION FILE...): compiles the files' texts into TARGET, where `std::span<const EmbeddedText> FUNCTION()`
# (support/embedded.h) gives them. FUNCTION: with its namespace. The path of what is generated, at build time, is in
# ${TARGET}_texts.
set(PTXMC_EMBED ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)
function(ptxmc_embed target function)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function} "-DFILES=${ARGN}" -P ${PTXMC_EMBED}
    DEPENDS ${ARGN} ${PTXMC_EMBED}
    COMMENT "Embedding the texts of ${function}()"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set(${target}_texts ${output} PARENT_SCOPE)
endfunction()
