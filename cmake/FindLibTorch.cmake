# Finds the torch wheel that the engine is built against, without importing torch and without
# TorchConfig.cmake (which demands nvcc and a full CUDA toolkit even for CPU programs).
#
# Looked for, in this order: -DSCALEMARK_TORCH=DIR, the environment variable SCALEMARK_TORCH, the
# torch package of ${SCALEMARK_PYTHON} (default .venv/bin/python of the source tree).
#
# Any version of a minor in torch_versions.txt will do, a vendor's build too.
#
# Defines LibTorch_FOUND, SCALEMARK_TORCH_DIR, SCALEMARK_TORCH_BUILD ("2.11.0+cu130"), SCALEMARK_TORCH_MINOR ("2.11"),
# SCALEMARK_CUDA_VERSION ("13.0", that of torch; empty without), SCALEMARK_NCCL_VERSION ("2.28", that of torch), the targets
# LibTorch::cpu and (when the wheel has CUDA) LibTorch::cuda, and LibTorch_NVIDIA_DIR, the wheel's folder of NVIDIA libraries.
include(TorchVersions)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/torch_versions.txt")
set(SCALEMARK_TORCH "$ENV{SCALEMARK_TORCH}" CACHE PATH "The torch folder to build against (holds lib/libtorch_cpu.so)")

if(EXISTS "${CMAKE_SOURCE_DIR}/.venv/bin/python")
  set(_default_python "${CMAKE_SOURCE_DIR}/.venv/bin/python")
else()
  set(_default_python python3)
endif()
set(SCALEMARK_PYTHON "${_default_python}" CACHE STRING "Python that has torch and the test oracles")

set(SCALEMARK_TORCH_DIR "${SCALEMARK_TORCH}")
if(NOT SCALEMARK_TORCH_DIR)
  execute_process(
    COMMAND "${SCALEMARK_PYTHON}" -c
      "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '', end='')"
    OUTPUT_VARIABLE SCALEMARK_TORCH_DIR ERROR_QUIET)
endif()

set(LibTorch_FOUND FALSE)
if(SCALEMARK_TORCH_DIR AND EXISTS "${SCALEMARK_TORCH_DIR}/lib/libtorch_cpu.so")
  torch_facts("${SCALEMARK_TORCH_DIR}/version.py")
  if(NOT SCALEMARK_NCCL_VERSION)
    message(FATAL_ERROR "${SCALEMARK_TORCH_DIR} holds torch ${SCALEMARK_TORCH_BUILD}; scalemark is built against one of "
                        "${SCALEMARK_TORCH_VERSIONS}. Run scripts/quickstart, or pass -DSCALEMARK_TORCH=DIR.")
  endif()
  set(LibTorch_FOUND TRUE)
endif()

find_path(GLOO_INCLUDE_DIR gloo/algorithm.h)  # the wheel has none; used as types only
if(LibTorch_FOUND AND NOT GLOO_INCLUDE_DIR)
  message(FATAL_ERROR "gloo headers were not found. Install libgloo-dev (scripts/quickstart does).")
endif()

if(LibTorch_FOUND)
  get_filename_component(LibTorch_NVIDIA_DIR "${SCALEMARK_TORCH_DIR}/../nvidia" ABSOLUTE)
  set(_link_dirs "")
  foreach(part cu13 nccl cudnn cusparselt nvshmem)
    list(APPEND _link_dirs "-Wl,-rpath-link,${LibTorch_NVIDIA_DIR}/${part}/lib")
  endforeach()

  function(_libtorch_import name)
    add_library(LibTorch::${name} SHARED IMPORTED)
    set_target_properties(LibTorch::${name} PROPERTIES IMPORTED_LOCATION "${SCALEMARK_TORCH_DIR}/lib/lib${name}.so"
      IMPORTED_NO_SONAME FALSE)
  endfunction()
  _libtorch_import(c10)
  _libtorch_import(torch_cpu)
  # The wheel's own OpenMP, which torch_cpu loads: code compiled with -fopenmp shares its threads.
  file(GLOB _gomp "${SCALEMARK_TORCH_DIR}/lib/libgomp*.so*")
  list(GET _gomp 0 _gomp)
  add_library(LibTorch::gomp SHARED IMPORTED)
  set_target_properties(LibTorch::gomp PROPERTIES IMPORTED_LOCATION "${_gomp}" IMPORTED_NO_SONAME FALSE)

  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE "${SCALEMARK_TORCH_DIR}/include"
    "${SCALEMARK_TORCH_DIR}/include/torch/csrc/api/include" "${GLOO_INCLUDE_DIR}")
  # AT_PER_OPERATOR_HEADERS: a file includes the operators it calls, which compiles 4x faster.
  target_compile_definitions(LibTorch::cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO AT_PER_OPERATOR_HEADERS)
  target_link_libraries(LibTorch::cpu INTERFACE LibTorch::torch_cpu LibTorch::c10 LibTorch::gomp)
  target_link_options(LibTorch::cpu INTERFACE ${_link_dirs})

  if(EXISTS "${SCALEMARK_TORCH_DIR}/lib/libtorch_cuda.so")
    _libtorch_import(torch_cuda)
    _libtorch_import(c10_cuda)
    add_library(LibTorch::cuda INTERFACE IMPORTED)
    target_compile_definitions(LibTorch::cuda INTERFACE USE_C10D_NCCL)
    target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu)
    target_link_options(LibTorch::cuda INTERFACE -Wl,--no-as-needed
      "${SCALEMARK_TORCH_DIR}/lib/libtorch_cuda.so" "${SCALEMARK_TORCH_DIR}/lib/libc10_cuda.so" -Wl,--as-needed)
  endif()
  message(STATUS "LibTorch: ${SCALEMARK_TORCH_BUILD} in ${SCALEMARK_TORCH_DIR}")
endif()
