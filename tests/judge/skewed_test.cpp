// Inputs that mean something, drawn as random ones never are: programs that only these show to be
// wrong, and right ones that they do not accuse.
#include "judge/structured_case.hpp"

namespace kbench::structured {
namespace {

class Skewed : public Structured {};

// Means of ragged rows, of which some may have no element.
Task means(const std::string& branch) {
  return {"ragged",
          {{"T", 200}, {"N", 7}, {"B", 6}, {"D", 8}},
          {{"x", tensor({"T", "D"}, "float32")}, {"cu_seqlens", tensor({"N"}, "int32")}},
          {{"y", tensor({"B", "D"}, "float32")}},
          "def run(x, cu_seqlens):\n    y = torch.zeros(cu_seqlens.shape[0] - 1, x.shape[1])\n"
          "    for b in range(cu_seqlens.shape[0] - 1):\n"
          "        s = int(cu_seqlens[b])\n        e = int(cu_seqlens[b + 1])\n" +
              branch + "        y[b] = x[s:e].mean(0)\n    return y\n"};
}

const std::string skips = "        if e <= s:\n            continue\n";

TEST_F(Skewed, ASequenceWithoutAnElement) {
  const Task task = means(skips);
  EXPECT_TRUE(prepared_sets(task).contains("empty"));
  expect_wrong(task, "empty", means("").reference);
  expect_right(task, {"def run(x, cu_seqlens):\n    n = cu_seqlens.diff()\n"
                      "    s = torch.cat([torch.zeros(1, x.shape[1]), x.double().cumsum(0)])\n"
                      "    y = s[cu_seqlens[1:].long()] - s[cu_seqlens[:-1].long()]\n"
                      "    return (y / n.clamp(min=1)[:, None]).float()\n"});
  // Nobody is asked for a number where the reference has none.
  EXPECT_FALSE(prepared_sets(means("")).contains("empty"));
  expect_right(means(""), {means("").reference});
}

TEST_F(Skewed, ASequenceThatIsTheWhole) {
  const Task task = means(skips);
  expect_wrong(task, "skewed", means(skips + "        e = min(e, s + 190)\n").reference);
}

Task routed() {
  return {"moe",
          {{"T", 64}, {"E", 8}, {"D", 16}},
          {{"x", tensor({"T", "D"}, "float32")},
           {"w", tensor({"E", "D", "D"}, "float32")},
           {"expert_ids", tensor({"T"}, "int64")}},
          {{"y", tensor({"T", "D"}, "float32")}},
          "def run(x, w, expert_ids):\n"
          "    return torch.bmm(x.unsqueeze(1), w[expert_ids]).squeeze(1)\n"};
}

TEST_F(Skewed, AnExpertThatGetsAllTokens) {
  const auto with_capacity = [](const std::string& capacity) {
    return "def run(x, w, expert_ids):\n    y = torch.zeros_like(x)\n"
           "    for e in range(w.shape[0]):\n"
           "        at = torch.nonzero(expert_ids == e).flatten()[:" +
           capacity + "]\n        y[at] = x[at] @ w[e]\n    return y\n";
  };
  for (const std::string capacity : {"16", "32", "63"})
    expect_wrong(routed(), "skewed", with_capacity(capacity));
  expect_right(routed(), {with_capacity("64")});
}

// Many terms go to one place: in another order, and in float32 as ever.
TEST_F(Skewed, SumsOfSegmentsInOtherOrdersAreRight) {
  const Task task{"scatter",
                  {{"T", 4096}, {"S", 32}, {"D", 4}},
                  {{"x", tensor({"T", "D"}, "float32")}, {"t", tensor({"T"}, "int64")}},
                  {{"y", tensor({"S", "D"}, "float32")}},
                  "def run(x, t):\n    y = torch.zeros(32, x.shape[1])\n"
                  "    return y.index_add(0, t, x)\n"};
  EXPECT_TRUE(prepared_sets(task).contains("skewed"));
  expect_right(task,
               {"def run(x, t):\n    y = torch.zeros(32, x.shape[1])\n"
                "    return y.index_add(0, t.flip(0), x.flip(0))\n",
                "def run(x, t):\n    return torch.nn.functional.one_hot(t, 32).float().T @ x\n"});
}

// A router that is part of the reference: many rows choose the same.
TEST_F(Skewed, RoutesThatAllAreOne) {
  const Task task{"moe",
                  {{"T", 64}, {"E", 16}, {"D", 8}, {"H", 32}},
                  {{"logits", tensor({"T", "E"}, "float32")},
                   {"x", tensor({"T", "H"}, "float32")},
                   {"w", tensor({"E", "H", "D"}, "float32")}},
                  {{"y", tensor({"T", "D"}, "float32")}},
                  "def run(logits, x, w):\n    v, i = torch.topk(logits, 2)\n"
                  "    p = torch.softmax(v, -1)\n"
                  "    return (torch.einsum('th,tkhd->tkd', x, w[i]) * p[..., None]).sum(1)\n"};
  const auto with_capacity = [](const std::string& capacity) {
    return "def run(logits, x, w):\n    v, i = torch.topk(logits, 2)\n"
           "    p = torch.softmax(v, -1)\n    y = torch.zeros(x.shape[0], w.shape[2])\n"
           "    for e in range(w.shape[0]):\n"
           "        at = torch.nonzero((i == e).any(1)).flatten()[:" +
           capacity +
           "]\n        g = (p * (i == e)).sum(1)[at]\n"
           "        y[at] = y[at] + (x[at] @ w[e]) * g[:, None]\n    return y\n";
  };
  expect_wrong(task, "clustered", with_capacity("24"));
  expect_right(task, {with_capacity("64")});
}

TEST_F(Skewed, SelectionWithRoomForLessInOnePart) {
  const Task task{"topk",
                  {{"M", 4}, {"N", 1024}, {"K", 8}},
                  {{"x", tensor({"M", "N"}, "float32")}},
                  {{"best", tensor({"M", "K"}, "float32")}, {"index", tensor({"M", "K"}, "int64")}},
                  "def run(x):\n    v, i = torch.topk(x, 8)\n    return v, i\n"};
  const auto in_parts = [](const std::string& parts, const std::string& room) {
    return "def run(x):\n    n = torch.arange(1024)" + parts + "\n    v, j = torch.topk(x[:, n], " +
           room +
           ")\n    i = n.expand(x.shape[0], -1, -1).gather(2, j).flatten(1)\n"
           "    w, k = torch.topk(v.flatten(1), 8)\n    return w, i.gather(1, k)\n";
  };
  for (const std::string parts : {".view(8, 128)", ".view(16, 64)", ".view(32, 32).T"}) {
    expect_wrong(task, "clustered", in_parts(parts, "7"));
    expect_right(task, {in_parts(parts, "8")});
  }
}

TEST_F(Skewed, SelectionOfTheLeastWithRoomForLess) {
  const Task task{"topk",
                  {{"M", 4}, {"N", 1024}, {"K", 8}},
                  {{"x", tensor({"M", "N"}, "float32")}},
                  {{"best", tensor({"M", "K"}, "float32")}, {"index", tensor({"M", "K"}, "int64")}},
                  "def run(x):\n    v, i = torch.topk(x, 8, largest=False)\n    return v, i\n"};
  const auto of_eight = [](const std::string& room) {
    return "def run(x):\n    v, j = torch.topk(x.view(x.shape[0], 8, 128), " + room +
           ", largest=False)\n    i = (j + 128 * torch.arange(8).view(8, 1)).flatten(1)\n"
           "    w, k = torch.topk(v.flatten(1), 8, largest=False)\n    return w, i.gather(1, k)\n";
  };
  expect_wrong(task, "clustered", of_eight("7"));
  expect_right(task, {of_eight("8")});
}

// Cuts off the history of a gated recurrence, which goes as many steps back as there are.
TEST_F(Skewed, HistoryThatIsCutOff) {
  const auto scan = [](const std::string& gate, const std::string& step,
                       const std::string& forgets = "") {
    return "def run(x, g):\n    a = " + gate +
           "\n    h = torch.zeros_like(x[0])\n    y = torch.zeros_like(x)\n"
           "    for t in range(x.shape[0]):\n        h = " +
           step + "\n        y[t] = h" + forgets + "\n    return y\n";
  };
  const auto task = [&](const std::string& gate, const std::string& step) {
    return Task{"scan",
                {{"T", 256}, {"D", 4}},
                {{"x", tensor({"T", "D"}, "float32")}, {"g", tensor({"T", "D"}, "float32")}},
                {{"y", tensor({"T", "D"}, "float32")}},
                scan(gate, step)};
  };
  const std::string cut = "\n        if t % 64 == 63:\n            h = h * 0";
  const std::pair<std::string, std::string> forms[] = {
      {"torch.sigmoid(g)", "a[t] * h + x[t]"},
      {"torch.sigmoid(g)", "(1 - a[t]) * h + a[t] * x[t]"},
      {"torch.exp(-torch.nn.functional.softplus(g))", "h * a[t] + x[t]"}};
  for (const auto& [gate, step] : forms) {
    expect_wrong(task(gate, step), "keeping", scan(gate, step, cut));
    expect_right(task(gate, step),
                 {"def run(x, g):\n    a = " + gate +
                  "\n    h = torch.zeros_like(x[0])\n    y = torch.zeros_like(x)\n"
                  "    for t in range(x.shape[0]):\n        s = " +
                  step + "\n        h = s\n        y[t] = s\n    return y\n"});
  }
}

}  // namespace
}  // namespace kbench::structured
