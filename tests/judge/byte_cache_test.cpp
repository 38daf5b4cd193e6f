// Indexers that read a cache of bytes: float8 numbers of a page, then a float32 scale of each
// token, as FlashInfer's for DeepSeek do. Other orders and other honest scores are right.
#include <gtest/gtest.h>

#include "judge/beside_case.hpp"

namespace kbench {
namespace {

constexpr std::int64_t pages = 24, tokens = 16, heads = 4, width = 32, batch = 3, most = 10;

// Pages, each with the numbers of all its tokens and then their scales.
std::vector<std::uint8_t> cache_bytes() {
  std::vector<std::uint8_t> out;
  for (std::int64_t page = 0; page < pages; ++page) {
    const auto seed = static_cast<std::uint64_t>(page + 5);
    std::vector<double> x = numbers(static_cast<std::size_t>(tokens * width), seed);
    for (double& value : x) value *= 200;
    for (const std::uint8_t byte : stored(DType::float8_e4m3fn, x)) out.push_back(byte);
    std::vector<double> scales = numbers(static_cast<std::size_t>(tokens), seed + 100);
    for (double& scale : scales) scale = 0.01 + 0.002 * scale;
    for (const std::uint8_t byte : stored(DType::float32, scales)) out.push_back(byte);
  }
  return out;
}

struct Indexer {
  std::string bytes = "cache.view(torch.uint8)";
  std::string key = "numbers * scale";
  std::string score = "torch.relu(query @ keys[:n].T)";
  std::string picks = "torch.topk(scores, k)[1]";
  std::string query = "q[b].to(torch.float32)";

  std::string text() const {
    return "import torch\n"
           "def keys_of(cache):\n"
           "    flat = " +
           bytes +
           ".view(24, 16 * 36)\n"
           "    numbers = flat[:, :512].contiguous().view(24, 16, 32)"
           ".view(torch.float8_e4m3fn).to(torch.float32)\n"
           "    scale = flat[:, 512:].contiguous().view(24, 16, 4).view(torch.float32)\n"
           "    return " +
           key +
           ", scale\n"
           "def run(q, cache, weights, lengths, table):\n"
           "    k_all, scale_all = keys_of(cache)\n"
           "    out = torch.full((3, 10), -1, dtype=torch.int32)\n"
           "    for b in range(3):\n"
           "        n = int(lengths[b])\n"
           "        page = table[b].to(torch.int64)\n"
           "        keys = k_all[page].reshape(-1, 32)\n"
           "        scale = scale_all[page].reshape(-1)[:n]\n"
           "        query = " +
           query +
           "\n"
           "        scores = (" +
           score +
           " * weights[b].unsqueeze(1)).sum(0)\n"
           "        k = min(10, n)\n"
           "        best = " +
           picks +
           "\n"
           "        out[b, :k] = (page[best // 16] * 16 + best % 16).to(torch.int32)\n"
           "    return out\n";
  }
  Case as_case(DType stored_as = DType::int8) const {
    Case c(text());
    c.tensor("q", DType::float8_e4m3fn, {batch, heads, width},
             stored(DType::float8_e4m3fn, numbers(batch * heads * width, 3)));
    c.tensor("cache", stored_as, {pages, tokens, 1, width + 4}, cache_bytes());
    c.tensor("weights", DType::float32, {batch, heads},
             stored(DType::float32, numbers(batch * heads, 4)));
    c.tensor("lengths", DType::int32, {batch}, std::vector<std::int32_t>{7, 61, 122});
    std::vector<std::int32_t> table;
    for (std::int32_t i = 0; i < 24; ++i) table.push_back(i * 7 % 24);
    c.tensor("table", DType::int32, {batch, 8}, table);
    c.output("indices", DType::int32).seal();
    for (const BoundInput& input : c.inputs.values)
      c.problem.inputs.push_back({{input.name, input.tensor.dtype, false, input.tensor.shape}, {}});
    return c;
  }
};

class ByteCache : public BesideTest {
 protected:
  static void expect(const Indexer& candidate, Status status, const Indexer& reference = {}) {
    for (const EvaluatorChoice choice : both_evaluators) {
      const Case c = reference.as_case(), other = candidate.as_case();
      const Verdict verdict = judge_beside(c, other, {"choice"}, choice);
      EXPECT_EQ(verdict.status, status) << name_of(choice) << ": " << verdict.detail;
    }
  }
};

TEST_F(ByteCache, OtherOrdersAndOtherHonestScoresAreRight) {
  expect({}, Status::passed);
  expect({.picks = "torch.topk(scores, k)[1].flip(0)"}, Status::passed);
  expect({.picks = "torch.sort(torch.topk(scores, k)[1])[0]"}, Status::passed);
  expect({.key = "numbers", .score = "torch.relu(query @ keys[:n].T) * scale"}, Status::passed);
  expect({.score = "torch.relu(keys[:n] @ query.T).T"}, Status::passed);
}

TEST_F(ByteCache, WrongScoresAreNot) {
  expect({.key = "numbers"}, Status::incorrect_numerical);
  expect({.picks = "torch.topk(scores, k, largest=False)[1]"}, Status::incorrect_numerical);
  expect({.score = "query @ keys[:n].T"}, Status::incorrect_numerical);
  expect({.picks = "torch.argsort(scores, descending=True)[:k].clamp(max=n - 2)"},
         Status::incorrect_numerical);
}

// The queries are bytes, too.
TEST_F(ByteCache, TheBytesOfAFloat8InputAreRead) {
  const Indexer bytes{.query = "q.view(torch.uint8)[b].view(torch.float8_e4m3fn).float()"};
  expect({}, Status::passed, bytes);
  expect({.picks = "torch.topk(scores, k)[1].flip(0)"}, Status::passed, bytes);
  expect({.key = "numbers"}, Status::incorrect_numerical, bytes);
}

}  // namespace
}  // namespace kbench
