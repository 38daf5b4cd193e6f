#include "problem/data/safetensors.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

std::string length_of(std::uint64_t length) {
  std::string text(8, '\0');
  for (int i = 0; i < 8; ++i) text[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return text;
}

// A file with this header and so many data bytes.
std::string file_of(const std::string& header, std::size_t bytes) {
  return length_of(header.size()) + header + std::string(bytes, '\1');
}

struct Parsed {
  std::optional<SafetensorsHeader> header;
  std::string message;  // of the first problem
  std::string hint;
  std::size_t problems = 0;
};

Parsed parse(const std::string& content) {
  Diagnostics diagnostics;
  Parsed parsed;
  parsed.header = parse_safetensors(std::as_bytes(std::span(content)), "f", diagnostics);
  parsed.problems = diagnostics.errors();
  if (!diagnostics.empty()) {
    parsed.message = diagnostics.items()[0].message;
    parsed.hint = diagnostics.items()[0].hint;
    EXPECT_EQ(diagnostics.items()[0].where.file, "f");
  }
  EXPECT_EQ(parsed.header.has_value(), diagnostics.errors() == 0);
  return parsed;
}

TEST(Safetensors, ReadsAHeader) {
  const auto parsed = parse(file_of(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[6,14]},)"
      R"("a":{"dtype":"BF16","shape":[1,3],"data_offsets":[0,6]}}    )",
      14));
  ASSERT_TRUE(parsed.header) << parsed.message;
  ASSERT_EQ(parsed.header->tensors.size(), 2U);
  const StoredTensor& first = parsed.header->tensors[0];
  EXPECT_EQ(first.name, "a");
  EXPECT_EQ(first.dtype, DType::bfloat16);
  EXPECT_EQ(first.shape, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(first.bytes, 6U);
  EXPECT_EQ(parsed.header->tensors[1].offset, first.offset + 6);
  EXPECT_EQ(parsed.header->metadata[0], (std::pair<std::string, std::string>("format", "pt")));
}

TEST(Safetensors, ReadsEmptyScalarAndForeignTensors) {
  const auto parsed =
      parse(file_of(R"({"e":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]},)"
                    R"("s":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                    R"("p":{"dtype":"F4","shape":[4],"data_offsets":[8,10]},)"
                    R"("u":{"dtype":"U8","shape":[1],"data_offsets":[10,11],"more":1}})",
                    11));
  ASSERT_TRUE(parsed.header) << parsed.message;
  ASSERT_EQ(parsed.header->tensors.size(), 4U);
  EXPECT_FALSE(parsed.header->tensors[1].dtype.has_value());
  EXPECT_EQ(parsed.header->tensors[2].dtype, DType::float4_e2m1);
  EXPECT_TRUE(parse(file_of("{}", 0)).header);
}

struct Lie {
  const char* label;
  std::string content;
  const char* message;
};

std::string one(const std::string& tensor, std::size_t bytes) {
  return file_of(R"({"x":)" + tensor + "}", bytes);
}

std::string f32(const std::string& members, std::size_t bytes) {
  return one(R"({"dtype":"F32",)" + members + "}", bytes);
}

class Lies : public testing::TestWithParam<Lie> {};

TEST_P(Lies, AreFound) {
  const Parsed parsed = parse(GetParam().content);
  EXPECT_FALSE(parsed.header.has_value());
  EXPECT_NE(parsed.message.find(GetParam().message), std::string::npos) << parsed.message;
}

const Lie lies[] = {
    {"EmptyFile", "", "0 bytes, 8 are"},
    {"ShortFile", "1234567", "7 bytes, 8 are"},
    {"HeaderBeyondFile", length_of(100) + "{}", "the header's length is 100"},
    {"HeaderLengthAlmost64Bits", length_of(~std::uint64_t{0}) + "{}",
     "the header's length is 18446744073709551615"},
    {"HeaderOverLimit", length_of(100'000'001) + std::string(100'000'001, ' '), "limit 100000000"},
    {"HeaderEmpty", length_of(0), "not valid JSON"},
    {"InvalidJson", file_of("{\"x\":", 0), "not valid JSON"},
    {"TrailingJson", file_of("{} {}", 0), "not valid JSON"},
    {"InvalidUtf8", file_of("{\"\xff\":1}", 0), "not valid JSON"},
    {"HugeNumber", f32(R"("shape":[1e999],"data_offsets":[0,4])", 4), "not valid JSON"},
    {"NotAnObject", file_of("[1]", 0), "not a JSON object"},
    {"NullHeader", file_of("null", 0), "not a JSON object"},
    {"SpaceBeforeTheHeader", file_of(" {}", 0), "that begins with '{' at byte 8"},
    {"FilledUpWithNul", file_of(std::string("{}\0\0", 4), 0), "the header has a NUL (byte 10)"},
    {"TensorNotAnObject", one("3", 0), "'x': not an object"},
    {"NoDtype", one(R"({"shape":[1],"data_offsets":[0,4]})", 4), "'x': not an object with dtype"},
    {"DtypeNotAString", one(R"({"dtype":1,"shape":[1],"data_offsets":[0,4]})", 4),
     "'x': not an object with dtype"},
    {"UnknownDtype", one(R"({"dtype":"F33","shape":[1],"data_offsets":[0,4]})", 4),
     "'x': unknown dtype 'F33'"},
    {"NoShape", f32(R"("data_offsets":[0,4])", 4), "shape is not a list"},
    {"NegativeLength", f32(R"("shape":[-1],"data_offsets":[0,4])", 4), "shape is not a list"},
    {"FractionalLength", f32(R"("shape":[1.5],"data_offsets":[0,4])", 4), "shape is not a list"},
    {"LengthOver63Bits", f32(R"("shape":[18446744073709551615],"data_offsets":[0,4])", 4),
     "shape is not a list"},
    {"NoOffsets", f32(R"("shape":[1])", 4), "data_offsets is not"},
    {"OneOffset", f32(R"("shape":[1],"data_offsets":[0])", 4), "data_offsets is not"},
    {"OffsetsReversed", f32(R"("shape":[1],"data_offsets":[4,0])", 4), "data_offsets is not"},
    {"SizeIsNotShape", f32(R"("shape":[2],"data_offsets":[0,4])", 4),
     "'x': F32 [2] takes 8 bytes, data_offsets give 4"},
    {"ProductOverflows", f32(R"("shape":[4294967296,4294967296],"data_offsets":[0,0])", 0),
     "takes no whole number of bytes"},
    {"HalfAByte", one(R"({"dtype":"F4","shape":[3],"data_offsets":[0,2]})", 2),
     "takes no whole number of bytes"},
    {"BeyondFile", f32(R"("shape":[2],"data_offsets":[0,8])", 4), "leave the file's 4 data bytes"},
    {"FarBeyondFile",
     one(R"({"dtype":"U8","shape":[4],"data_offsets":[9223372036854775800,9223372036854775804]})",
         4),
     "leave the file's 4 data bytes"},
    {"TrailingBytes", f32(R"("shape":[1],"data_offsets":[0,4])", 5),
     "1 bytes after the last tensor"},
    {"BytesWithoutTensors", file_of("{}", 3), "3 bytes after the last tensor"},
    {"FirstNotAtZero", f32(R"("shape":[1],"data_offsets":[4,8])", 8), "begins at 4"},
    {"Overlap",
     file_of(
         R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
         6),
     "'y': begins at 2, where the tensor before ends at 4"},
    {"Hole",
     file_of(
         R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})",
         6),
     "'y': begins at 4, where the tensor before ends at 2"},
    {"NameTwice",
     file_of(
         R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
         2),
     "the key 'x' twice"},
    {"KeyTwice", one(R"({"dtype":"U8","shape":[2],"shape":[2],"data_offsets":[0,2]})", 2),
     "the key 'shape' twice"},
    {"MetadataNotStrings", file_of(R"({"__metadata__":{"a":1}})", 0), "'__metadata__' is not"},
    {"MetadataNotAnObject", file_of(R"({"__metadata__":[]})", 0), "'__metadata__' is not"},
    {"LfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
     "Git LFS pointer"},
};

INSTANTIATE_TEST_SUITE_P(Safetensors, Lies, testing::ValuesIn(lies),
                         [](const auto& info) { return info.param.label; });

TEST(Safetensors, AnLfsPointerSaysWhatToDo) {
  EXPECT_NE(parse("version https://git-lfs.github.com/spec/v1\n").hint.find("git lfs pull"),
            std::string::npos);
}

TEST(Safetensors, ManyProblemsAreCutShort) {
  std::string header = "{";
  for (int i = 0; i < 1000; ++i) header += "\"t" + std::to_string(i) + "\":0,";
  const Parsed parsed = parse(file_of(header + "\"z\":0}", 0));
  EXPECT_GE(parsed.problems, 10U);
  EXPECT_LE(parsed.problems, 30U);
}

TEST(Safetensors, DeepNestingIsNoProblem) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_FALSE(parse(file_of(R"({"x":)" + deep + "}", 0)).header.has_value());
}

TEST(Safetensors, FilesThatAreNone) {
  const TempFolder folder;
  Diagnostics diagnostics;
  EXPECT_FALSE(SafetensorsFile::open(folder.path() / "missing", diagnostics));
  EXPECT_NE(diagnostics.items().back().message.find("No such file"), std::string::npos);
  EXPECT_FALSE(SafetensorsFile::open(folder.path(), diagnostics));
  EXPECT_EQ(diagnostics.items().back().message, "is no regular file");
  const std::string fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(SafetensorsFile::open(fifo, diagnostics));
  EXPECT_EQ(diagnostics.items().back().message, "is no regular file");
  const std::string empty = folder.path() / "empty";
  write_file(empty, "");
  EXPECT_FALSE(SafetensorsFile::open(empty, diagnostics));
  EXPECT_EQ(diagnostics.items().back().where.file, empty);
  EXPECT_EQ(diagnostics.errors(), 4U);
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  const TempFolder folder;
  const std::string path = folder.path() / "written";
  std::vector<std::vector<std::byte>> data;
  std::vector<NamedTensor> tensors;
  for (const DTypeInfo& row : dtypes()) {
    data.emplace_back(storage_bytes(row.dtype, 6));
    for (std::size_t i = 0; i < data.back().size(); ++i)
      data.back()[i] = static_cast<std::byte>(i * 7 + 1);
  }
  for (const DTypeInfo& row : dtypes()) {
    const auto& bytes = data[static_cast<std::size_t>(row.dtype)];
    tensors.push_back({std::string(row.name), {row.dtype, {2, 3}, bytes.data(), bytes.size()}});
  }
  const std::pair<std::string, std::string> metadata[] = {{"made by", "\"kbench\""}};
  write_safetensors(path, tensors, metadata);
  Diagnostics diagnostics;
  const auto file = SafetensorsFile::open(path, diagnostics);
  ASSERT_TRUE(file.has_value()) << (diagnostics.empty() ? "" : diagnostics.items()[0].message);
  EXPECT_EQ(file->header().tensors.size(), dtypes().size());
  EXPECT_EQ(file->header().metadata.at(0).second, "\"kbench\"");
  for (const NamedTensor& tensor : tensors) {
    const StoredTensor* stored = file->find(tensor.name);
    ASSERT_NE(stored, nullptr);
    const TensorView view = file->view(*stored);
    EXPECT_EQ(view.dtype, tensor.tensor.dtype);
    EXPECT_EQ(view.shape, tensor.tensor.shape);
    ASSERT_EQ(view.bytes, tensor.tensor.bytes);
    EXPECT_EQ(std::memcmp(view.data, tensor.tensor.data, view.bytes), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % std::max(1, info(view.dtype).bits / 8),
              0U);
  }
  EXPECT_EQ(file->find("float64"), nullptr);
}

// Whatever a header says: no crash, and what is accepted lies inside the file and fills it.
void check_accepted(const std::string& content, const SafetensorsHeader& header) {
  std::size_t sum = 0;
  for (const StoredTensor& tensor : header.tensors) {
    ASSERT_LE(tensor.offset + tensor.bytes, content.size());
    ASSERT_GE(tensor.offset, 8U);
    if (tensor.dtype) {
      ASSERT_EQ(tensor.bytes, storage_bytes(*tensor.dtype, element_count(tensor.shape)));
    }
    sum += tensor.bytes;
  }
  ASSERT_LE(sum + 8, content.size());
}

TEST(Safetensors, MutatedFilesNeverMislead) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("index":{"dtype":"I64","shape":[2],"data_offsets":[24,40]},"m":{"dtype":"BOOL","shape":[],"data_offsets":[40,41]}})";
  const std::string original = file_of(header, 41);
  ASSERT_TRUE(parse(original).header);
  const std::string alphabet = "0123456789,:[]{}\"-.eE \\FIU";
  std::mt19937 random(11);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string content = original;
    for (unsigned change = random() % 3 + 1; change-- > 0;) {
      const std::size_t at = random() % (random() % 4 == 0 ? 8 : 8 + header.size());
      switch (random() % 4) {
        case 0:
          content[at] = static_cast<char>(random());
          break;
        case 1:
          content[at] = alphabet[random() % alphabet.size()];
          break;
        case 2:
          content.erase(at, random() % 4);
          break;
        default:
          content.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
      }
    }
    Diagnostics diagnostics;
    const auto result = parse_safetensors(std::as_bytes(std::span(content)), "f", diagnostics);
    ASSERT_EQ(result.has_value(), diagnostics.errors() == 0);
    if (result) check_accepted(content, *result), ++accepted;
  }
  EXPECT_GT(accepted, 0);
  for (std::size_t size = 0; size < original.size(); ++size) {
    EXPECT_FALSE(parse(original.substr(0, size)).header.has_value()) << size;
  }
}

}  // namespace
}  // namespace kbench
