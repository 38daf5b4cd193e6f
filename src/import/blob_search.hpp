// The files of tensors that foreign workloads name, wherever their paths begin.
#pragma once

#include <filesystem>
#include <string>

#include "problem/bind.hpp"
#include "schema/dtype.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct WantedTensor {
  std::string input;
  DType dtype = DType::float32;
  MaybeShape shape;
};

struct BlobFile {
  std::filesystem::path file;
  std::string problem;  // why it cannot be used, "" where it can
  std::string hint;
};

// Looks for a file in the folder of `record_file` and in each folder above it up to `top`, by which
// a path may begin; the first that is there has to hold the tensor.
BlobFile find_blob(const std::filesystem::path& top, const std::string& record_file,
                   const SafetensorsInput& source, const WantedTensor& wanted);

bool same_content(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace kbench
