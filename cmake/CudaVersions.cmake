# Which of several CUDA and NCCL headers may be used: those of torch's own version, SCALEMARK_CUDA_VERSION and
# SCALEMARK_NCCL_VERSION (FindLibTorch.cmake). Another generation compiles, and then fails at link or, worse, reads structures
# (cudaDeviceProp, ncclConfig, those inside ProcessGroupNCCL) in another layout; and PTX of a newer compiler is not compiled by
# the drivers that torch's CUDA runs on.
# No project needed: tests/cmake/cuda_versions_test.cmake includes this file in script mode.

# "13.0" from cuda_runtime_api.h; empty: no such header in `folder`, or crt/host_defines.h, which it includes and torch's
# wheels lack, is not beside it.
function(cuda_header_version folder result)
  set(${result} "" PARENT_SCOPE)
  if(EXISTS "${folder}/cuda_runtime_api.h" AND EXISTS "${folder}/crt/host_defines.h")
    file(STRINGS "${folder}/cuda_runtime_api.h" line REGEX "^#define CUDART_VERSION +[0-9]+")
    if(line MATCHES "CUDART_VERSION +([0-9]+)")
      math(EXPR major "${CMAKE_MATCH_1} / 1000")
      math(EXPR minor "${CMAKE_MATCH_1} % 1000 / 10")
      set(${result} "${major}.${minor}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# "2.28" from nccl.h; empty: no such header in `folder`.
function(nccl_header_version folder result)
  set(${result} "" PARENT_SCOPE)
  if(EXISTS "${folder}/nccl.h")
    file(STRINGS "${folder}/nccl.h" lines REGEX "^#define NCCL_(MAJOR|MINOR) +[0-9]+")
    if(lines MATCHES "NCCL_MAJOR +([0-9]+).*NCCL_MINOR +([0-9]+)")
      set(${result} "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# "13.0" of a compiler, from its own version output; empty: it does not run.
function(nvcc_version nvcc result)
  set(${result} "" PARENT_SCOPE)
  execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND text MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

# pick_version(<what> <wanted version> <wanted in words> <function> <result> <why> candidates...)
# The first candidate of that version goes to <result>. Without one <result> is empty and <why> names what was there:
# "CUDA headers 13.0 (found 12.8 in /usr/local/cuda/include)".
function(pick_version what wanted words version_of result why)
  set(found "")
  set(${result} "" PARENT_SCOPE)
  foreach(candidate IN LISTS ARGN)
    cmake_language(CALL ${version_of} "${candidate}" version)
    if(version AND version STREQUAL wanted)
      set(${result} "${candidate}" PARENT_SCOPE)
      return()
    elseif(version)
      list(APPEND found "${version} in ${candidate}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found)
  list(JOIN found ", " found)
  if(found)
    set(${why} "${what} ${words} (found ${found})" PARENT_SCOPE)
  else()
    set(${why} "${what} ${words}" PARENT_SCOPE)
  endif()
endfunction()

# pick_nvcc(<result> <why> candidates...), pick_cuda_headers(...), pick_nccl_headers(...): the first that fits torch.
function(pick_nvcc result why)
  pick_version(nvcc "${SCALEMARK_CUDA_VERSION}" "of CUDA ${SCALEMARK_CUDA_VERSION}" nvcc_version picked reason ${ARGN})
  set(${result} "${picked}" PARENT_SCOPE)
  set(${why} "${reason}" PARENT_SCOPE)
endfunction()

function(pick_cuda_headers result why)
  pick_version("CUDA headers" "${SCALEMARK_CUDA_VERSION}" "${SCALEMARK_CUDA_VERSION}" cuda_header_version picked reason
               ${ARGN})
  set(${result} "${picked}" PARENT_SCOPE)
  set(${why} "${reason}" PARENT_SCOPE)
endfunction()

function(pick_nccl_headers result why)
  pick_version("NCCL headers" "${SCALEMARK_NCCL_VERSION}" "${SCALEMARK_NCCL_VERSION}" nccl_header_version picked reason
               ${ARGN})
  set(${result} "${picked}" PARENT_SCOPE)
  set(${why} "${reason}" PARENT_SCOPE)
endfunction()

# Picks the architectures of `all` (75;80;...) that GPUs of these compute capabilities (8.6 ...) run: for each GPU the largest
# of its major number that is not above its own. Empty: none of them.
function(pick_machine_code result all)
  set(picked "")
  foreach(capability IN LISTS ARGN)
    string(REPLACE "." "" gpu "${capability}")
    math(EXPR first "${gpu} / 10 * 10")
    set(best "")
    foreach(architecture IN LISTS all)  # ascending
      if(architecture GREATER_EQUAL first AND architecture LESS_EQUAL gpu)
        set(best ${architecture})
      endif()
    endforeach()
    list(APPEND picked ${best})
  endforeach()
  list(SORT picked COMPARE NATURAL)
  list(REMOVE_DUPLICATES picked)
  set(${result} "${picked}" PARENT_SCOPE)
endfunction()
