# The option JOBS_USDT: probes for bpftrace, perf and SystemTap in programs with jobs::trace. They need
# the header <sys/sdt.h> for the build only (Debian: systemtap-sdt-dev). The note of a probe keeps its
# function, so a static program without jobs::trace is 9 KB larger with the option.
option(JOBS_USDT "Build the probes of jobs::trace; needs <sys/sdt.h>" OFF)
if(JOBS_USDT)
  include(CheckIncludeFileCXX)
  check_include_file_cxx(sys/sdt.h JOBS_HAS_SDT)
  if(NOT JOBS_HAS_SDT)
    message(FATAL_ERROR "JOBS_USDT=ON, but there is no <sys/sdt.h> (Debian: systemtap-sdt-dev)")
  endif()
endif()

# jobs_usdt(<target>…): the sources of these targets have the probes.
function(jobs_usdt)
  if(JOBS_USDT)
    foreach(target IN LISTS ARGN)
      target_compile_definitions(${target} PRIVATE JOBS_USDT)
    endforeach()
  endif()
endfunction()
