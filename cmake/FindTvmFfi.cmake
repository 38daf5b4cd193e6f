# TvmFfi_INCLUDE_DIRS and TvmFfi_LIB_DIR: what a candidate with the tvm-ffi binding is compiled
# against, and TvmFfi::Headers (the C ABI and dlpack.h) for the worker that calls it.
file(GLOB venv_tvm_ffi ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/tvm_ffi)
find_path(TvmFfi_INCLUDE_DIR tvm/ffi/c_api.h HINTS ${venv_tvm_ffi}/include NO_CACHE)
find_path(TvmFfi_DLPACK_DIR dlpack/dlpack.h HINTS ${venv_tvm_ffi}/include
          ${venv_tvm_ffi}/3rdparty/dlpack/include NO_CACHE)
find_library(TvmFfi_LIBRARY tvm_ffi HINTS ${venv_tvm_ffi}/lib NO_CACHE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TvmFfi REQUIRED_VARS TvmFfi_LIBRARY TvmFfi_INCLUDE_DIR TvmFfi_DLPACK_DIR)
if(TvmFfi_FOUND AND NOT TARGET TvmFfi::Headers)
  get_filename_component(TvmFfi_LIB_DIR ${TvmFfi_LIBRARY} DIRECTORY)
  add_library(TvmFfi::Headers INTERFACE IMPORTED)
  target_include_directories(TvmFfi::Headers SYSTEM INTERFACE ${TvmFfi_INCLUDE_DIR} ${TvmFfi_DLPACK_DIR})
endif()
