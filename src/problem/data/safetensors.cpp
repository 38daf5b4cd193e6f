#include "problem/data/safetensors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/confined.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

using Json = nlohmann::json;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

struct StoredDType {
  std::string_view name;
  int bits;
};
// Every dtype of safetensors 0.7; the table of dtypes says which of them are ours.
constexpr StoredDType stored_dtypes[] = {
    {"BOOL", 8},    {"U8", 8},          {"I8", 8},      {"F4", 4},      {"F6_E2M3", 6},
    {"F6_E3M2", 6}, {"F8_E5M2", 8},     {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"U16", 16},    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"F16", 16},    {"BF16", 16},
    {"U32", 32},    {"I32", 32},        {"F32", 32},    {"U64", 64},    {"I64", 64},
    {"F64", 64},    {"C64", 64},
};

int bits_of(std::string_view name) {
  for (const StoredDType& row : stored_dtypes)
    if (row.name == name) return row.bits;
  return 0;
}

std::optional<DType> our_dtype(std::string_view name) {
  for (const DTypeInfo& row : dtypes())
    if (row.safetensors == name) return row.dtype;
  return std::nullopt;
}

// Reports one file's problems.
class Reporter {
 public:
  Reporter(const std::string& path, Diagnostics& diagnostics)
      : path_(path), diagnostics_(diagnostics), before_(diagnostics.errors()) {}
  void error(std::string message, std::string hint = "") {
    diagnostics_.error({path_}, std::move(message), std::move(hint));
  }
  bool clean() const { return diagnostics_.errors() == before_; }
  bool enough() const { return diagnostics_.errors() >= before_ + 20; }

 private:
  const std::string& path_;
  Diagnostics& diagnostics_;
  std::size_t before_;
};

void report_twice(const json::Value& value, Reporter& reporter) {
  std::set<std::string_view> seen;
  for (const json::Member& member : value.members) {
    if (!seen.insert(member.key).second)
      reporter.error(fmt::format("the header has the key '{}' twice", member.key));
    report_twice(member.value, reporter);
  }
}

// Parses the header's text; keys given twice, which a JSON library silently drops, are reported.
std::optional<Json> parse_json(std::string_view text, Reporter& reporter) {
  json::Memory memory;
  Diagnostics ignored;  // the other parser says what is wrong; its own watch of keys is quadratic
  const Source source{"", std::string(text)};
  report_twice(json::parse(source, 0, text.size(), memory, ignored), reporter);
  try {
    return Json::parse(text);
  } catch (const Json::exception& problem) {
    std::string_view why = problem.what();
    why.remove_prefix(std::min(why.find("] ") + 2, why.size()));  // the exception's own name
    reporter.error(fmt::format("the header is not valid JSON: {:.200}", why));
    return std::nullopt;
  }
}

// Returns the bytes of a shape; nothing above 63 bits or where half a byte is left over.
std::optional<std::uint64_t> bytes_of(const std::vector<std::int64_t>& shape, int bits) {
  std::uint64_t total = static_cast<std::uint64_t>(bits);
  for (const std::int64_t length : shape) {
    if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(length), &total))
      return std::nullopt;
  }
  if (total % 8 != 0 || total > INT64_MAX) return std::nullopt;
  return total / 8;
}

bool is_count(const Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= INT64_MAX;
}

std::optional<std::vector<std::int64_t>> counts(const Json& tensor, const char* key) {
  const auto found = tensor.find(key);
  if (found == tensor.end() || !found->is_array()) return std::nullopt;
  if (!std::all_of(found->begin(), found->end(), is_count)) return std::nullopt;
  return found->get<std::vector<std::int64_t>>();
}

// Reads dtype, shape and data_offsets of an entry; offsets still count from the header's end.
std::optional<StoredTensor> read_entry(const std::string& name, const Json& entry,
                                       Reporter& reporter) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string()) {
    reporter.error(fmt::format("'{}': not an object with dtype, shape and data_offsets", name));
    return std::nullopt;
  }
  const auto shape = counts(entry, "shape");
  if (!shape) {
    reporter.error(fmt::format("'{}': shape is not a list of lengths", name));
    return std::nullopt;
  }
  const auto offsets = counts(entry, "data_offsets");
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1]) {
    reporter.error(fmt::format("'{}': data_offsets is not [begin, end] with begin <= end", name));
    return std::nullopt;
  }
  StoredTensor tensor{name, entry["dtype"].get<std::string>(), {}, *shape, 0, 0};
  tensor.dtype = our_dtype(tensor.dtype_name);
  tensor.offset = static_cast<std::size_t>((*offsets)[0]);
  tensor.bytes = static_cast<std::size_t>((*offsets)[1] - (*offsets)[0]);
  return tensor;
}

std::optional<StoredTensor> parse_tensor(const std::string& name, const Json& entry,
                                         Reporter& reporter) {
  auto tensor = read_entry(name, entry, reporter);
  if (!tensor) return std::nullopt;
  const int bits = bits_of(tensor->dtype_name);
  if (bits == 0) {
    reporter.error(fmt::format("'{}': unknown dtype '{}'", name, tensor->dtype_name));
    return std::nullopt;
  }
  const auto expected = bytes_of(tensor->shape, bits);
  if (!expected || *expected != tensor->bytes) {
    reporter.error(fmt::format("'{}': {} {} takes {} bytes, data_offsets give {}", name,
                               tensor->dtype_name, shape_text(tensor->shape),
                               expected ? std::to_string(*expected) : "no whole number of",
                               tensor->bytes));
    return std::nullopt;
  }
  return tensor;
}

void parse_metadata(const Json& entry, SafetensorsHeader& header, Reporter& reporter) {
  const bool strings =
      entry.is_object() &&
      std::all_of(entry.begin(), entry.end(), [](const Json& v) { return v.is_string(); });
  if (!strings) return reporter.error("'__metadata__' is not an object of strings");
  for (const auto& [key, value] : entry.items())
    header.metadata.emplace_back(key, value.get<std::string>());
}

// Puts the tensors in the order of their bytes and checks that they fill `size` bytes exactly.
void check_layout(std::vector<StoredTensor>& tensors, std::size_t size, Reporter& reporter) {
  std::stable_sort(
      tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
        return std::pair(a.offset, a.offset + a.bytes) < std::pair(b.offset, b.offset + b.bytes);
      });
  std::size_t end = 0;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.offset > size || tensor.bytes > size - tensor.offset) {
      return reporter.error(
          fmt::format("'{}': data_offsets [{}, {}] leave the file's {} data bytes", tensor.name,
                      tensor.offset, tensor.offset + tensor.bytes, size),
          "the file may be cut short: copy it again");
    }
    if (tensor.offset != end) {
      return reporter.error(fmt::format("'{}': begins at {}, where the tensor before ends at {}",
                                        tensor.name, tensor.offset, end));
    }
    end += tensor.bytes;
  }
  if (end != size) reporter.error(fmt::format("{} bytes after the last tensor", size - end));
}

// The header's text, its length checked.
std::optional<std::string_view> header_text(std::span<const std::byte> file, Reporter& reporter) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (is_lfs_pointer(text)) {
    reporter.error(std::string(lfs_message), std::string(lfs_hint));
    return std::nullopt;
  }
  if (file.size() < length_bytes) {
    reporter.error(
        fmt::format("is no safetensors file: {} bytes, 8 are its header's length", file.size()));
    return std::nullopt;
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= static_cast<std::uint64_t>(file[i]) << (8 * i);
  if (length > longest_header || length > file.size() - length_bytes) {
    reporter.error(fmt::format("the header's length is {}, the file has {} bytes (limit {})",
                               length, file.size(), longest_header),
                   "it is cut short, or no safetensors file");
    return std::nullopt;
  }
  return text.substr(length_bytes, length);
}

// The format's own words: a header begins with `{`, and what fills it up at its end is spaces. The
// JSON library skips spaces before it, and takes a NUL for the end.
bool has_legal_bytes(std::string_view header, Reporter& reporter) {
  if (!header.empty() && header.front() != '{') {
    reporter.error(fmt::format("the header is not a JSON object that begins with '{{' at byte {}",
                               length_bytes));
    return false;
  }
  const std::size_t nul = header.find('\0');
  if (nul == std::string_view::npos) return true;
  reporter.error(fmt::format("the header has a NUL (byte {})", length_bytes + nul),
                 "a header is filled up with spaces");
  return false;
}

}  // namespace

std::optional<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file,
                                                   const std::string& path,
                                                   Diagnostics& diagnostics) {
  Reporter reporter(path, diagnostics);
  const auto text = header_text(file, reporter);
  if (!text || !has_legal_bytes(*text, reporter)) return std::nullopt;
  const auto json = parse_json(*text, reporter);
  if (!json) return std::nullopt;
  SafetensorsHeader header;
  for (const auto& [name, entry] : json->items()) {
    if (reporter.enough()) break;
    if (name == "__metadata__") {
      parse_metadata(entry, header, reporter);
    } else if (auto tensor = parse_tensor(name, entry, reporter)) {
      header.tensors.push_back(std::move(*tensor));
    }
  }
  const std::size_t begin = length_bytes + text->size();
  if (reporter.clean()) check_layout(header.tensors, file.size() - begin, reporter);
  if (!reporter.clean()) return std::nullopt;
  for (StoredTensor& tensor : header.tensors) tensor.offset += begin;
  return header;
}

std::string holds_text(const SafetensorsHeader& header) {
  if (header.tensors.empty()) return "it holds no tensor";
  std::vector<std::string> names;
  for (const StoredTensor& tensor : header.tensors) names.push_back(tensor.name);
  return "it holds " + join(names, ", ");
}

std::optional<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path,
                                                     Diagnostics& diagnostics) try {
  Reporter reporter(path.native(), diagnostics);
  // O_NONBLOCK, since opening a FIFO would wait for a writer.
  Fd fd = open_confined(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    reporter.error("is no regular file");
    return std::nullopt;
  }
  SafetensorsFile file;
  file.memory_ = SharedMemory::map_read_only(std::move(fd));
  auto header =
      parse_safetensors({file.memory_.data(), file.memory_.size()}, path.native(), diagnostics);
  if (!header) return std::nullopt;
  file.header_ = std::move(*header);
  for (std::size_t i = 0; i < file.header_.tensors.size(); ++i)
    file.places_.emplace(file.header_.tensors[i].name, i);
  return file;
} catch (const std::system_error& error) {
  Reporter(path.native(), diagnostics)
      .error(fmt::format("cannot be opened: {}", error.code().message()));
  return std::nullopt;
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &header_.tensors[found->second];
}

TensorView SafetensorsFile::view(const StoredTensor& tensor) const {
  return {tensor.dtype.value(), tensor.shape, memory_.data() + tensor.offset, tensor.bytes};
}

namespace {

struct Written {
  const std::string* name;
  std::string_view dtype;
  const std::vector<std::int64_t>* shape;
  std::string_view bytes;
};

std::string_view bytes_of(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

// Writes the tensors in the order given.
void write_tensors(const std::filesystem::path& path, std::span<const Written> tensors,
                   std::span<const std::pair<std::string, std::string>> metadata) {
  auto header = nlohmann::ordered_json::object();
  for (const auto& [key, value] : metadata) header["__metadata__"][key] = value;
  std::size_t end = 0;
  std::string data;
  for (const Written& tensor : tensors) {
    const std::size_t begin = std::exchange(end, end + tensor.bytes.size());
    header[*tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", *tensor.shape}, {"data_offsets", {begin, end}}};
    data.append(tensor.bytes);
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string content;
  for (std::size_t i = 0; i < length_bytes; ++i)
    content.push_back(static_cast<char>(text.size() >> (8 * i) & 0xff));
  write_file(path, content + text + data);
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       std::span<const std::pair<std::string, std::string>> metadata) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& tensor : tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
    return info(a->tensor.dtype).bits > info(b->tensor.dtype).bits;
  });
  std::vector<Written> written;
  for (const NamedTensor* named : order) {
    const TensorView& tensor = named->tensor;
    written.push_back({&named->name, info(tensor.dtype).safetensors, &tensor.shape,
                       bytes_of(tensor.data, tensor.bytes)});
  }
  write_tensors(path, written, metadata);
}

void write_safetensors(const std::filesystem::path& path, std::span<const NamedDoubles> tensors,
                       std::span<const std::pair<std::string, std::string>> metadata) {
  std::vector<Written> written;
  for (const NamedDoubles& tensor : tensors) {
    written.push_back({&tensor.name, "F64", &tensor.shape,
                       bytes_of(tensor.values.data(), tensor.values.size_bytes())});
  }
  write_tensors(path, written, metadata);
}

}  // namespace kbench
