#define GO(k, ...) k<<<1, \
  32>>>(__VA_ARGS__)
#define TILE(name, n) __shared__ float name[n]
template <typename T, int N>
__global__ void f(const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char s[];
  __shared__ volatile T a[N > 2 ? N : 2][3], *b;
  TILE(t, 4);
  asm volatile("ld.global.v2.u32 {%0, %1}, [%[p]];\n\t"
               "@%%p bra L; L: bar.sync 0, 32;" : "=r"(a[0]), "+r"(b) : [p] "l"(x) : "memory");
}
void g() { a::f<T, (4 > 3)><<<dim3(h<int>(1)), 2, 0, st>>>([&] { GO(f<int>, 1); }, R"x(f<<<1>>>)x"); }
