# LibTorch::Python: libtorch_python and the interpreter of the environment that LibTorch was found in, for
# the Python evaluator. Not found where LibTorch is no Python package, or Python's headers are missing.
# LibTorchPython_STAND_INS: the names of CUDA's libraries that torch's libraries are linked to. The evaluator
# computes on the CPU, so empty libraries take their places (src/python/stand_in.cpp).
if(LibTorch_LIB_DIR)
  find_library(LibTorchPython_LIBRARY torch_python PATHS ${LibTorch_LIB_DIR} NO_DEFAULT_PATH NO_CACHE)
  get_filename_component(LibTorchPython_EXECUTABLE ${LibTorch_LIB_DIR}/../../../../../bin/python3 ABSOLUTE)
endif()
if(LibTorchPython_LIBRARY AND EXISTS ${LibTorchPython_EXECUTABLE})
  execute_process(
    COMMAND ${LibTorchPython_EXECUTABLE} -c "import sysconfig as s; print(s.get_path('include'),
            s.get_config_var('LIBDIR'), 'python' + s.get_config_var('LDVERSION'), sep=';')"
    OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(POP_FRONT python LibTorchPython_INCLUDE_DIR python_folder python_name)
  find_library(LibTorchPython_INTERPRETER ${python_name} HINTS ${python_folder} NO_CACHE)
  if(NOT EXISTS ${LibTorchPython_INCLUDE_DIR}/Python.h)
    set(LibTorchPython_INCLUDE_DIR LibTorchPython_INCLUDE_DIR-NOTFOUND)
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorchPython REQUIRED_VARS LibTorchPython_LIBRARY LibTorchPython_INTERPRETER
                                  LibTorchPython_INCLUDE_DIR)
if(LibTorchPython_FOUND AND NOT TARGET LibTorch::Python)
  add_library(LibTorch::Python INTERFACE IMPORTED)
  target_include_directories(LibTorch::Python SYSTEM INTERFACE ${LibTorchPython_INCLUDE_DIR})
  target_link_libraries(LibTorch::Python INTERFACE LibTorch::LibTorch ${LibTorchPython_LIBRARY}
                        ${LibTorchPython_INTERPRETER})
  file(GLOB linked ${LibTorch_LIB_DIR}/libtorch_*.so ${LibTorch_LIB_DIR}/libc10_cuda.so)
  execute_process(COMMAND ${CMAKE_READELF} -dW ${linked} OUTPUT_VARIABLE sections)
  string(REGEX MATCHALL "Shared library: .[a-zA-Z0-9_.]+" needed "${sections}")
  list(TRANSFORM needed REPLACE "Shared library: ." "")
  list(FILTER needed INCLUDE REGEX "^lib(cu|nccl|nv)")
  # libtorch_cpu needs the real ones of these.
  list(FILTER needed EXCLUDE REGEX "^lib(cudart|cupti)")
  list(REMOVE_DUPLICATES needed)
  set(LibTorchPython_STAND_INS ${needed})
endif()
