# TvmFfi_INCLUDE_DIRS and TvmFfi_LIB_DIR: what a candidate with the tvm-ffi binding is compiled
# against, and TvmFfi::Headers (the C ABI and dlpack.h) for the worker that calls it.
set(tvm_ffi_folders ${CMAKE_PREFIX_PATH} ${PYTHON_SITES})  # tests/gpu/pack sets the prefix
list(TRANSFORM tvm_ffi_folders APPEND /tvm_ffi)
list(TRANSFORM tvm_ffi_folders APPEND /include OUTPUT_VARIABLE tvm_ffi_headers)
list(TRANSFORM tvm_ffi_folders APPEND /3rdparty/dlpack/include OUTPUT_VARIABLE dlpack_headers)
list(TRANSFORM tvm_ffi_folders APPEND /lib OUTPUT_VARIABLE tvm_ffi_libraries)
find_path(TvmFfi_INCLUDE_DIR tvm/ffi/c_api.h HINTS ${tvm_ffi_headers} NO_CACHE)
find_path(TvmFfi_DLPACK_DIR dlpack/dlpack.h HINTS ${tvm_ffi_headers} ${dlpack_headers} NO_CACHE)
find_library(TvmFfi_LIBRARY tvm_ffi HINTS ${tvm_ffi_libraries} NO_CACHE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TvmFfi REQUIRED_VARS TvmFfi_LIBRARY TvmFfi_INCLUDE_DIR TvmFfi_DLPACK_DIR
                                  REASON_FAILURE_MESSAGE "\napache-tvm-ffi is neither in .venv, nor beside TORCH, nor below CMAKE_PREFIX_PATH: `make run` installs it into .venv, and what `pip install apache-tvm-ffi` has installed elsewhere is found with -DTORCH=<the virtual environment> or -DCMAKE_PREFIX_PATH=<its site-packages>")
if(TvmFfi_FOUND AND NOT TARGET TvmFfi::Headers)
  get_filename_component(TvmFfi_LIB_DIR ${TvmFfi_LIBRARY} DIRECTORY)
  add_library(TvmFfi::Headers INTERFACE IMPORTED)
  target_include_directories(TvmFfi::Headers SYSTEM INTERFACE ${TvmFfi_INCLUDE_DIR} ${TvmFfi_DLPACK_DIR})
endif()
