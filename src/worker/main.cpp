// kbench-worker: maps one candidate's library and calls it. No LibTorch, no files, nothing worth
// tampering with. Started by kbench (exec/candidate.cpp) with the descriptors of
// worker_protocol.hpp.
#include "worker/session.hpp"

int main() { return kbench::worker::serve(&kbench::worker::load_library); }
