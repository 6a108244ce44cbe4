# A graph with known answers: cycles, alternatives, provided names, missing names, duplicate names.
file(WRITE ${FOLDER}/packages "Package: top
Depends: left (>= 1.0), missing | right:any, top

Package: left
Depends: base
Description: a long
 story, Depends: no

Package: right
Pre-Depends: virtual [amd64]
Depends: ring-a

Package: base
Provides: virtual (= 1)

Package: ring-a
Depends: ring-b,
 base

Package: ring-b
Depends: ring-a

Package: base
Depends: top
")
foreach(workers 1 2 16)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env JOBS_NUM_WORKERS=${workers} ${DEBGRAPH} ${FOLDER}/packages
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  foreach(expected
      "6 packages, 8 dependencies, 5 components\n"
      "needed most:\n  0.[0-9]+ base\n"
      "chain, 4 components:\n  top\n  right\n  ring-a and 1 more\n  base\nas the serial results\n")
    if(NOT output MATCHES "${expected}")
      message(FATAL_ERROR "${workers} workers: '${expected}' is not in\n${output}")
    endif()
  endforeach()
endforeach()
