// A noisy neighbour: `timing_noise THREADS ON_MS OFF_MS` keeps so many threads busy with arithmetic
// and memory traffic, in bursts and pauses of exponential length with these means, until it is
// killed.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {

void burst(std::vector<double>& memory, std::chrono::duration<double, std::milli> length) {
  const auto end = std::chrono::steady_clock::now() + length;
  double sum = 1;
  while (std::chrono::steady_clock::now() < end) {
    for (std::size_t i = 0; i < memory.size(); i += 8) memory[i] = sum = sum * 0.999 + memory[i];
  }
}

void disturb(unsigned seed, double on_ms, double off_ms) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> on(1 / on_ms), off(1 / off_ms);
  std::vector<double> memory(std::size_t{1} << 20, 1.0);  // 8 MiB
  for (;;) {
    burst(memory, std::chrono::duration<double, std::milli>(on(random)));
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(off(random)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const double on_ms = argc > 2 ? std::atof(argv[2]) : 30;
  const double off_ms = argc > 3 ? std::atof(argv[3]) : 30;
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back(&disturb, static_cast<unsigned>(i), on_ms, off_ms);
}
