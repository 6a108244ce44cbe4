# Included by the test scripts. They receive MPIRUN, TILES, the program, and FOLDER, an empty folder of their own.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

set(small --width=200 --height=130 --frames=6)  # of 35 tiles each

# run(<processes> <argument>…): runs the program in FOLDER, and sets status, output and errors.
macro(run processes)
  execute_process(COMMAND ${MPIRUN} -n ${processes} ${TILES} ${ARGN} WORKING_DIRECTORY ${FOLDER}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  message("${output}${errors}")
endmacro()

# sums_of(<variable> <folder>): the names and SHA-256 sums of all files of a folder.
function(sums_of variable folder)
  file(GLOB files RELATIVE ${FOLDER}/${folder} ${FOLDER}/${folder}/*)
  set(sums "")
  foreach(file IN LISTS files)
    file(SHA256 ${FOLDER}/${folder}/${file} sum)
    list(APPEND sums ${file}:${sum})
  endforeach()
  set(${variable} "${sums}" PARENT_SCOPE)
endfunction()
