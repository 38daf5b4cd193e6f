// SPDX-License-Identifier: Apache-2.0
// Registry of kernels by name: kbench_registry.h.
#include "kbench_registry.h"

#if !KBENCH_WITH_EXECUTORCH

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

namespace kbench::kernels {
namespace {

constexpr int largest_number = 99;
constexpr int any = -1;
constexpr int none = -2;

// Part of a key: one tensor.
struct Part {
  int type = any;
  bool is_optional = false;  // any tensor, or none
  bool is_any_order = true;
  std::vector<int> order;
};

// Reads one number; -1: there is none.
int read_number(const char*& text) {
  if (*text < '0' || *text > '9') return -1;
  int number = 0;
  while (*text >= '0' && *text <= '9' && number <= largest_number)
    number = 10 * number + (*text++ - '0');
  return number <= largest_number ? number : -1;
}

bool read_order(const char*& text, Part& part) {
  if (*text == '*') return ++text, true;
  part.is_any_order = false;
  if (*text == '|' || *text == '\0') return true;  // rank 0
  while (true) {
    part.order.push_back(read_number(text));
    if (part.order.back() < 0) return false;
    if (*text != ',') return true;
    ++text;
  }
}

bool read_part(const char*& text, Part& part) {
  if (*text == '-') {  // no tensor
    part.type = none;
    return ++text, true;
  }
  if (*text == '?') {
    part.is_optional = true;
    return ++text, true;
  }
  if (*text == '*') {
    ++text;
    if (*text == '|' || *text == '\0') return true;
  } else if ((part.type = read_number(text)) < 0) {
    return false;
  }
  if (*text != ';') return false;
  return read_order(++text, part);
}

// Parses "v1/6;0,1|6;0,1" into parts. False: it is no key.
bool read_key(const char* text, std::vector<Part>& parts) {
  if (std::strncmp(text, "v1/", 3) != 0) return false;
  text += 3;
  do {
    if (!read_part(text, parts.emplace_back())) return false;
  } while (*text++ == '|');
  return text[-1] == '\0';
}

bool matches(const Part& part, const TensorMeta& tensor) {
  if (part.type != any && part.type != static_cast<int>(tensor.dtype_)) return false;
  if (part.is_any_order) return true;
  if (part.order.size() != tensor.dim_order_.size()) return false;
  for (size_t i = 0; i < part.order.size(); ++i) {
    if (part.order[i] != tensor.dim_order_[i]) return false;
  }
  return true;
}

bool is_same(const TensorMeta& a, const TensorMeta& b) {
  if (a.dtype_ != b.dtype_ || a.dim_order_.size() != b.dim_order_.size()) return false;
  for (size_t i = 0; i < a.dim_order_.size(); ++i) {
    if (a.dim_order_[i] != b.dim_order_[i]) return false;
  }
  return true;
}

// Tells whether the rest of the tensors are outputs once again.
bool repeats(Span<const TensorMeta> tensors, size_t next, size_t& difference) {
  const size_t rest = tensors.size() - next;
  difference = next;
  if (rest > next) return false;
  for (size_t i = 0; i < rest; ++i) {
    if (!is_same(tensors[next + i], tensors[next - rest + i])) return false;
  }
  return true;
}

// Matches the parts from `at` on of given tensors against the tensors from `next` on.
bool matches(const std::vector<Part>& parts, Span<const TensorMeta> tensors, size_t& difference,
             size_t at = 0, size_t next = 0) {
  for (; at < parts.size(); ++at) {
    const Part& part = parts[at];
    if (part.type == none) continue;
    const bool is_here = next < tensors.size() && matches(part, tensors[next]);
    if (part.is_optional) {
      if (is_here && matches(parts, tensors, difference, at + 1, next + 1)) return true;
      continue;
    }
    difference = next;
    if (!is_here) return false;
    ++next;
  }
  return repeats(tensors, next, difference);
}

// Returns how much of the tensors a key says.
int constrained(const std::vector<Part>& parts) {
  int count = 0;
  for (const Part& part : parts) count += (part.type != any) + !part.is_any_order;
  return count;
}

struct Registry {
  std::vector<Kernel> kernels;
  std::vector<std::vector<Part>> parts;                       // one a kernel; empty for a default
  std::unordered_map<std::string, std::vector<size_t>> rows;  // key: the operator's name
};

Registry& registry() {
  static Registry* const one = new Registry;  // lives as long as anything may register itself
  return *one;
}

bool same_key(const char* a, const char* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return std::strcmp(a, b) == 0;
}

const char* shown(const char* key) { return key == nullptr ? "default" : key; }

Error say_registered(const Kernel& kernel, const Kernel& other) {
  std::fprintf(stderr,
               "kernel registration failed: %s (%s), of %s, is registered already: that of %s\n",
               kernel.name_, shown(kernel.key_), kernel.where_, other.where_);
  return Error::RegistrationAlreadyRegistered;
}

Error check_new(const Kernel& kernel, Span<const Kernel> earlier) {
  const auto found = registry().rows.find(kernel.name_);
  if (found != registry().rows.end()) {
    for (const size_t row : found->second) {
      const Kernel& other = registry().kernels[row];
      if (same_key(other.key_, kernel.key_)) return say_registered(kernel, other);
    }
  }
  for (const Kernel& other : earlier) {
    if (std::strcmp(other.name_, kernel.name_) == 0 && same_key(other.key_, kernel.key_))
      return say_registered(kernel, other);
  }
  std::vector<Part> parts;
  if (kernel.key_ == nullptr || read_key(kernel.key_, parts)) return Error::Ok;
  std::fprintf(stderr, "kernel registration failed: %s has the key \"%s\", which is none\n",
               kernel.name_, kernel.key_);
  return Error::InvalidArgument;
}

Error check_count(size_t more) {
#ifdef KBENCH_MAX_KERNELS
  const size_t there = registry().kernels.size();
  if (there + more > KBENCH_MAX_KERNELS) {
    std::fprintf(stderr,
                 "kernel registration failed: the total number of kernels to be registered is "
                 "larger than the limit %d: %zu are registered, %zu more are to be\n",
                 KBENCH_MAX_KERNELS, there, more);
    return Error::RegistrationExceedingMaxKernels;
  }
#endif
  (void)more;
  return Error::Ok;
}

void add(const Kernel& kernel) {
  Registry& to = registry();
  to.rows[kernel.name_].push_back(to.kernels.size());
  to.kernels.push_back(kernel);
  std::vector<Part> parts;
  if (kernel.key_ != nullptr) read_key(kernel.key_, parts);
  to.parts.push_back(std::move(parts));
}

std::string text_of(Span<const TensorMeta> tensors) {
  std::vector<char> buffer(8 + tensors.size() * 64);
  if (make_kernel_key_string(tensors, buffer.data(), buffer.size()) != Error::Ok)
    return "tensors of which there is no key";
  return tensors.empty() ? "no tensors" : buffer.data();
}

// Choice among the kernels that serve: the one that goes before the others (see Kernel).
class Choice {
 public:
  void consider(const Kernel& kernel, const std::vector<Part>& parts,
                Span<const TensorMeta> tensors) {
    size_t difference = 0;
    if (kernel.key_ != nullptr && !matches(parts, tensors, difference)) return;
    const std::array<int, 4> rank = {kernel.priority_, constrained(parts), kernel.backend_order_,
                                     -kernel.place_};
    if (best_ != nullptr && rank <= rank_) return;
    best_ = &kernel;
    rank_ = rank;
  }

  Result<OpFunction> result() const {
    if (best_ != nullptr) return best_->op_;
    return Error::OperatorMissing;
  }

 private:
  const Kernel* best_ = nullptr;
  std::array<int, 4> rank_ = {};
};

// Prints the kernels of an operator, and where each first differs from the request.
void say_missing(const char* name, Span<const TensorMeta> tensors) {
  std::string there;
  const auto found = registry().rows.find(name);
  if (found != registry().rows.end()) {
    for (const size_t row : found->second) {
      const Kernel& kernel = registry().kernels[row];
      size_t difference = 0;
      matches(registry().parts[row], tensors, difference);
      there += std::string("\n  there is ") + shown(kernel.key_) + ", of " + kernel.where_ +
               ", which differs in tensor " + std::to_string(difference);
    }
  }
  std::fprintf(stderr, "kernel '%s' not found for %s%s\n", name, text_of(tensors).c_str(),
               there.empty() ? "; nothing is registered under this name" : there.c_str());
}

// Returns InvalidArgument for tensors of which no key can be made.
Error check_tensors(Span<const TensorMeta> tensors) {
  char buffer[kKernelKeyBufSize];
  return make_kernel_key_string(tensors, buffer, sizeof buffer);
}

Result<OpFunction> find(const char* name, Span<const TensorMeta> tensors) {
  if (const Error error = check_tensors(tensors); error != Error::Ok) return error;
  Choice choice;
  const auto found = registry().rows.find(name);
  if (found != registry().rows.end()) {
    for (const size_t row : found->second)
      choice.consider(registry().kernels[row], registry().parts[row], tensors);
  }
  return choice.result();
}

// Writer that appends to a text of fixed size.
class Writer {
 public:
  Writer(char* buffer, size_t size) : at_(buffer), left_(size) {}

  void put(char c) {
    if (left_ == 0) {
      good_ = false;
      return;
    }
    *at_++ = c;
    --left_;
  }
  void put_number(int number) {
    if (number < 0 || number > largest_number) {
      good_ = false;
      return;
    }
    if (number >= 10) put(static_cast<char>('0' + number / 10));
    put(static_cast<char>('0' + number % 10));
  }
  bool good() const { return good_; }

 private:
  char* at_;
  size_t left_;
  bool good_ = true;
};

}  // namespace

Error make_kernel_key_string(Span<const TensorMeta> tensors, char* buffer, size_t size) {
  Writer to(buffer, size);
  if (tensors.empty()) {
    if (size > 0) to.put('\0');
    return Error::Ok;
  }
  for (const char c : {'v', '1', '/'}) to.put(c);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) to.put('|');
    to.put_number(static_cast<int>(tensors[i].dtype_));
    to.put(';');
    for (size_t d = 0; d < tensors[i].dim_order_.size(); ++d) {
      if (d > 0) to.put(',');
      to.put_number(tensors[i].dim_order_[d]);
    }
  }
  to.put('\0');
  return to.good() ? Error::Ok : Error::InvalidArgument;
}

Error try_register_kernels(Span<const Kernel> kernels) {
  if (const Error error = check_count(kernels.size()); error != Error::Ok) return error;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Error error = check_new(kernels[i], {kernels.data(), i});
    if (error != Error::Ok) return error;
  }
  for (const Kernel& kernel : kernels) add(kernel);
  return Error::Ok;
}

Error register_kernels(Span<const Kernel> kernels) {
  const Error error = try_register_kernels(kernels);
  if (error != Error::Ok) std::abort();
  return error;
}

Span<const Kernel> get_registered_kernels() {
  return {registry().kernels.data(), registry().kernels.size()};
}

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> tensors) {
  const Result<OpFunction> found = find(name, tensors);
  if (found.error() == Error::OperatorMissing) say_missing(name, tensors);
  return found;
}

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> tensors,
                                                 Span<const Kernel> kernels) {
  if (const Error error = check_tensors(tensors); error != Error::Ok) return error;
  Choice choice;
  for (const Kernel& kernel : kernels) {
    std::vector<Part> parts;
    if (std::strcmp(kernel.name_, name) != 0) continue;
    if (kernel.key_ == nullptr || read_key(kernel.key_, parts))
      choice.consider(kernel, parts, tensors);
  }
  return choice.result();
}

bool registry_has_op_function(const char* name, Span<const TensorMeta> tensors) {
  return find(name, tensors).ok();
}

}  // namespace kbench::kernels

// Answers "kbench kernels list --so" about a built library: one kernel after the other, until there
// is none. Returns 0 at the end.
extern "C" __attribute__((visibility("default"))) int kbench_registered_kernel(
    size_t index, const char* texts[4]) {
  const auto all = kbench::kernels::get_registered_kernels();
  if (index >= all.size()) return 0;
  texts[0] = all[index].name_;
  texts[1] = all[index].key_;
  texts[2] = all[index].where_;
  texts[3] = all[index].call_;
  return 1;
}

#endif  // !KBENCH_WITH_EXECUTORCH
