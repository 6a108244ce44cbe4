# jobs_install_headers(<header>…): installs headers of jobs/, named relative to that folder. Headers of internal rooms go below
# include/jobs/detail, and the installed copies include them from there. Nothing else of include/jobs is for a user to include.
function(jobs_install_headers)
  set(headers ${ARGN})
  list(JOIN headers "\n    " headers)
  install(CODE "
  set(headers
    ${headers})
  foreach(header IN LISTS headers)
    set(target \${header})
    if(header MATCHES \"^(base|queue|fiber|runtime|sync/core|algorithm/core)/\")
      set(target detail/\${header})
    endif()
    file(READ \"${PROJECT_SOURCE_DIR}/jobs/\${header}\" text)
    string(REGEX REPLACE \"(#include \\\"jobs)(/(base|queue|fiber|runtime|sync/core|algorithm/core)/)\" \"\\\\1/detail\\\\2\" text \"\${text}\")
    file(CONFIGURE OUTPUT \"${PROJECT_BINARY_DIR}/installed/\${target}\" CONTENT \"\${text}\" @ONLY)
    cmake_path(GET target PARENT_PATH folder)
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/jobs/\${folder}\"
         TYPE FILE FILES \"${PROJECT_BINARY_DIR}/installed/\${target}\")
  endforeach()")
endfunction()
