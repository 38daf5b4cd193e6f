// Structured inputs where infinities and NaN come up, and where something is chosen.
#include "judge/structured_case.hpp"

namespace kbench::structured {
namespace {

class Special : public Structured {};

const Preparing with_special{.special = true};

Task relu() {
  Task task = softmax("float32", 18, 100);
  task.reference = "def run(x):\n    return torch.relu(x)\n";
  return task;
}

TEST_F(Special, MasksOfInfinitiesMayNotSpoilNumbers) {
  for (const std::string& dtype : dtypes) {
    const Task task = softmax(dtype, 18, 100);
    expect_right(
        task,
        {"def run(x):\n    f = x.float()\n"
         "    return torch.exp(f - torch.logsumexp(f, -1, keepdim=True)).to(x.dtype)\n",
         // A masked row may be NaN, or all zeros, or even; so may a row with an infinity.
         "def run(x):\n    return torch.nan_to_num(torch.softmax(x.float(), -1)).to(x.dtype)\n",
         "def run(x):\n    return torch.softmax(x.float().clamp(min=-1e30), -1).to(x.dtype)\n"},
        with_special);
    expect_wrong(task, "special",  // gives -∞ - -∞ in a half that is masked
                 "def run(x):\n    a, b = x.float().chunk(2, -1)\n"
                 "    m, n = a.amax(-1, keepdim=True), b.amax(-1, keepdim=True)\n"
                 "    s = torch.exp(a - m).sum(-1, keepdim=True)\n"
                 "    t = torch.exp(b - n).sum(-1, keepdim=True)\n    k = torch.maximum(m, n)\n"
                 "    z = s * torch.exp(m - k) + t * torch.exp(n - k)\n"
                 "    return (torch.exp(x.float() - k) / z).to(x.dtype)\n",
                 with_special);
  }
}

TEST_F(Special, ZeroTimesAnInfinityIsNoZero) {
  expect_right(relu(),
               {"def run(x):\n    return torch.where(x > 0, x, torch.zeros_like(x))\n",  // NaN: 0
                "def run(x):\n    return x.clamp(min=0)\n"},
               with_special);
  expect_wrong(relu(), "special", "def run(x):\n    return x * (x > 0)\n", with_special);
  expect_right(relu(), {"def run(x):\n    return x * (x > 0)\n"});  // nobody asks for it here
}

TEST_F(Special, WhatIsInfiniteMayBeTheLargestNumber) {
  Task task = relu();
  task.outputs["y"]["shape"] = {"M"};
  task.reference = "def run(x):\n    return x.amax(-1)\n";
  expect_right(task, {"def run(x):\n    return x.clamp(min=-3.4028234663852886e38).amax(-1)\n"},
               with_special);
  expect_wrong(task, "special", "def run(x):\n    return x.clamp(min=-1e4).amax(-1)\n",
               with_special);
}

// Task of the largest numbers and their places.
Task topk(int k, const std::string& call) {
  return {"topk",
          {{"M", 40}, {"N", 2000}, {"K", k}},
          {{"x", tensor({"M", "N"}, "bfloat16")}},
          {{"best", tensor({"M", "K"}, "bfloat16")}, {"index", tensor({"M", "K"}, "int64")}},
          "def run(x):\n    " + call + "\n    return v, i\n"};
}

TEST_F(Special, AnyOfEqualNumbersMayBeChosen) {
  const Task task = topk(5, "v, i = torch.topk(x, 5, dim=-1)");
  const std::string last_first =
      "def run(x):\n    v, i = torch.topk(x.flip(-1), 5, dim=-1)\n"
      "    return v, x.shape[1] - 1 - i\n";
  const std::string sorted =
      "def run(x):\n    v, i = torch.sort(x, dim=-1, descending=True)\n"
      "    return v[:, :5], i[:, :5]\n";
  expect_right(task, {last_first, sorted});
  EXPECT_EQ(prepared_sets(task), (Sets{"exact", "mixed", "clustered"}));
}

TEST_F(Special, AChoiceThatMissesAnEnd) {
  const Task task = topk(1, "v, i = torch.topk(x, 1, dim=-1)");
  for (const std::string part : {":-1", "1:"}) {
    expect_wrong(task, "mixed",
                 "def run(x):\n    v, i = torch.topk(x[:, " + part +
                     "], 1, dim=-1)\n    return v, i + " + (part == "1:" ? "1" : "0") + "\n");
  }
  // The maximum begins with 0.
  expect_wrong(task, "mixed",
               "def run(x):\n    v, i = torch.topk(x.clamp(min=0), 1, dim=-1)\n    return v, i\n");
}

// Equal numbers make another right answer where something follows from the choice.
TEST_F(Special, WhatFollowsFromAChoiceIsNotAskedFor) {
  const auto sets = [](const std::string& body, const std::string& header = "") {
    Task task = topk(5, "");
    task.reference = header + "def run(x):\n    " + body + "\n";
    return prepared_sets(task);
  };
  const Sets none{}, alone{"clustered"}, all{"exact", "mixed", "clustered"};
  EXPECT_EQ(sets("i = torch.topk(x.abs(), 5, dim=-1)[1]\n    return x.gather(-1, i), i"), alone);
  // Indices of a part of a sort are judged by the reference's own values there.
  EXPECT_EQ(sets("i = torch.argsort(x, dim=-1)[:, :5]\n    return x.gather(-1, i), i"), none);
  EXPECT_EQ(sets("i = x.max(-1, keepdim=True)[1].expand(-1, 5)\n    return x.gather(-1, i), i"),
            none);
  EXPECT_EQ(sets("v, i = pick(x, 5)\n    return v + x.gather(-1, i), i",
                 "from torch import topk as pick\n"),
            none);
  EXPECT_EQ(sets("v, i = torch.topk(x, 5)\n    return v * (i > 3), i"), alone);
  EXPECT_EQ(sets("v, i = torch.topk(x, 5)\n    return x[torch.arange(40).unsqueeze(1), i], i"),
            alone);
  // Values are the same whatever is picked; so is the choice in another dtype or form.
  EXPECT_EQ(sets("v, i = torch.topk(x, 5)\n    return torch.softmax(v.float(), -1).to(x.dtype), i"),
            all);
  EXPECT_EQ(sets("v, i = torch.topk(x, 5)\n    return v, i.to(torch.int32).view(-1, 5).long()"),
            all);
}

TEST_F(Special, MaximaOfRowsAreNoChoice) {
  Task task = softmax("float32", 18, 100);
  task.reference = "def run(x):\n    return x - x.max(-1, keepdim=True)[0]\n";
  EXPECT_EQ(prepared_sets(task), (Sets{"exact", "mixed"}));
  task.reference = "def run(x):\n    return x - x.gather(-1, x.max(-1, keepdim=True).indices)\n";
  EXPECT_EQ(prepared_sets(task), Sets{});
}

TEST_F(Special, SpecialInputsAreAskedForByTheDefinition) {
  Task task = relu();
  EXPECT_EQ(prepared_sets(task), (Sets{"exact", "mixed"}));
  EXPECT_EQ(prepared_sets(task, {"model:x", "special_inputs"}),
            (Sets{"exact", "mixed", "special"}));
  // It may guard against what the reference makes itself.
  task.reference = "def run(x):\n    return torch.nan_to_num(torch.relu(x) / x.abs().sum())\n";
  EXPECT_EQ(prepared_sets(task), (Sets{"exact", "mixed"}));
  EXPECT_EQ(prepared_sets(task, {"special_inputs"}, {.special = false}), (Sets{"exact", "mixed"}));
}

}  // namespace
}  // namespace kbench::structured
