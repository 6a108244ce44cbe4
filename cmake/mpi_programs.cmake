# Programs of several processes, which mpirun starts.

find_program(JOBS_MPIRUN NAMES mpirun.openmpi mpirun)
mark_as_advanced(JOBS_MPIRUN)
if(NOT JOBS_MPIRUN)
  message(STATUS "jobs is built without the tests of several processes: there is no mpirun (Debian: openmpi-bin)")
endif()

# The environment of OpenMPI for processes on one machine: as root, more processes than cores, shared memory without the
# system call that containers deny, and neither ssh nor a network.
set(JOBS_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_btl=self,vader
  OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_plm=isolated
)

# jobs_add_mpi_test(<name> LABEL <label> PROCESSES <number>… COMMAND <program> <argument>…)
# Adds a test for each number of processes. The test passes if all processes exit with 0. Builds with a sanitizer have no
# such tests: OpenMPI itself is not instrumented, and has not been tried there.
function(jobs_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "PROCESSES;COMMAND")
  if(NOT JOBS_MPIRUN OR JOBS_SANITIZE)
    return()
  endif()
  list(POP_FRONT arg_COMMAND program)
  jobs_test_timeout(timeout 240)  # seconds, unless other programs take the cores
  foreach(count IN LISTS arg_PROCESSES)
    add_test(NAME ${name}.${count} COMMAND ${JOBS_MPIRUN} -n ${count} $<TARGET_FILE:${program}> ${arg_COMMAND})
    set_tests_properties(${name}.${count} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${timeout} PROCESSORS 2 ENVIRONMENT "${JOBS_MPI_ENVIRONMENT}")
  endforeach()
endfunction()
