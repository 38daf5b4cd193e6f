#include "emulate/translate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace kbench {
namespace {

std::string translated(const std::string& text, TorchWords torch = TorchWords::keep) {
  Diagnostics problems;
  std::string out = translate_cuda({"kernel.cu", text}, torch, problems);
  for (const Diagnostic& one : problems.items()) ADD_FAILURE() << text << ": " << one.message;
  return out;
}

// Returns "3:5 words" for each problem.
std::string refused(const std::string& text) {
  Diagnostics problems;
  translate_cuda({"kernel.cu", text}, TorchWords::keep, problems);
  std::string out;
  for (const Diagnostic& one : problems.items())
    out += (out.empty() ? "" : "; ") + std::to_string(one.where.line) + ":" +
           std::to_string(one.where.column) + " " + one.message;
  return out;
}

struct Pair {
  const char *cuda, *cpp;
};

TEST(TranslateCuda, LaunchesInFilesOfCpp) {
  Diagnostics problems;
  translate_cuda({"main.cpp", "void run() { f<<<1, 32>>>(); }"}, TorchWords::keep, problems);
  ASSERT_EQ(problems.items().size(), 1U);
  EXPECT_EQ(problems.items()[0].message,
            "not emulated: a launch in a file of C++: nvcc takes it in a .cu");
}

TEST(TranslateCuda, CastsOfKernels) {
  EXPECT_EQ(translated("cudaLaunchKernel((const void*)f<int>, g, b, p);"),
            "cudaLaunchKernel( f<int>, g, b, p);");
  EXPECT_EQ(translated("cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&f), g);"),
            "cudaLaunchCooperativeKernel((&f), g);");
  EXPECT_EQ(translated("cudaLaunchKernel(f, g, b, (void*)p);"),
            "cudaLaunchKernel(f, g, b, (void*)p);");
}

TEST(TranslateCuda, AttributesInTheMiddle) {
  EXPECT_EQ(translated("static inline [[noreturn]] void f(int a[2]);"),
            "static inline  void f(int a[2]);");
  EXPECT_EQ(translated("[[nodiscard]] static int f(); inline int a[2];"),
            "[[nodiscard]] static int f(); inline int a[2];");
}

TEST(TranslateCuda, LaunchBounds) {
  EXPECT_EQ(
      translated("template <int N> __global__ void __launch_bounds__(N * 2, 1) k(int n) { g(n); }"),
      "template <int N> __global__ void __launch_bounds__(N * 2, 1) k(int n) { "
      "::kbench_emulation::keep_bounds(N * 2, 1); g(n); }");
  EXPECT_EQ(translated("__global__ __launch_bounds__(128) void k(int n);"),
            "__global__ __launch_bounds__(128) void k(int n);");
}

TEST(TranslateCuda, Launches) {
  const Pair all[] = {
      {"f<<<1, 32>>>(x, n);", "KBENCH_EMULATED_LAUNCH((f), (1, 32), x, n);"},
      {"f<<<1, 32>>>();", "KBENCH_EMULATED_LAUNCH((f), (1, 32));"},
      {"f <<< g , b >>> ( x );", "KBENCH_EMULATED_LAUNCH((f ), ( g , b ) ,  x );"},
      {"a::f<T, 4><<<g, b, s, st>>>(x);",
       "KBENCH_EMULATED_LAUNCH((a::f<T, 4>), (g, b, s, st), x);"},
      {"return ::f<<<1, 1>>>(x);", "return KBENCH_EMULATED_LAUNCH((::f), (1, 1), x);"},
      {"if (n > 0) f<(N > 2), B<3>><<<1, 1>>>(x);",
       "if (n > 0) KBENCH_EMULATED_LAUNCH((f<(N > 2), B<3>>), (1, 1), x);"},
      {"if (n) (f)<<<1, 1>>>(x);", "if (n) KBENCH_EMULATED_LAUNCH(((f)), (1, 1), x);"},
      {"A<T>::template f<U><<<1, 1>>>(x);",
       "KBENCH_EMULATED_LAUNCH((A<T>::template f<U>), (1, 1), x);"},
      {"table[i].get(2)<<<1, 1>>>(x);", "KBENCH_EMULATED_LAUNCH((table[i].get(2)), (1, 1), x);"},
      {"this->k<<<1, 1>>>(x);", "KBENCH_EMULATED_LAUNCH((this->k), (1, 1), x);"},
      {"f<<<dim3(2, h<int>(1)), n >> 2, sizeof(float) * (1 << 3)>>>(g(x), {1, 2});",
       "KBENCH_EMULATED_LAUNCH((f), (dim3(2, h<int>(1)), n >> 2, sizeof(float) * (1 << 3)), g(x), "
       "{1, 2});"},
      {"f<<<\n  1,\n  2>>>(x);", "KBENCH_EMULATED_LAUNCH((f), (\n  1,\n  2), x);"},
      {"run([&] { f<T><<<1, 1>>>(x); });",
       "run([&] { KBENCH_EMULATED_LAUNCH((f<T>), (1, 1), x); });"},
      {"#define GO(k, ...) k<<<1, 1>>>(__VA_ARGS__)\n",
       "#define GO(k, ...) KBENCH_EMULATED_LAUNCH((k), (1, 1), __VA_ARGS__)\n"},
      {"#define GO(n) \\\n  run_##n<<<1, \\\n 1>>>(n)\n",
       "#define GO(n) \\\n  KBENCH_EMULATED_LAUNCH((run_##n), (1, \\\n 1), n)\n"},
      {"out << \"a<<<1>>>(b)\" << R\"x(f<<<1,1>>>())x\"; // f<<<1>>>(2)",
       "out << \"a<<<1>>>(b)\" << R\"x(f<<<1,1>>>())x\"; // f<<<1>>>(2)"},
      {"A operator<<<int>(A a);", "A operator<<<int>(A a);"},
  };
  for (const auto& [cuda, cpp] : all) EXPECT_EQ(translated(cuda), cpp);
}

TEST(TranslateCuda, StaticSharedMemory) {
  EXPECT_EQ(translated("{ __shared__ float a[4][8]; }"),
            "{ typedef float a_kbench_type[4][8]; static char a_kbench_site; auto& a = "
            "::kbench_emulation::shared_at<a_kbench_type>(&a_kbench_site, alignof(a_kbench_type), "
            "\"a\"); }");
  EXPECT_EQ(
      translated("{ __align__(16) __shared__ volatile T a[N < 3 ? 1 : 2], *b; }"),
      "{ typedef volatile T a_kbench_type[N < 3 ? 1 : 2]; static char a_kbench_site; auto& a = "
      "::kbench_emulation::shared_at<a_kbench_type>(&a_kbench_site, 16, \"a\"); typedef "
      "volatile T *b_kbench_type; static char b_kbench_site; auto& b = "
      "::kbench_emulation::shared_at<b_kbench_type>(&b_kbench_site, 16, \"b\"); }");
  EXPECT_EQ(
      translated("{ static __shared__ alignas(8) typename A<T, 2>::type a; }"),
      "{ typedef typename A < T , 2 > :: type a_kbench_type; static char a_kbench_site; auto& "
      "a = ::kbench_emulation::shared_at<a_kbench_type>(&a_kbench_site, 8, \"a\"); }");
  EXPECT_EQ(
      translated("{ f();\n__shared__ struct {\n int i;\n} a;\ng(); }"),
      "{ f();\ntypedef struct { int i ; } a_kbench_type; static char a_kbench_site; auto& a = "
      "::kbench_emulation::shared_at<a_kbench_type>(&a_kbench_site, alignof(a_kbench_type), "
      "\"a\")\n\n;\ng(); }");
  EXPECT_EQ(translated("#define TILE(name, n) __shared__ float name[n]\n"),
            "#define TILE(name, n) typedef float name##_kbench_type[n]; static char "
            "name##_kbench_site; auto& name = "
            "::kbench_emulation::shared_at<name##_kbench_type>(&name##_kbench_site, "
            "alignof(name##_kbench_type), #name)\n");
}

TEST(TranslateCuda, DynamicSharedMemory) {
  EXPECT_EQ(translated("void f() { extern __shared__ __align__(16) unsigned char s[]; }"),
            "void f() { typedef unsigned char s_kbench_type; s_kbench_type* s = "
            "::kbench_emulation::dynamic_shared<s_kbench_type>(\"s\"); }");
  EXPECT_EQ(translated("void f() { extern __shared__ float s[][32]; }"),
            "void f() { typedef float s_kbench_type[32]; s_kbench_type* s = "
            "::kbench_emulation::dynamic_shared<s_kbench_type>(\"s\"); }");
  EXPECT_EQ(translated("namespace a {\nextern __shared__ float s[];\n}"),
            "namespace a {\nstatic const ::kbench_emulation::DynamicShared<float> s{\"s\"};\n}");
  EXPECT_EQ(translated("extern __shared__ char s[]; void f() { reinterpret_cast<int*>(s)[0] = "
                       "*reinterpret_cast<int*>(t); }"),
            "static const ::kbench_emulation::DynamicShared<char> s{\"s\"}; void f() { "
            "static_cast<int*>(s)[0] = "
            "*reinterpret_cast<int*>(t); }");
}

TEST(TranslateCuda, Assembly) {
  EXPECT_EQ(translated("asm volatile(\"mov.u32 %0, %1;\" : \"=r\"(x[i]) : \"r\"(f(a, b)) : "
                       "\"memory\");"),
            "KBENCH_EMULATED_ASM(\"mov.u32 %0, %1;\"  , ::kbench_emulation::out(\"=r\", (x[i]))  , "
            "::kbench_emulation::in(\"r\", (f(a, b)))  );");
  EXPECT_EQ(
      translated("asm(\"add.u32 %[p], %[p], %[q];\" :: [p] \"l\"(P::q), [q] \"n\"(4));"),
      "KBENCH_EMULATED_ASM(\"add.u32 %0, %0, %1;\"  , ::kbench_emulation::in(\"l\", (P::q)) , "
      "::kbench_emulation::in(\"n\", (4)));");
  EXPECT_EQ(translated("asm volatile(\"membar.gl;\" ::: \"memory\");"),
            "KBENCH_EMULATED_ASM(\"membar.gl;\"  );");
  EXPECT_EQ(
      translated("asm(\"neg.f32 %0, %1;\" : \"+f\"(a)\n : \"f\"(b));"),
      "KBENCH_EMULATED_ASM(\"neg.f32 %0, %1;\"  , ::kbench_emulation::inout(\"+f\", (a))\n  , "
      "::kbench_emulation::in(\"f\", (b)));");
}

// A thread may never come to it.
TEST(TranslateCuda, LeavesUnknownPtxToTheThreadThatComesToIt) {
  EXPECT_EQ(translated("#define COMMIT() asm volatile(\"cp.async.bulk.commit_group;\" ::)\n"),
            "#define COMMIT() KBENCH_EMULATED_ASM(\"cp.async.bulk.commit_group;\" )\n");
  EXPECT_EQ(translated("cudaLaunchKernelEx(&c, k, x);"), "cudaLaunchKernelEx(&c, k, x);");
}

TEST(TranslateCuda, TorchsWords) {
  EXPECT_EQ(translated("x.is_cuda() && x.device().type() == torch::kCUDA; y = x.cuda(); "
                       "c10::DeviceType::CUDA; torch::cuda::f(); d(\"cuda:0\");",
                       TorchWords::pose),
            "x.is_cpu() && x.device().type() == torch::kCPU; y = x.cpu(); c10::DeviceType::CPU; "
            "at::cuda::f(); d(\"cpu\");");
}

TEST(TranslateCuda, NvccsMacrosAreOurs) {
  EXPECT_EQ(
      translated(
          "#if __CUDA_ARCH__ >= 800 && defined(__CUDACC__)\nint a = __CUDA_ARCH__;\n#endif\n"),
      "#if KBENCH_EMULATED_ARCH >= 800 && defined(KBENCH_EMULATED_CUDACC)\nint a = "
      "KBENCH_EMULATED_ARCH;\n#endif\n");
}

TEST(TranslateCuda, LinesStay) {
  const std::string text =
      "#include <a>\n__global__ void f() {\n  __shared__ float\n    a[3],\n    b;\n  asm "
      "volatile(\n"
      "    \"bar.sync 0;\"\n    :\n    : \"r\"(1)\n    : \"memory\");\n}\nvoid g() { "
      "f<<<1,\n1>>>(\n); "
      "}\nend\n";
  const std::string out = translated(text);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  EXPECT_TRUE(out.ends_with("end\n"));
}

TEST(TranslateCuda, RefusesWhatItDoesNotUnderstand) {
  const Pair all[] = {
      {"#define CONFIG <<<1, 1>>>\n",
       "1:16 not emulated: a launch whose kernel does not stand before it"},
      {"void g() {\n  f<<<1, 1;\n}", "2:4 not emulated: a launch whose <<< has no >>>"},
      {"f<<<1, 1>>>;", "1:2 not emulated: a launch whose arguments do not stand behind it"},
      {"f<<<1, 1>>>(x;", "1:12 not emulated: a launch whose arguments do not end"},
      {"__shared__ float a[4];", "1:1 not emulated: __shared__ outside of functions"},
      {"{ __shared__ float (*a)[4]; }", "1:3 not emulated: this form of __shared__"},
      {"{ __shared__ int a = 0; }", "1:3 not emulated: this form of __shared__"},
      {"{ __shared__ a; }", "1:3 not emulated: __shared__ without a type"},
      {"#define S __shared__\n", "1:11 not emulated: __shared__ without a type"},
      {"{ asm goto(\"x\" :::: l); }", "1:3 not emulated: this form of asm"},
      {"{ asm(\"x\" : x); }", "1:3 not emulated: this form of asm"},
      {"__global__ void __cluster_dims__(2, 1, 1) f();", "1:17 not emulated: clusters of blocks"},
      {"void kbench_emulation_call();", "1:6 not emulated: a name that is not the program's"},
      {"{ __builtin_ia32_movnti(p, 0); }", "1:3 not emulated: a name that is not the program's"},
  };
  for (const auto& [cuda, words] : all) EXPECT_EQ(refused(cuda), words) << cuda;
}

TEST(TranslateCuda, LeavesOutWhatIsNotCompiled) {
  EXPECT_EQ(refused("#if 0\nf<<<;\n#if A\n#endif\n#endif\n"), "");
  EXPECT_EQ(refused("#if 0\n#else\nf<<<;\n#endif\n"),
            "3:2 not emulated: a launch whose <<< has no >>>");
}

// Any text is refused or left alone.
TEST(TranslateCuda, EndsWithAnyText) {
  const std::string pieces[] = {"<<<",
                                ">>>",
                                "(",
                                ")",
                                "__shared__ ",
                                "extern ",
                                "[",
                                "]",
                                "a",
                                ",",
                                ";",
                                "{",
                                "}",
                                "asm",
                                ":",
                                "<",
                                ">",
                                "\"x\"",
                                "#define A(b) ",
                                "\n",
                                "::",
                                "##",
                                "\\\n",
                                "template ",
                                "R\"(",
                                "/*"};
  unsigned state = 1;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int k = 0; k < 12; ++k)
      text += pieces[(state = state * 1103515245 + 12345) / 65536 % std::size(pieces)];
    Diagnostics problems;
    translate_cuda({"kernel.cu", text}, TorchWords::pose, problems);
  }
}

}  // namespace
}  // namespace kbench
