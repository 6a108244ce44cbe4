# jobs_embeddable(<library>): options for a library that goes into programs and into shared objects that are loaded and unloaded. It costs
# the same instructions as code for programs alone (bench/instructions.txt).
function(jobs_embeddable library)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_compile_definitions(${library} PRIVATE JOBS_STATIC)
  endif()
  set_target_properties(${library} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${library} PRIVATE
    -fno-semantic-interposition  # exported functions are inlined here, too
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)  # an object with unique symbols would never be unloaded
endfunction()
