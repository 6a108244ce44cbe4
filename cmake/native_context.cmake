# jobs_check_native_context(<variable>): sets the variable if jobs/base/config.hpp selects the
# library's own context switch for the processor of this build, instead of Boost.Context.
function(jobs_check_native_context variable)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  set(CMAKE_REQUIRED_INCLUDES ${PROJECT_SOURCE_DIR})
  if(JOBS_BOOST_CONTEXT)
    set(CMAKE_REQUIRED_DEFINITIONS -DJOBS_BOOST_CONTEXT)
  endif()
  unset(JOBS_HAS_NATIVE_CONTEXT CACHE)  # the option may have changed
  check_cxx_source_compiles("
    #include \"jobs/base/config.hpp\"
    #if !defined(JOBS_NATIVE_CONTEXT)
    #error
    #endif
    int main() {}" JOBS_HAS_NATIVE_CONTEXT)
  set(${variable} ${JOBS_HAS_NATIVE_CONTEXT} PARENT_SCOPE)
endfunction()
