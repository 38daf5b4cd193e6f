// What LibTorch's casts give: reads binary32 values from standard input, writes the codes of
// `torch_cast_oracle DTYPE` to standard output. A program of its own, since nothing but
// src/reference/torch may hold LibTorch; tests/problem/element_test.cpp compares with it.
#include <ATen/ATen.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::map<std::string, at::ScalarType> types = {
      {"float16", at::kHalf},
      {"bfloat16", at::kBFloat16},
      {"float8_e4m3fn", at::kFloat8_e4m3fn},
      {"float8_e5m2", at::kFloat8_e5m2},
      {"bool", at::kBool},
      {"float8_e8m0fnu", at::kFloat8_e8m0fnu},
  };
  const auto type = types.find(argc == 2 ? argv[1] : "");
  if (type == types.end()) return 2;
  std::vector<char> bytes{std::istreambuf_iterator<char>(std::cin), {}};
  const auto count = static_cast<long>(bytes.size() / sizeof(float));
  const at::Tensor codes =
      at::from_blob(bytes.data(), {count}, at::kFloat).to(type->second).contiguous();
  std::fwrite(codes.data_ptr(), 1, codes.nbytes(), stdout);
}
