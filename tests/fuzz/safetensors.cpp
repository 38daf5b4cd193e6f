// A safetensors file: what its header promises lies in the file.
#include "problem/data/safetensors.hpp"

#include "support.hpp"

using namespace kbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Diagnostics problems;
  const std::span file(reinterpret_cast<const std::byte*>(data), size);
  const auto header = parse_safetensors(file, "fuzz.safetensors", problems);
  FUZZ_CHECK(header.has_value() == (problems.errors() == 0));
  if (!header) return 0;
  std::size_t end = 8;
  for (const StoredTensor& tensor : header->tensors) {
    FUZZ_CHECK(tensor.offset >= end && tensor.offset <= size);
    FUZZ_CHECK(tensor.bytes <= size - tensor.offset);
    end = tensor.offset + tensor.bytes;
    for (const std::int64_t length : tensor.shape) FUZZ_CHECK(length >= 0);
  }
  return 0;
}
