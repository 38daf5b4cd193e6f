// What torch.isclose(a, b, rtol, atol) gives, which torch.allclose is the conjunction of: reads the
// elements of a, then as many of b, from standard input; writes a byte for each to standard output.
// `torch_allclose_oracle DTYPE ATOL RTOL`. A program of its own, since nothing but
// src/reference/torch may hold LibTorch; tests/verdict/allclose_test.cpp compares with it.
#include <ATen/ATen.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::map<std::string, at::ScalarType> types = {
      {"float32", at::kFloat}, {"float16", at::kHalf}, {"bfloat16", at::kBFloat16},
      {"int64", at::kLong},    {"int32", at::kInt},    {"int16", at::kShort},
      {"int8", at::kChar},     {"bool", at::kBool},
  };
  const auto type = types.find(argc == 4 ? argv[1] : "");
  if (type == types.end()) return 2;
  std::vector<char> bytes{std::istreambuf_iterator<char>(std::cin), {}};
  const auto count = static_cast<long>(bytes.size() / (2 * at::elementSize(type->second)));
  const at::Tensor both = at::from_blob(bytes.data(), {2, count}, type->second);
  const double atol = std::atof(argv[2]), rtol = std::atof(argv[3]);
  const at::Tensor close = at::isclose(both[0], both[1], rtol, atol).contiguous();
  std::fwrite(close.data_ptr(), 1, close.nbytes(), stdout);
}
