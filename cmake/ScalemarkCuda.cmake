# Decides whether libscalemark_cuda.so is built: SCALEMARK_WITH_CUDA. Needs nvcc, the CUDA and NCCL headers, and a torch wheel
# with CUDA, all of one generation (CudaVersions.cmake). nvcc comes from the machine's toolkit or from the PyPI wheels of
# NVIDIA's compiler (.venv, nvidia/cu13/bin), which scripts/test installs when there is no toolkit.
include(CudaVersions)

# The GPU code of every kernel: machine code, and PTX that the driver compiles for what is newer. The program knows these
# lists through core/machine/gpu_code.h, and tests/engine/cuda/gpu_code_test.py looks into the library.
set(SCALEMARK_GPU_CODE here CACHE STRING
    "Machine code of the kernels: all (what scripts/bundle takes), or here (that of the GPUs that are here; without one 9.0)")
# Torch's wheel has machine code for these: 8.6 and 8.9 run sm_80's, 10.3 sm_100's, 12.1 sm_120's.
set(_all_sass 75 80 90 100 120)
set(SCALEMARK_CUDA_PTX 90)

if(SCALEMARK_GPU_CODE STREQUAL "all")
  set(SCALEMARK_CUDA_SASS ${_all_sass})
elseif(SCALEMARK_GPU_CODE STREQUAL "here")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE _capabilities ERROR_QUIET RESULT_VARIABLE _failed)
  if(_failed)
    set(_capabilities "")
  endif()
  string(REGEX MATCHALL "[0-9]+[.][0-9]" _capabilities "${_capabilities}")
  pick_machine_code(SCALEMARK_CUDA_SASS "${_all_sass}" ${_capabilities})
  if(NOT SCALEMARK_CUDA_SASS)
    set(SCALEMARK_CUDA_SASS ${SCALEMARK_CUDA_PTX})
  endif()
else()
  message(FATAL_ERROR "SCALEMARK_GPU_CODE is '${SCALEMARK_GPU_CODE}'; allowed: all, here")
endif()
set(SCALEMARK_PTXAS_FLAGS "--warn-on-spills,--warning-as-error")

set(SCALEMARK_WITH_CUDA FALSE)
if(NOT SCALEMARK_CUDA STREQUAL "OFF")
  set(_missing "")
  set(_wheels "${LibTorch_NVIDIA_DIR}")
  find_program(_nvcc_of_path nvcc NO_CACHE)
  pick_nvcc(_nvcc _why "${SCALEMARK_NVCC}" "${_wheels}/cu13/bin/nvcc" "${_nvcc_of_path}" /usr/local/cuda/bin/nvcc)
  if(NOT _nvcc)
    list(APPEND _missing "${_why}")
  endif()
  # The wheels' own headers first: they are torch's. A toolkit's only where the wheels are without crt.
  get_filename_component(_root "${_nvcc}" DIRECTORY)
  get_filename_component(_root "${_root}" DIRECTORY)
  pick_cuda_headers(_cuda_headers _why "${_wheels}/cu13/include" "${_root}/include" /usr/local/cuda/include /usr/include)
  if(NOT _cuda_headers)
    list(APPEND _missing "${_why}")
  endif()
  pick_nccl_headers(_nccl_headers _why "${_wheels}/nccl/include" "${_root}/include" /usr/local/cuda/include
                    /usr/local/include /usr/include)
  if(NOT _nccl_headers)
    list(APPEND _missing "${_why}")
  endif()
  if(NOT TARGET LibTorch::cuda)
    list(APPEND _missing "a torch wheel with CUDA")
  endif()
  list(JOIN _missing "; " _missing)
  if(_missing AND SCALEMARK_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SCALEMARK_CUDA=ON, but not found: ${_missing}. Install requirements-cuda.txt into .venv "
                        "(scripts/test does), or pass -DSCALEMARK_CUDA=OFF.")
  elseif(_missing)
    message(STATUS "CUDA plugin: not built (not found: ${_missing})")
  else()
    set(SCALEMARK_NVCC "${_nvcc}" CACHE FILEPATH "The CUDA compiler")
    set(CMAKE_CUDA_COMPILER "${_nvcc}")
    list(TRANSFORM SCALEMARK_CUDA_SASS APPEND "-real" OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES)
    foreach(_ptx IN LISTS SCALEMARK_CUDA_PTX)
      list(APPEND CMAKE_CUDA_ARCHITECTURES "${_ptx}-virtual")
    endforeach()
    # The wheels of NVIDIA's compiler keep libraries in lib, where nvcc looks in lib64: CMake's check of the
    # compiler would not link.
    if(NOT EXISTS "${_root}/lib64" AND EXISTS "${_root}/lib")
      set(CMAKE_CUDA_FLAGS_INIT "-L${_root}/lib")
    endif()
    enable_language(CUDA)
    set(SCALEMARK_WITH_CUDA TRUE)
    target_include_directories(LibTorch::cuda SYSTEM INTERFACE "${_cuda_headers}" "${_nccl_headers}")
    list(JOIN SCALEMARK_CUDA_SASS ", sm_" _sass)
    message(STATUS "CUDA plugin: built with ${_nvcc} for sm_${_sass} and PTX, CUDA headers of ${_cuda_headers}, NCCL's of ${_nccl_headers}")
  endif()
endif()
