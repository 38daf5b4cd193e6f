# LibTorch::LibTorch from TORCH (a LibTorch folder, or the torch folder of a Python package), else from
# .venv. Only torch_cpu and c10 are linked: torch's own CMake package would demand the CUDA language.
file(GLOB venv_torch ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
find_path(LibTorch_INCLUDE_DIR torch/csrc/jit/api/compilation_unit.h
          HINTS ${TORCH}/include ${TORCH}/torch/include ${venv_torch}/include NO_CACHE)
find_library(LibTorch_CPU torch_cpu HINTS ${TORCH}/lib ${TORCH}/torch/lib ${venv_torch}/lib NO_CACHE)
find_library(LibTorch_C10 c10 HINTS ${TORCH}/lib ${TORCH}/torch/lib ${venv_torch}/lib NO_CACHE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_CPU LibTorch_C10 LibTorch_INCLUDE_DIR)
if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  get_filename_component(LibTorch_LIB_DIR ${LibTorch_CPU} DIRECTORY)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE ${LibTorch_INCLUDE_DIR}
                             ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  target_link_libraries(LibTorch::LibTorch INTERFACE ${LibTorch_CPU} ${LibTorch_C10})
  target_link_options(LibTorch::LibTorch INTERFACE -Wl,--allow-shlib-undefined)
endif()
