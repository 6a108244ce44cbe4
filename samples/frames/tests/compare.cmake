# --backend=all reports equal pictures, three times and the ratio; it leaves only the picture.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
run_well(--mesh=procedural --size=80x60 --samples=16 --rounds=2 --workers=2 --out=all.png)
foreach(expected
    "all 5 pictures are equal, byte for byte"
    "jobs against oneTBB 20[0-9.]+: [0-9.]+ times its speed"
    "\nserial +1 " "\ntbb +2 " "\njobs +2 "
    "wrote all.png")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "'${expected}' is not in\n${output}")
  endif()
endforeach()
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
if(NOT files STREQUAL "all.png")
  message(FATAL_ERROR "left behind: ${files}")
endif()
