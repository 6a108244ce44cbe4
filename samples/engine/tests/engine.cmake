# Some frames by every backend, compared by the program, with several numbers of workers. Errors of
# the user have one line and status 2.
function(run status_wanted)
  execute_process(COMMAND ${ENGINE} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${output}")
  if(NOT status EQUAL status_wanted)
    message(FATAL_ERROR "engine ${ARGN}: ${status}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

foreach(workers IN ITEMS 1 2 4)
  run(0 --frames=20 --rate=1000 --workers=${workers})
  if(NOT output MATCHES "all pictures and textures are equal")
    message(FATAL_ERROR "nothing was compared")
  endif()
endforeach()

run(2 --textures=/)
if(NOT output MATCHES "^engine: no two PNG files in '/' [^\n]*\n$")
  message(FATAL_ERROR "no clear line")
endif()
