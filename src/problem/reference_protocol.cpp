#include "problem/reference_protocol.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kbench {
namespace {

using Json = nlohmann::json;

// Doubles travel as C99 hexadecimal text: exact, and JSON has no NaN and no infinity.
std::string number_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

double text_number(const Json& value) {
  return std::strtod(value.get_ref<const std::string&>().c_str(), nullptr);
}

DType dtype_named(const Json& name) {
  const auto dtype = find_dtype(name.get_ref<const std::string&>());
  if (!dtype) throw std::runtime_error("unknown dtype in a message");
  return *dtype;
}

Json scalar_to_json(const Scalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) return *integer;
  if (const auto* truth = std::get_if<bool>(&scalar)) return *truth;
  return number_text(std::get<double>(scalar));
}

Scalar scalar_from_json(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return text_number(value);
}

Json argument_to_json(const ReferenceArgument& argument) {
  Json out = {{"name", argument.name}, {"dtype", info(argument.dtype).name}};
  if (argument.is_scalar) {
    out["scalar"] = scalar_to_json(argument.scalar);
  } else {
    out["shape"] = argument.shape;
    out["offset"] = argument.offset;
    out["bytes"] = argument.bytes;
    if (argument.is_double) out["double"] = true;
  }
  return out;
}

ReferenceArgument argument_from_json(const Json& value) {
  ReferenceArgument argument{.name = value.at("name"), .dtype = dtype_named(value.at("dtype"))};
  argument.is_scalar = value.contains("scalar");
  if (argument.is_scalar) {
    argument.scalar = scalar_from_json(value.at("scalar"));
  } else {
    argument.shape = value.at("shape").get<std::vector<std::int64_t>>();
    argument.offset = value.at("offset");
    argument.bytes = value.at("bytes");
    argument.is_double = value.contains("double");
  }
  return argument;
}

Json output_to_json(const ReferenceOutput& output) {
  return {{"dtype", info(output.dtype).name},
          {"shape", output.shape},
          {"offset", output.offset},
          {"bytes", output.bytes}};
}

ReferenceOutput output_from_json(const Json& value) {
  return {dtype_named(value.at("dtype")), value.at("shape").get<std::vector<std::int64_t>>(),
          value.at("offset"), value.at("bytes")};
}

Json exact_effort_to_json(const ExactEffort& effort) {
  Json moves = Json::array();
  for (const double move : effort.moves) moves.push_back(number_text(move));
  return {{"wanted", effort.wanted},  {"least", effort.least_runs},
          {"most", effort.most_runs}, {"budget", number_text(effort.budget_seconds)},
          {"moves", moves},           {"decay_steps", number_text(effort.decay_steps)}};
}

ExactEffort exact_effort_from_json(const Json& value) {
  ExactEffort effort{
      value.at("wanted"), value.at("least"), value.at("most"), text_number(value.at("budget")), {}};
  for (const Json& move : value.at("moves")) effort.moves.push_back(text_number(move));
  effort.decay_steps = text_number(value.at("decay_steps"));
  return effort;
}

Json part_to_json(const MemoryPart& part) { return {part.offset, part.count}; }

MemoryPart part_from_json(const Json& value) { return {value.at(0), value.at(1)}; }

Json moved_to_json(const std::vector<MovedOutput>& moved) {
  Json out = Json::array();
  for (const MovedOutput& one : moved)
    out.push_back({part_to_json(one.seen), number_text(one.per_run)});
  return out;
}

std::vector<MovedOutput> moved_from_json(const Json& value) {
  std::vector<MovedOutput> out;
  for (const Json& one : value) out.push_back({part_from_json(one.at(0)), text_number(one.at(1))});
  return out;
}

Json slopes_to_json(const std::vector<Slope>& slopes) {
  Json out = Json::array();
  for (const Slope& slope : slopes)
    out.push_back({number_text(slope.by_gradient), number_text(slope.by_difference),
                   number_text(slope.size), number_text(slope.noise)});
  return out;
}

std::vector<Slope> slopes_from_json(const Json& value) {
  std::vector<Slope> out;
  for (const Json& slope : value)
    out.push_back({text_number(slope.at(0)), text_number(slope.at(1)), text_number(slope.at(2)),
                   text_number(slope.at(3))});
  return out;
}

Json exact_to_json(const ExactOutput& output) {
  return {{"floating", output.is_floating},
          {"dtype", info(output.dtype).name},
          {"shape", output.shape},
          {"offset", output.offset},
          {"bytes", output.bytes},
          {"condition", output.condition_offset},
          {"rounding", static_cast<std::int64_t>(output.rounding)},
          {"choice_rows", part_to_json(output.choice_rows)},
          {"slots", part_to_json(output.slots)},
          {"options", part_to_json(output.options)},
          {"scores", part_to_json(output.scores)},
          {"score_condition", part_to_json(output.score_condition)},
          {"moved", moved_to_json(output.moved)},
          {"after_product", output.after_product},
          {"after_codes", output.after_codes},
          {"only_sums", output.only_sums},
          {"uncertain", output.is_uncertain},
          {"roundings", part_to_json(output.roundings)}};
}

ExactOutput exact_from_json(const Json& value) {
  ExactOutput output;
  output.is_floating = value.at("floating");
  output.dtype = dtype_named(value.at("dtype"));
  output.shape = value.at("shape").get<std::vector<std::int64_t>>();
  output.offset = value.at("offset");
  output.bytes = value.at("bytes");
  output.condition_offset = value.at("condition");
  output.rounding = static_cast<Rounding>(value.at("rounding").get<std::int64_t>());
  output.choice_rows = part_from_json(value.at("choice_rows"));
  output.slots = part_from_json(value.at("slots"));
  output.options = part_from_json(value.at("options"));
  output.scores = part_from_json(value.at("scores"));
  output.score_condition = part_from_json(value.at("score_condition"));
  output.moved = moved_from_json(value.at("moved"));
  output.after_product = value.at("after_product");
  output.after_codes = value.at("after_codes");
  output.only_sums = value.at("only_sums");
  output.is_uncertain = value.at("uncertain");
  output.roundings = part_from_json(value.at("roundings"));
  return output;
}

Json watched_to_json(const WatchedCall& call) {
  Json uses = Json::array();
  for (const SeenUse& use : call.uses)
    uses.push_back({use.compared, use.index_of.value_or(-1), static_cast<int>(use.need)});
  Json out = {{"uses", uses}, {"wraps", call.wraps}, {"unsteady", call.unsteady}};
  if (call.flops) out["flops"] = number_text(*call.flops);
  if (call.bytes_read) out["bytes_read"] = number_text(*call.bytes_read);
  return out;
}

WatchedCall watched_from_json(const Json& value) {
  WatchedCall call;
  for (const Json& use : value.at("uses")) {
    const auto index_of = use.at(1).get<std::int64_t>();
    call.uses.push_back({use.at(0).get<std::vector<std::int64_t>>(),
                         index_of < 0 ? std::nullopt : std::optional(index_of),
                         static_cast<InputNeed>(use.at(2).get<int>())});
  }
  call.wraps = value.at("wraps");
  call.unsteady = value.at("unsteady");
  if (value.contains("flops")) call.flops = text_number(value.at("flops"));
  if (value.contains("bytes_read")) call.bytes_read = text_number(value.at("bytes_read"));
  return call;
}

ReferenceRequest request_from_json(const Json& value) {
  ReferenceRequest request;
  request.kind = static_cast<ReferenceRequest::Kind>(value.at("kind").get<int>());
  request.arithmetic = static_cast<Arithmetic>(value.at("arithmetic").get<int>());
  request.evaluator = static_cast<Evaluator>(value.at("evaluator").get<int>());
  request.reference = value.at("reference");
  for (const Json& input : value.at("inputs")) request.inputs.push_back(argument_from_json(input));
  for (const Json& output : value.at("outputs"))
    request.outputs.push_back({output.at("name"), dtype_named(output.at("dtype"))});
  for (const Json& cotangent : value.at("cotangents"))
    request.cotangents.push_back(argument_from_json(cotangent));
  request.effort.watch = value.at("watch");
  request.exact = exact_effort_from_json(value.at("exact"));
  request.seconds = text_number(value.at("seconds"));
  request.bytes = value.at("bytes");
  request.threads = value.at("threads");
  return request;
}

ReferenceReply reply_from_json(const Json& value) {
  ReferenceReply reply;
  reply.outcome = static_cast<ReferenceOutcome>(value.at("outcome").get<int>());
  reply.message = value.at("message");
  reply.line = value.at("line");
  for (const Json& output : value.at("outputs")) reply.outputs.push_back(output_from_json(output));
  reply.call_ns = text_number(value.at("call_ns"));
  reply.written = value.at("written").get<std::vector<std::string>>();
  reply.watched = watched_from_json(value.at("watched"));
  for (const Json& output : value.at("exact")) reply.exact.push_back(exact_from_json(output));
  reply.perturbed_runs = value.at("perturbed_runs");
  reply.rounded_runs = value.at("rounded_runs");
  reply.makes_codes = value.at("makes_codes");
  reply.longest_sum = text_number(value.at("longest_sum"));
  reply.shares_an_error = value.at("shares_an_error");
  reply.uses_picks = value.at("uses_picks");
  reply.gradients_of = value.at("gradients_of").get<std::vector<std::string>>();
  reply.unused = value.at("unused").get<std::vector<std::string>>();
  reply.slopes = slopes_from_json(value.at("slopes"));
  if (value.contains("refusal")) reply.refusal = value.at("refusal");
  if (value.contains("residual")) reply.residual = text_number(value.at("residual"));
  return reply;
}

// A message of the user's may hold any bytes; what is no UTF-8 is replaced.
std::string reference_message(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string_view evaluator_name(Evaluator evaluator) {
  return evaluator == Evaluator::python ? "python" : "libtorch";
}

std::vector<std::string> torch_command(const std::filesystem::path& program, Evaluator evaluator,
                                       std::vector<std::string> words) {
  if (evaluator == Evaluator::python) words.insert(words.begin(), "--python");
  words.insert(words.begin(), program.string());
  return words;
}

std::string encode(const ReferenceRequest& request) {
  Json inputs = Json::array();
  for (const ReferenceArgument& input : request.inputs) inputs.push_back(argument_to_json(input));
  Json outputs = Json::array();
  for (const ReferenceResult& output : request.outputs)
    outputs.push_back({{"name", output.name}, {"dtype", info(output.dtype).name}});
  Json cotangents = Json::array();
  for (const ReferenceArgument& cotangent : request.cotangents)
    cotangents.push_back(argument_to_json(cotangent));
  return reference_message({{"kind", static_cast<int>(request.kind)},
                            {"arithmetic", static_cast<int>(request.arithmetic)},
                            {"evaluator", static_cast<int>(request.evaluator)},
                            {"reference", request.reference},
                            {"inputs", inputs},
                            {"outputs", outputs},
                            {"cotangents", cotangents},
                            {"watch", request.effort.watch},
                            {"exact", exact_effort_to_json(request.exact)},
                            {"seconds", number_text(request.seconds)},
                            {"bytes", request.bytes},
                            {"threads", request.threads}});
}

std::string encode(const ReferenceReply& reply) {
  Json outputs = Json::array();
  for (const ReferenceOutput& output : reply.outputs) outputs.push_back(output_to_json(output));
  Json exact = Json::array();
  for (const ExactOutput& output : reply.exact) exact.push_back(exact_to_json(output));
  Json out = {{"outcome", static_cast<int>(reply.outcome)},
              {"message", reply.message},
              {"line", reply.line},
              {"outputs", outputs},
              {"call_ns", number_text(reply.call_ns)},
              {"written", reply.written},
              {"watched", watched_to_json(reply.watched)},
              {"exact", exact},
              {"perturbed_runs", reply.perturbed_runs},
              {"rounded_runs", reply.rounded_runs},
              {"makes_codes", reply.makes_codes},
              {"longest_sum", number_text(reply.longest_sum)},
              {"shares_an_error", reply.shares_an_error},
              {"uses_picks", reply.uses_picks},
              {"gradients_of", reply.gradients_of},
              {"unused", reply.unused},
              {"slopes", slopes_to_json(reply.slopes)}};
  if (!reply.refusal.empty()) out["refusal"] = reply.refusal;
  if (reply.residual != 0) out["residual"] = number_text(reply.residual);
  return reference_message(out);
}

ReferenceRequest decode_reference_request(std::string_view text) try {
  return request_from_json(Json::parse(text));
} catch (const Json::exception& error) {
  throw std::runtime_error(std::string("a request cannot be read: ") + error.what());
}

ReferenceReply decode_reference_reply(std::string_view text) try {
  return reply_from_json(Json::parse(text));
} catch (const Json::exception& error) {
  throw std::runtime_error(std::string("a reply cannot be read: ") + error.what());
}

}  // namespace kbench
