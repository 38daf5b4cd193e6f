# CudaHeaders::CudaHeaders: cuda.h and cupti.h, for kbench-worker-cuda. Nothing is linked: the driver and
# CUPTI are opened when a GPU is there. From what tests/gpu/pack packed, else from .venv, else from a CUDA Toolkit.
list(TRANSFORM PYTHON_SITES APPEND /nvidia/cu13 OUTPUT_VARIABLE venv_cuda)
list(TRANSFORM CMAKE_PREFIX_PATH APPEND /cuda OUTPUT_VARIABLE packed_cuda)
set(cuda_folders ${packed_cuda} ${venv_cuda} $ENV{CUDA_HOME} /usr/local/cuda)
find_path(CudaHeaders_INCLUDE_DIR cuda.h PATHS ${cuda_folders} PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
find_path(CudaHeaders_CUPTI_DIR cupti.h PATHS ${cuda_folders} PATH_SUFFIXES include extras/CUPTI/include
          NO_DEFAULT_PATH NO_CACHE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaHeaders REQUIRED_VARS CudaHeaders_INCLUDE_DIR CudaHeaders_CUPTI_DIR)
if(CudaHeaders_FOUND AND NOT TARGET CudaHeaders::CudaHeaders)
  add_library(CudaHeaders::CudaHeaders INTERFACE IMPORTED)
  target_include_directories(CudaHeaders::CudaHeaders SYSTEM INTERFACE ${CudaHeaders_INCLUDE_DIR}
                             ${CudaHeaders_CUPTI_DIR})
endif()
