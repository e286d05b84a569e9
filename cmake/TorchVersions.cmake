# Which versions of torch the sources are written for (torch_versions.txt), and which of them a torch folder holds. No project
# needed: tests/cmake/cuda_versions_test.cmake includes this file in script mode.

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/torch_versions.txt" _rows REGEX "^[0-9]")
set(SCALEMARK_TORCH_VERSIONS "")  # in words: "2.11, 2.12"
foreach(_row IN LISTS _rows)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" _minor "${_row}")
  string(REGEX MATCH "[0-9.]+$" SCALEMARK_NCCL_OF_TORCH_${_minor} "${_row}")
  list(APPEND SCALEMARK_TORCH_VERSIONS ${_minor})
endforeach()
list(JOIN SCALEMARK_TORCH_VERSIONS ", " SCALEMARK_TORCH_VERSIONS)

# torch_facts(<version.py>): sets SCALEMARK_TORCH_BUILD, SCALEMARK_TORCH_MINOR, SCALEMARK_CUDA_VERSION and
# SCALEMARK_NCCL_VERSION; the last is empty for a minor version that is not in the list.
function(torch_facts version_py)
  file(READ "${version_py}" text)
  string(REGEX MATCH "__version__ = '([^']*)'" _ "${text}")
  set(SCALEMARK_TORCH_BUILD "${CMAKE_MATCH_1}" PARENT_SCOPE)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${CMAKE_MATCH_1}")
  set(SCALEMARK_TORCH_MINOR "${minor}" PARENT_SCOPE)
  if(NOT DEFINED CACHE{SCALEMARK_NCCL_VERSION})  # a vendor's build may have been made with another: -DSCALEMARK_NCCL_VERSION=2.29
    set(SCALEMARK_NCCL_VERSION "${SCALEMARK_NCCL_OF_TORCH_${minor}}" PARENT_SCOPE)
  endif()
  string(REGEX MATCH "cuda[^=\n]*= '([0-9]+\\.[0-9]+)" found "${text}")
  set(SCALEMARK_CUDA_VERSION "" PARENT_SCOPE)
  if(found)
    set(SCALEMARK_CUDA_VERSION "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()
