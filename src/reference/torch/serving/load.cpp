#include "reference/torch/serving/load.hpp"

#include <variant>

#include "reference/torch/script/program.hpp"
#include "reference/torch/serving/python.hpp"

namespace kbench {

std::unique_ptr<ReferenceFunction> load_reference(const ReferenceRequest& request,
                                                  const ReferenceLoadOptions& options) {
  if (request.evaluator == Evaluator::python) {
    if (!is_python()) throw Unsupported{"this process is no Python"};
    return load_reference_in_python(request, options);
  }
  auto compiled =
      compile_reference(request.reference, request.inputs, called_function(request.kind));
  if (const auto* error = std::get_if<CompileError>(&compiled)) {
    throw Unsupported{error->message(), error->line};
  }
  return std::get<std::unique_ptr<ReferenceFunction>>(std::move(compiled));
}

}  // namespace kbench
