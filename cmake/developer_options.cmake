# jobs_developer_options(<target>): strict C++, warnings and sanitizers, for targets of this build
# only. No option reaches a consumer. CMAKE_COMPILE_WARNING_AS_ERROR makes warnings errors; only the
# presets set it.

function(jobs_developer_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)

  set(address -fsanitize=address,undefined -fno-sanitize-recover=all)
  set(thread -fsanitize=thread)
  set(fuzzer ${address} -fsanitize=fuzzer-no-link)
  set(coverage -fprofile-instr-generate -fcoverage-mapping)
  if(NOT JOBS_SANITIZE)
    return()
  elseif(NOT JOBS_SANITIZE MATCHES "^(address|thread|fuzzer|coverage)$")
    message(FATAL_ERROR "JOBS_SANITIZE is '${JOBS_SANITIZE}'; it may be address, thread, fuzzer, coverage or empty")
  endif()
  target_compile_options(${target} PRIVATE ${${JOBS_SANITIZE}} -fno-omit-frame-pointer)
  target_link_options(${target} PRIVATE ${${JOBS_SANITIZE}})
endfunction()
