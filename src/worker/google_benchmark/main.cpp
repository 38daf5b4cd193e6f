// kbench-worker-google-benchmark: kbench-worker with Google Benchmark in it. It is a program of its
// own since loading that library takes a quarter of the time in which kbench-worker starts
// (docs/google-benchmark.md), and only those pay who ask for it.
#include "worker/google_benchmark/engine.hpp"
#include "worker/session.hpp"

int main() {
  kbench::worker::prepare_google_benchmark();
  return kbench::worker::serve(&kbench::worker::load_library,
                               {&kbench::worker::run_google_benchmark});
}
