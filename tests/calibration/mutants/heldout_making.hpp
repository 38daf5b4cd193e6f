// Construction of the held-out tasks: mistakes that many kernels make have a name here.
#pragma once

#include "calibration/mutants/heldout.hpp"

namespace kbench::mutants::heldout {

using Before = std::function<void(Given&)>;

inline Before on(const std::string& name, const std::function<void(Floats&)>& change) {
  return [=](Given& given) { change(given.numbers.at(name)); };
}
inline Before filled(const std::string& name, float value) {
  return on(name, [=](Floats& v) { std::fill(v.begin(), v.end(), value); });
}
inline Before times(const std::string& name, float factor) {
  return on(name, [=](Floats& v) {
    for (float& x : v) x *= factor;
  });
}
// Makes element i what i + by should have been.
inline Before rolled(const std::string& name, std::size_t by) {
  return on(name, [=](Floats& v) {
    std::rotate(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(by % v.size()), v.end());
  });
}
inline Before through(const std::string& name, DType dtype) {
  return on(name, [=](Floats& v) {
    for (float& x : v) x = rounded(dtype, x);
  });
}
inline Before through_tf32(const std::string& name) {
  return on(name, [](Floats& v) {
    for (float& x : v)
      x = std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & ~0x1fffU);
  });
}
inline Before swapped(const std::string& a, const std::string& b) {
  return [=](Given& given) { std::swap(given.numbers.at(a), given.numbers.at(b)); };
}
inline Before on_integers(const std::string& name,
                          const std::function<std::int64_t(std::int64_t, std::size_t)>& change) {
  return [=](Given& given) {
    auto& v = given.integers.at(name);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = change(v[i], i);
  };
}
inline Before both(const Before& a, const Before& b) {
  return [=](Given& given) {
    a(given);
    b(given);
  };
}

// Changes each of the first output's elements.
inline std::function<void(Made&)> each(const std::function<long double(long double)>& change) {
  return [=](Made& made) {
    for (long double& v : made.front()) v = change(v);
  };
}

inline std::function<void(Made&)> results_through(DType dtype) {
  return each([=](long double v) { return rounded(dtype, static_cast<float>(v)); });
}

inline void flush(Made& made) {
  for (Values& values : made)
    for (long double& v : values)
      if (std::fabs(v) < std::numeric_limits<float>::min()) v = 0;
}

struct Making {
  HeldOut held;
  Body in_float, in_double;
  bool has_orders = false;

  template <class F>
  Making(Task task, std::vector<Output> outputs, const F& body)
      : held{std::move(task), std::move(outputs),
             [=](const Given& g, const Way& w) { return body(0.0L, g, w); }},
        in_float([=](const Given& g, const Way& w) { return body(0.0F, g, w); }),
        in_double([=](const Given& g, const Way& w) { return body(0.0, g, w); }) {}

  Making& add(const std::string& name, bool right, const Change& change) {
    const Way way{change.order, change.low, name};
    const Body body = change.in_double ? in_double : in_float;
    held.task.programs.push_back({name, right, [=, outputs = held.outputs](const Given& given) {
                                    Given mine = given;
                                    if (change.before) change.before(mine);
                                    Made made = body(mine, way);
                                    if (change.after) change.after(made);
                                    Outputs out;
                                    for (std::size_t i = 0; i < outputs.size(); ++i)
                                      out.push_back(
                                          stored_values(outputs[i].dtype, made[i], change.cuts));
                                    return out;
                                  }});
    return *this;
  }
  Making& right(const std::string& name, const Change& change = {}) {
    return add(name, true, change);
  }
  Making& wrong(const std::string& name, const Change& change = {}) {
    return add(name, false, change);
  }
  // Adds right programs that the op itself knows by name.
  Making& rights(const std::vector<std::string>& names) {
    for (const std::string& name : names) right(name);
    return *this;
  }
  Making& wrongs(const std::vector<std::string>& names) {
    for (const std::string& name : names) wrong(name);
    return *this;
  }

  // Adds sums: honest ones, and mistakes in them.
  Making& sums() {
    right("a plain loop");
    right("from the end", {.order = Order::backward});
    right("pairwise", {.order = Order::pairwise});
    right("split in four", {.order = Order::split});
    right("in eight lanes", {.order = Order::lanes});
    right("tiles in another order", {.order = Order::tiles_shuffled});
    right("by fused multiply-add", {.order = Order::fused});
    right("in double", {.in_double = true});
    wrong("a race loses partial sums", {.order = Order::tile_lost});
    wrong("the last partial tile is dropped", {.order = Order::tail_dropped});
    wrong("tiles overlap by one", {.order = Order::border_twice});
    wrong("every other term, doubled", {.order = Order::every_other});
    return *this;
  }
  Making& low_sums(DType dtype) {
    wrong("16-bit accumulator", {.order = Order::low_each, .low = dtype});
    return wrong("16-bit partial sums", {.order = Order::low_tiles, .low = dtype});
  }
  Making& low_accumulator(DType dtype) {
    return wrong("16-bit accumulator", {.order = Order::low_each, .low = dtype});
  }
  // Adds float32 results of less: of the inputs named, or of the result itself.
  Making& downgrades(const std::vector<std::string>& inputs) {
    for (const std::string& name : inputs) {
      wrong(name + " through bfloat16", {.before = through(name, DType::bfloat16)});
      wrong(name + " through float16", {.before = through(name, DType::float16)});
      wrong(name + " through tf32", {.before = through_tf32(name)});
    }
    wrong("the result through bfloat16", {.after = results_through(DType::bfloat16)});
    wrong("the result through float16", {.after = results_through(DType::float16)});
    return *this;
  }
  Making& plain() {
    right("a plain loop");
    right("in double", {.in_double = true});
    return *this;
  }
  Making& flushing() { return right("subnormals flushed", {.after = flush}); }
  Making& cutting() { return wrong("cut off, not rounded", {.cuts = true}); }

  // Adds changes of the first output on its way out.
  Making& outputs() {
    const std::size_t columns = held.outputs.front().columns;
    const auto on_rows = [&](const std::string& name, const auto& change) {
      wrong(name, {.after = [=](Made& made) { change(made.front(), columns); }});
    };
    on_rows("the last eighth is not written", [](Values& v, std::size_t) {
      std::fill(v.end() - static_cast<std::ptrdiff_t>((v.size() + 7) / 8), v.end(), 0.0L);
    });
    on_rows("the end holds what the start does", [](Values& v, std::size_t) {
      const std::size_t some = std::min<std::size_t>(5, v.size() / 2);
      std::copy_n(v.begin(), some, v.end() - static_cast<std::ptrdiff_t>(some));
    });
    on_rows("one off in the output",
            [](Values& v, std::size_t) { std::rotate(v.begin(), v.begin() + 1, v.end()); });
    if (held.outputs.front().dtype != DType::boolean)
      on_rows("a few have the other sign", [](Values& v, std::size_t) {
        for (std::size_t i = v.size() / 2; i < std::min(v.size(), v.size() / 2 + 8); ++i)
          v[i] = -v[i];
      });
    return *this;
  }
  Making& rows() {
    const std::size_t columns = held.outputs.front().columns;
    const auto copy = [=](Values& v, std::size_t from, std::size_t to) {
      for (std::size_t c = 0; c < columns; ++c) v[to * columns + c] = v[from * columns + c];
    };
    wrong("stale rows", {.after = [=](Made& made) {
            for (std::size_t r = 4; r < made.front().size() / columns; r += 5)
              copy(made.front(), r - 1, r);
          }});
    wrong("only three rows of four", {.after = [=](Made& made) {
            const std::size_t count = made.front().size() / columns;
            for (std::size_t r = count - (count + 3) / 4; r < count; ++r) copy(made.front(), 0, r);
          }});
    wrong("lanes of a row swapped", {.after = [=](Made& made) {
            Values& v = made.front();
            for (std::size_t i = 0; i + 1 < v.size(); ++i)
              if (i % columns % 2 == 0 && i % columns + 1 < columns) std::swap(v[i], v[i + 1]);
          }});
    return *this;
  }
  // Drops programs that on some draw are not three times as far from the answer as right ones are.
  Making& without(const std::vector<std::string>& names) {
    std::erase_if(held.task.programs, [&](const Program& program) {
      return std::find(names.begin(), names.end(), program.name) != names.end();
    });
    return *this;
  }
  HeldOut done() { return std::move(held); }
};

inline std::string size(std::size_t n) { return std::to_string(n); }
inline std::string torch_name(DType dtype) { return "torch." + std::string(info(dtype).name); }
inline int whole(std::size_t n) { return static_cast<int>(n); }

}  // namespace kbench::mutants::heldout
