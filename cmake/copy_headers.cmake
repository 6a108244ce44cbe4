# Runs at installation (cmake/install_headers.cmake): writes a copy of each of `headers` with paths of
# internal headers below jobs/detail, and installs it.
set(internal "(base|queue|fiber|runtime|sync/core|algorithm/core)/")
cmake_path(ABSOLUTE_PATH destination BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
foreach(header IN LISTS headers)
  file(READ ${source}/${header} text)
  string(REGEX REPLACE "(\n *# *include \"jobs/)${internal}" "\\1detail/\\2/" text "${text}")
  string(REGEX REPLACE "^${internal}" "detail/\\1/" target ${header})
  set(before "")
  if(EXISTS ${copies}/${target})
    file(READ ${copies}/${target} before)
  endif()
  if(NOT text STREQUAL before)  # an unchanged header keeps its time, so that users compile nothing again
    file(WRITE ${copies}/${target} "${text}")
  endif()
  cmake_path(GET target PARENT_PATH folder)
  file(INSTALL DESTINATION "${destination}/${folder}" TYPE FILE FILES ${copies}/${target})
endforeach()
