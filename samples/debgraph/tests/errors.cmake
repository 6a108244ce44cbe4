# Wrong arguments end with status 2 and one line.
foreach(arguments "/nonexistent" "/dev/null" "one;two")
  execute_process(COMMAND ${DEBGRAPH} ${arguments} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  if(NOT status EQUAL 2 OR NOT errors MATCHES "^debgraph: [^\n]+\n$")
    message(FATAL_ERROR "debgraph ${arguments}: status ${status}, says\n${errors}")
  endif()
endforeach()
