// Results of calls: of Python's functions, of torch's, and of the reference's own.
#include <fmt/format.h>

#include "base/words.hpp"
#include "problem/data/reference_reader.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

// Calls whose results have the same elements in the same places.
constexpr std::string_view same_value[] = {
    "to",        "float", "long",           "int",       "clone",    "contiguous",
    "detach",    "half",  "double",         "type",      "bfloat16", "cpu",
    "cuda",      "numpy", "tolist",         "as_tensor", "tensor",   "asarray",
    "clamp_min", "clamp", "requires_grad_", "type_as",   "short"};
// Calls whose results have other values in the same shape.
constexpr std::string_view same_shape[] = {
    "zeros_like",  "empty_like",   "ones_like", "full_like", "rand_like",   "softmax",
    "log_softmax", "relu",         "silu",      "gelu",      "masked_fill", "tanh",
    "abs",         "sqrt",         "rsqrt",     "log",       "sin",         "cos",
    "neg",         "masked_fill_", "zero_",     "fill_",     "copy_",       "normalize",
    "square",      "pow"};
constexpr std::string_view makers[] = {"zeros", "empty",     "ones",      "full",     "randn",
                                       "rand",  "new_zeros", "new_empty", "new_ones", "new_full"};
// x.f(dim, index, …): where the index goes into that dimension.
constexpr std::string_view index_calls[] = {"gather",        "index_select",   "index_add",
                                            "index_add_",    "index_copy",     "index_copy_",
                                            "scatter",       "scatter_",       "scatter_add",
                                            "scatter_add_",  "scatter_reduce", "scatter_reduce_",
                                            "index_fill",    "index_fill_",    "index_reduce",
                                            "index_reduce_", "take",           "take_along_dim",
                                            "put_"};
constexpr std::string_view class_calls[] = {"embedding", "embedding_bag", "cross_entropy",
                                            "nll_loss",  "one_hot",       "bincount"};

constexpr std::string_view gate_calls[] = {"sigmoid", "logsigmoid", "softplus", "exp", "exp2"};

// Drops the mask: what is gathered or summed up are numbers.
Value numbers_alone(const Value& value) {
  Value out = elements_alone(value);
  out.is_mask = false;
  return out;
}

}  // namespace

Value ReferenceArguments::get(std::size_t place, std::initializer_list<const char*> names) const {
  for (const char* name : names)
    if (const auto found = named.find(name); found != named.end()) return found->second;
  return place < positional.size() ? positional[place] : Value{};
}

Value ReferenceReader::call(const Expression& e) {
  const Expression& callee = *e.operands[0];
  ReferenceArguments arguments;
  for (std::size_t i = 1; i < e.operands.size(); ++i) {
    const Value value = evaluate(*e.operands[i]);
    if (e.roles[i].empty()) {
      arguments.positional.push_back(value);
    } else {
      arguments.named[e.roles[i]] = value;
    }
  }
  if (callee.kind == Node::name) {
    const auto own = functions_.find(callee.text);
    if (own != functions_.end()) return returned_by(*own->second, arguments);
    return builtin(callee.text, arguments);
  }
  if (callee.kind != Node::attribute) return {};
  const Expression* root = callee.operands[0].get();
  while (root->kind == Node::attribute) root = root->operands[0].get();
  const bool is_method = root->kind != Node::name || names_.contains(root->text);
  const Value self = evaluate(*callee.operands[0]);
  if (is_method) arguments.positional.insert(arguments.positional.begin(), self);
  return library(callee.text, arguments, is_method);
}

// Calls a function of Python's own.
Value ReferenceReader::builtin(const std::string& name, const ReferenceArguments& arguments) {
  using Call = Value (ReferenceReader::*)(const ReferenceArguments&);
  static const std::map<std::string_view, Call> calls = {
      {"range", &ReferenceReader::range_of},       {"int", &ReferenceReader::converted},
      {"len", &ReferenceReader::length_of},        {"zip", &ReferenceReader::zipped},
      {"enumerate", &ReferenceReader::enumerated}, {"sorted", &ReferenceReader::listed},
      {"list", &ReferenceReader::listed},          {"reversed", &ReferenceReader::listed},
      {"tuple", &ReferenceReader::listed},
  };
  const auto found = calls.find(name);
  return found == calls.end() ? Value{} : (this->*found->second)(arguments);
}

Value ReferenceReader::range_of(const ReferenceArguments& arguments) {
  const bool from = arguments.positional.size() > 1;
  const Value end = arguments.get(from ? 1 : 0, {"end"});
  Value out = end.terms.empty() ? Value{} : numbers_alone(end);
  out.is_below = !end.terms.empty();
  out.below = end.number;
  const Size first = from ? arguments.positional[0].number : "0";
  out.shape = std::vector<Size>{combined(end.number, "-", first)};
  return out;
}

Value ReferenceReader::converted(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {});
  Value out = numbers_alone(first);
  out.number = first.number;
  out.input = first.input;
  out.shape.emplace();
  return out;
}

Value ReferenceReader::length_of(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {});
  if (first.shape && !first.shape->empty()) return number_value(first.shape->front());
  const bool counted = !first.items.empty() && !first.is_rows;
  return counted ? number_value(std::to_string(first.items.size())) : Value{};
}

Value ReferenceReader::zipped(const ReferenceArguments& arguments) {
  Value out;
  out.is_rows = true;
  for (const Value& argument : arguments.positional) out.items.push_back(element_of(argument));
  return out;
}

Value ReferenceReader::enumerated(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {});
  Value count;
  count.shape.emplace();
  if (first.shape && !first.shape->empty()) count.below = first.shape->front();
  Value out;
  out.is_rows = true;
  out.items = {count, element_of(first)};
  return out;
}

Value ReferenceReader::listed(const ReferenceArguments& arguments) { return arguments.get(0, {}); }

Value ReferenceReader::library(const std::string& name, const ReferenceArguments& arguments,
                               bool is_method) {
  using Call = Value (ReferenceReader::*)(const ReferenceArguments&);
  static const std::map<std::string_view, Call> calls = {
      {"split", &ReferenceReader::split_call},
      {"split_with_sizes", &ReferenceReader::split_call},
      {"repeat_interleave", &ReferenceReader::repeated},
      {"reshape", &ReferenceReader::reshaped},
      {"view", &ReferenceReader::reshaped},
      {"narrow", &ReferenceReader::narrowed},
      {"multinomial", &ReferenceReader::drawn},
      {"bitwise_right_shift", &ReferenceReader::shifted_right},
      {"cumsum", &ReferenceReader::summed_up},
      {"cumprod", &ReferenceReader::summed_up},
      {"diff", &ReferenceReader::differences},
      {"arange", &ReferenceReader::range_of},
      {"size", &ReferenceReader::size_of},
      {"numel", &ReferenceReader::element_count_of},
      {"item", &ReferenceReader::item_of},
      {"cat", &ReferenceReader::joined},
      {"concat", &ReferenceReader::joined},
      {"stack", &ReferenceReader::joined},
      {"hstack", &ReferenceReader::joined},
      {"pad", &ReferenceReader::joined},
  };
  const auto found = calls.find(name);
  if (found != calls.end()) return (this->*found->second)(arguments);
  const Value first = arguments.get(0, {"input", "x"});
  if (is_one_of(name, same_value)) return first;
  if (is_one_of(name, {"log", "sqrt", "rsqrt"}) && !first.origin.empty())
    facts_.positive.insert(first.origin);
  if (is_one_of(name, gate_calls)) return gated(name, first);
  if (is_one_of(name, same_shape)) return shaped(first.shape);
  if (is_one_of(name, makers)) return made(name, arguments, is_method);
  if (is_one_of(name, index_calls)) return gathered(name, arguments);
  if (is_one_of(name, class_calls)) return class_call(name, arguments);
  return arranged(name, arguments, is_method);
}

// A sigmoid keeps what it is near 1 for, and so does e^x where x is a rate of decay times -1:
// softplus and another e^x make such rates.
Value ReferenceReader::gated(const std::string& name, const Value& first) {
  const bool is_rate = !is_one_of(name, {"sigmoid", "logsigmoid"});
  Value out = shaped(first.shape);
  for (const Summand& of : first.summands)
    facts_.gates.emplace(of.input, is_rate ? -of.sign : of.sign);
  if (name == "sigmoid") out.gates = first.summands;
  return out;
}

Value ReferenceReader::drawn(const ReferenceArguments& arguments) {
  facts_.weights.insert(arguments.get(0, {"input"}).origin);
  return {};
}

Value ReferenceReader::shifted_right(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"input"});
  if (arguments.get(1, {"other"}).number == "16") uses_.packed(first);
  return numbers_alone(first);
}

Value ReferenceReader::summed_up(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"input"});
  Value out = shaped(first.shape);
  facts_.recurs |= first.terms.empty();
  if (first.terms.size() == 1 && first.is_plain()) out.terms = {first.terms[0], first.terms[0]};
  return out;
}

Value ReferenceReader::differences(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"input"});
  Value out;
  if (first.terms.size() == 1) out.difference = first.terms[0];
  return out;
}

void ReferenceReader::note_stores(const std::string& name, const Value& index) {
  const bool is_list = index.shape && index.shape->size() == 1;
  const bool scatters = is_one_of(name, {"scatter", "scatter_"});
  if (is_one_of(name, {"index_copy", "index_copy_", "put_"}) || (is_list && scatters))
    uses_.store(index);
  if (scatters) uses_.scatter(index);
}

// gather(x, dim, index) and its like.
Value ReferenceReader::gathered(const std::string& name, const ReferenceArguments& arguments) {
  const Value subject = arguments.get(0, {"input"});
  const bool whole = is_one_of(name, {"take", "put_"});
  const bool along = name == "take_along_dim";
  const Value index = arguments.get(whole || along ? 1 : 2, {"index", "indices"});
  const Value dimension = arguments.get(along ? 2 : 1, {"dim"});
  const std::vector<Size> unknown{""};
  uses_.index(index,
              whole ? product(subject.shape.value_or(unknown)) : dimension_of(subject, dimension));
  note_stores(name, index);
  if (is_one_of(name, {"gather", "take", "take_along_dim"})) return shaped(index.shape);
  if (name != "index_select") return shaped(subject.shape);
  Value out = numbers_alone(subject);
  out.shape = subject.shape;
  if (const auto place = place_of(subject, dimension))
    (*out.shape)[*place] = product(index.shape.value_or(unknown));
  return out;
}

// Calls that index by a class or word: f(logits, target), embedding(ids, weight), one_hot(ids, n).
Value ReferenceReader::class_call(const std::string& name, const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"input"});
  const Value second = arguments.get(1, {"target", "weight", "num_classes"});
  if (name == "embedding" || name == "embedding_bag") {
    uses_.index(first, dimension_of(second, number_value("0")));
    if (!first.shape || !second.shape || second.shape->size() != 2 || name != "embedding")
      return {};
    std::vector<Size> shape = *first.shape;
    shape.push_back(second.shape->back());
    return shaped(shape);
  }
  if (name == "one_hot") {
    uses_.index(first, second.number);
    if (!first.shape) return {};
    std::vector<Size> shape = *first.shape;
    shape.push_back(second.number);
    return shaped(shape);
  }
  if (name == "bincount") {
    Value any = first;
    any.wraps = true;
    uses_.index(any, arguments.get(2, {"minlength"}).number);
    return {};
  }
  const bool batched = first.shape && first.shape->size() > 1;
  uses_.index(second, dimension_of(first, number_value(batched ? "1" : "0")));
  return {};
}

// torch.split(x, lengths, dim)
Value ReferenceReader::split_call(const ReferenceArguments& arguments) {
  const Value subject = arguments.get(0, {"tensor", "input"});
  Value dimension = arguments.get(2, {"dim"});
  if (dimension.number.empty()) dimension = number_value("0");
  uses_.sum(arguments.get(1, {"split_size_or_sections", "split_size", "split_sizes"}),
            dimension_of(subject, dimension));
  Value out = numbers_alone(subject);
  if (const auto place = place_of(subject, dimension)) {
    out.shape = subject.shape;
    (*out.shape)[*place].clear();
    out.shape->insert(out.shape->begin(), "");
  }
  return out;
}

// The dimension becomes as long as the counts' sum, which an output may say.
Value ReferenceReader::repeated(const ReferenceArguments& arguments) {
  const Value subject = arguments.get(0, {"input"});
  const Value counts = arguments.get(1, {"repeats"});
  const Value dimension = arguments.get(2, {"dim"});
  Value out = numbers_alone(subject);
  std::string input = counts.difference;
  if (counts.terms.size() == 1 && counts.is_plain()) {
    input = counts.terms[0];
    uses_.sum(counts, arguments.get(99, {"output_size"}).number);
  }
  const bool one = subject.shape && subject.shape->size() == 1;
  const auto place = one ? std::optional<std::size_t>(0) : place_of(subject, dimension);
  if (!place) return out;
  out.shape = subject.shape;
  (*out.shape)[*place] = input.empty() ? "" : fmt::format("sum({})", input);
  return out;
}

// x.narrow(dim, start, length)
Value ReferenceReader::narrowed(const ReferenceArguments& arguments) {
  const Value subject = arguments.get(0, {"input"});
  const Value start = arguments.get(2, {"start"});
  const Value length = arguments.get(3, {"length"});
  const Value dimension = arguments.get(1, {"dim"});
  uses_.slice(start, arithmetic("+", start, length), dimension_of(subject, dimension));
  Value out = numbers_alone(subject);
  if (const auto place = place_of(subject, dimension)) {
    out.shape = subject.shape;
    (*out.shape)[*place] = length.number;
  }
  return out;
}

}  // namespace kbench
