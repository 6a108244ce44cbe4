# Included by the test scripts. They receive PGZ, the program, and FOLDER, an empty folder of their
# own.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# Runs the program in FOLDER and sets status, output and errors.
macro(run)
  execute_process(COMMAND ${PGZ} ${ARGN} WORKING_DIRECTORY ${FOLDER}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
endmacro()

# The same as run(), but fails unless the program succeeds without output on standard error.
macro(run_well)
  run(${ARGN})
  if(NOT status EQUAL 0 OR NOT errors STREQUAL "")
    message(FATAL_ERROR "pgz ${ARGN}: status ${status}\n${output}${errors}")
  endif()
endmacro()
