// RegisterSchema.cpp, RegisterCPU.cpp and RegisterCUDA.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/quoting.hpp"
#include "codegen/torch_files.hpp"
#include "operators/rules.hpp"

namespace kbench {
namespace {

constexpr std::string_view opening = "\nnamespace {\n\nusing namespace kbench::torch_library;\n";

std::string kind_text(const ops::Schema& schema) {
  const auto kind = ops::kind_of(schema);
  const auto is_written = [](const ops::Argument& one) { return one.is_write(); };
  const bool writes_more =
      std::any_of(schema.positional.begin(), schema.positional.end(), is_written);
  if (kind == ops::SchemaKind::out && !writes_more) return "Kind::out";
  return kind == ops::SchemaKind::in_place ? "Kind::in_place" : "Kind::other";
}

// What the function that calls a kernel begins with.
std::string prelude(const TorchDispatch& dispatch) {
  std::string out = fmt::format("  Call call(op, *stack, c10::DeviceType::{});\n", dispatch.key);
  if (dispatch.key == "CUDA")
    out +=
        "  const c10::DeviceGuard guard(call.device());\n"
        "  call.context().set_stream(\n"
        "      c10::cuda::getCurrentCUDAStream(call.device().index()).stream());\n";
  return out;
}

std::string boxed_text(const GeneratedOperator& one, const TorchDispatch& dispatch) {
  const ops::Schema& schema = one.entry->schema;
  return fmt::format(
      "\n// {}\nvoid call_{}(const c10::OperatorHandle& op, torch::jit::Stack* stack) {{\n"
      "{}{}  call.give({{{}}});\n}}\n",
      comment_in_cpp(ops::text(schema)), one.identifier, prelude(dispatch),
      held_call_text(schema, dispatch_symbol(one, dispatch.place.name_space)),
      numbers_text(*returned_arguments(schema)));
}

// Blocks of a macro of PyTorch, one for each namespace.
class Blocks {
 public:
  void add(const std::string& name_space, const std::string& line) { lines_[name_space] += line; }

  // `head`: "TORCH_LIBRARY_FRAGMENT({}, m)".
  std::string text(const std::string& head) const {
    std::string out;
    for (const auto& [name, lines] : lines_)
      out += fmt::format("\n{} {{\n{}}}\n", fmt::format(fmt::runtime(head), name), lines);
    return out;
  }

 private:
  std::map<std::string, std::string> lines_;
};

}  // namespace

ops::OperatorName torch_name(const GeneratedOperator& one, const std::string& library) {
  ops::OperatorName name = one.entry->schema.name;
  if (name.name_space == "aten") name.name_space = library;
  return name;
}

std::string implementations_text(const std::vector<GeneratedOperator>& operators,
                                 const std::string& library, const std::string& key,
                                 const std::string& function) {
  Blocks blocks;
  for (const GeneratedOperator& one : operators) {
    const ops::OperatorName name = torch_name(one, library);
    blocks.add(name.name_space,
               fmt::format("  m.impl({}, torch::CppFunction::makeFromBoxedFunction<&{}>());\n",
                           quoted_in_cpp(ops::text_without_namespace(name)),
                           fmt::format(fmt::runtime(function), one.identifier)));
  }
  return blocks.text("TORCH_LIBRARY_IMPL({}, " + key + ", m)");
}

std::string torch_schema_text(const std::vector<GeneratedOperator>& operators,
                              const std::string& library) {
  Blocks blocks;
  for (const GeneratedOperator& one : operators) {
    ops::Schema schema = one.entry->schema;
    schema.name.name_space = "";  // the block's
    blocks.add(torch_name(one, library).name_space,
               fmt::format("  m.def({}, tags_of({}));\n", quoted_in_cpp(ops::text(schema)),
                           kind_text(one.entry->schema)));
  }
  return generated_banner() +
         "// Defines the operators.\n#include \"kbench_torch.h\"\n\n"
         "using namespace kbench::torch_library;\n" +
         blocks.text("TORCH_LIBRARY_FRAGMENT({}, m)") +
         implementations_text(operators, library, "Autograd", "refuse_gradients");
}

std::string torch_kernels_text(const std::vector<GeneratedOperator>& operators,
                               const std::string& library, const TorchDispatch& dispatch) {
  std::string out = generated_banner() + "// Calls the kernels with PyTorch's arguments.\n" +
                    "#include \"kbench_torch.h\"\n";
  if (dispatch.key == "CUDA")
    out += "#include <c10/core/DeviceGuard.h>\n#include <c10/cuda/CUDAStream.h>\n";
  out += fmt::format("#include \"{}\"\n{}", dispatch.functions, opening);
  for (const GeneratedOperator& one : operators) out += boxed_text(one, dispatch);
  return out + "\n}  // namespace\n" +
         implementations_text(operators, library, dispatch.key, "call_{}");
}

}  // namespace kbench
