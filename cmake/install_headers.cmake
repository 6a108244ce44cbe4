# jobs_install_headers(<header>…): installs headers of jobs/, named relative to that folder. Internal
# headers go below include/jobs/detail, and the installed copies include them from there: what else
# stands in include/jobs is for users to include.
function(jobs_install_headers)
  install(CODE "set(headers \"${ARGN}\")")
  install(CODE "set(source ${PROJECT_SOURCE_DIR}/jobs)\nset(copies ${PROJECT_BINARY_DIR}/installed_headers)")
  install(CODE "set(destination ${CMAKE_INSTALL_INCLUDEDIR}/jobs)")
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/copy_headers.cmake)
endfunction()
