# jobs_embeddable(<library>): options for a library that is part of programs and of shared objects
# that are loaded and unloaded. It executes the same number of instructions as code for programs
# only (bench/instructions.txt).
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
    -fno-semantic-interposition  # allows inlining of exported functions
    # An object with unique symbols would never be unloaded.
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
endfunction()
