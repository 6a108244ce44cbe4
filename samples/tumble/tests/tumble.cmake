# Few small frames by every backend, compared by the program. Then by jobs with other numbers of
# workers: the files are the same.
file(REMOVE_RECURSE ${FOLDER})
set(small --frames=5 --bodies=16 --width=64 --height=48 --samples=2)

function(run folder)
  execute_process(COMMAND ${TUMBLE} ${small} --out=${FOLDER}/${folder} ${ARGN} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "tumble ${ARGN}: ${status}\n${output}")
  endif()
  message(STATUS "${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(all --workers=2)
if(NOT output MATCHES "all frames are equal, byte for byte")
  message(FATAL_ERROR "nothing was compared")
endif()
foreach(backend IN ITEMS jobs pipeline)
  foreach(workers IN ITEMS 1 4)
    run(${backend}${workers} --backend=${backend} --workers=${workers})
    foreach(frame RANGE 4)
      set(file frame_000${frame}.png)
      execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/all/${file} ${FOLDER}/${backend}${workers}/${file}
                      RESULT_VARIABLE differs)
      if(differs)
        message(FATAL_ERROR "${file} by ${backend} differs with ${workers} workers")
      endif()
    endforeach()
  endforeach()
endforeach()

execute_process(COMMAND ${TUMBLE} ${small} --out=${FOLDER}/all/frame_0000.png/no RESULT_VARIABLE status ERROR_QUIET OUTPUT_QUIET)
if(NOT status EQUAL 2)
  message(FATAL_ERROR "a folder that cannot be made: ${status}")
endif()
