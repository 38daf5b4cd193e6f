// The safetensors files that workloads name.
#pragma once

#include <filesystem>
#include <string>

#include "problem/bind.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"

namespace kbench {

// "" when there is no problem.
struct BlobProblem {
  std::string message;
  std::string hint;
};

// Why the tensor that an input names cannot be used. Only the file's header is read.
BlobProblem blob_problem(const std::filesystem::path& root, const std::string& input,
                         const SafetensorsInput& source, const MaybeShape& expected);

// Why its dtype is not the declared one; "" when it is, or when blob_problem has something to say.
std::string blob_dtype_problem(const std::filesystem::path& root, const std::string& input,
                               const SafetensorsInput& source, DType expected);

}  // namespace kbench
