// Calls of a Python text, and whether it does nothing but copy its inputs, as far as tokens tell.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace kbench::python {

class Calls {
 public:
  // Finds nothing in a text that is no Python.
  explicit Calls(std::string_view text);

  // torch.topk(…), x.topk(…), x.topk_(…).
  bool attribute(std::string_view name) const { return attributes_.contains(name); }
  // Tells the same, or finds topk(…).
  bool any(std::string_view name) const { return attribute(name) || names_.contains(name); }
  // Loops by for and while; those of comprehensions, too.
  bool has_loops() const { return has_loops_; }
  // a @ b, a @= b
  bool multiplies_matrices() const { return multiplies_matrices_; }

 private:
  using Names = std::set<std::string, std::less<>>;
  Names attributes_, names_;
  bool multiplies_matrices_ = false, has_loops_ = false;
};

// Tells whether all that it calls copies, converts or gives another shape (x.to(torch.float16),
// y.copy_(x), x.view(-1).contiguous()), it calculates and branches nowhere, and no input is an
// index. A text that is no Python gives false.
bool only_copies(std::string_view text, std::span<const std::string> inputs);

}  // namespace kbench::python
