// The largest elements of each row in descending order, and where they are; of equal ones the earlier first.
// WAY: how it is sorted. WHOLE: int32 elements, else float32. The first `count` columns come out.
#include "numbers.h"
#if WHOLE
using Element = int32_t;
#else
using Element = float;
#endif
constexpr int kMost = 256;

static bool first(const Element* x, int i, int j) {
  Element a = x[i], b = x[j];
  if (DEFECT == 1) return a < b || (a == b && i < j);
  if (DEFECT == 2) return a > b || (a == b && i > j);  // not stable
  if (DEFECT == 3) a = a < 0 ? -a : a, b = b < 0 ? -b : b;
#if WHOLE
  if (DEFECT == 4) a = int8_t(a), b = int8_t(b);       // compared in 8 bits
  if (DEFECT == 5) return uint32_t(a) > uint32_t(b) || (a == b && i < j);
  if (DEFECT == 6) a /= 2, b /= 2;
#else
  if (DEFECT == 4) a = through_brain(a), b = through_brain(b);
  if (DEFECT == 5) { uint32_t c, d; std::memcpy(&c, &a, 4); std::memcpy(&d, &b, 4); return c > d; }  // bits as unsigned
  if (DEFECT == 6) a = through_half(a), b = through_half(b);
#endif
  return a > b || (a == b && i < j);
}
static void exchange(int& a, int& b) { int c = a; a = b; b = c; }

static void merge_sort(const Element* x, int* ids, int n) {
  if (n < 2) return;
  int middle = n / 2, kept[kMost], a = 0, b = middle;
  merge_sort(x, ids, middle);
  merge_sort(x, ids + middle, n - middle);
  for (int k = 0; k < n; ++k) kept[k] = b >= n || (a < middle && first(x, ids[a], ids[b])) ? ids[a++] : ids[b++];
  for (int k = 0; k < n; ++k) ids[k] = kept[k];
}
static void sift(const Element* x, int* ids, int at, int n) {  // a heap whose top comes last
  for (int child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && first(x, ids[child], ids[child + 1])) ++child;
    if (!first(x, ids[at], ids[child])) return;
    exchange(ids[at], ids[child]);
  }
}
static void sort(const Element* x, int* ids, int n, int count) {
  switch (WAY) {
    case 1:  // selection
      for (int k = 0; k < count; ++k)
        for (int i = k + 1; i < n; ++i) if (first(x, ids[i], ids[k])) exchange(ids[i], ids[k]);
      return;
    case 2: merge_sort(x, ids, n); return;
    case 3: {  // ranks by counting
      int sorted[kMost];
      for (int i = 0; i < n; ++i) {
        int rank = 0;
        for (int j = 0; j < n; ++j) rank += first(x, j, i);
        sorted[rank] = i;
      }
      for (int i = 0; i < n; ++i) ids[i] = sorted[i];
      return;
    }
    case 4:  // gaps
      for (int gap = 40; gap > 0; gap /= 3)
        for (int i = gap; i < n; ++i)
          for (int j = i; j >= gap && first(x, ids[j], ids[j - gap]); j -= gap) exchange(ids[j], ids[j - gap]);
      return;
    case 5:  // a heap
      for (int i = n / 2; i-- > 0;) sift(x, ids, i, n);
      for (int i = n; i-- > 1;) exchange(ids[0], ids[i]), sift(x, ids, 0, i);
      return;
    case 6:  // odd and even neighbours
      for (int round = 0; round < n; ++round)
        for (int i = round % 2; i + 1 < n; i += 2) if (first(x, ids[i + 1], ids[i])) exchange(ids[i], ids[i + 1]);
      return;
    case 7:  // bubbles
      for (int k = 0; k < count; ++k)
        for (int i = n - 1; i > k; --i) if (first(x, ids[i], ids[i - 1])) exchange(ids[i], ids[i - 1]);
      return;
  }
#if defined(BLOCK)
  // the best of each block, then of the blocks' best
  int place[kMost], end[kMost], blocks = (n + BLOCK - 1) / BLOCK, sorted[kMost];
  for (int b = 0; b < blocks; ++b) {
    place[b] = b * BLOCK;
    end[b] = smaller((b + 1) * BLOCK, n);
    merge_sort(x, ids + place[b], end[b] - place[b]);
  }
  for (int k = 0; k < count; ++k) {
    int best = -1;
    for (int b = 0; b < blocks; ++b) if (place[b] < end[b] && (best < 0 || first(x, ids[place[b]], ids[place[best]]))) best = b;
    sorted[k] = ids[place[best]++];
  }
  for (int k = 0; k < count; ++k) ids[k] = sorted[k];
#else
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && first(x, ids[j], ids[j - 1]); --j) exchange(ids[j], ids[j - 1]);
#endif
}
void kernel(Tensor x, Tensor values, Tensor ids_out) {
  int64_t rows = x.size(0);
  int n = int(x.size(1)), count = int(values.size(1));
  for (int64_t r = 0; r < rows; ++r) {
    const Element* row = x.data<Element>() + (DEFECT == 7 && r == rows - 1 ? r - 1 : r) * n;
    int ids[kMost + 1];
    for (int i = 0; i < n; ++i) ids[i] = i;
    int seen = DEFECT == 8 ? n - 1 : DEFECT == 9 ? n / 32 * 32 : n, begin = DEFECT == 10 ? 1 : 0;
    sort(row, ids + begin, seen - begin, count);
    if (DEFECT == 11 && r % 4 == 2) exchange(ids[2], ids[3]);
    if (DEFECT == 12) for (int k = 1; k < count; k += 16) ids[k] = ids[k - 1];
    if (DEFECT == 13) for (int k = 0; k + 1 < count; ++k) ids[k] = ids[k + 1];
    for (int k = 0; k < count; ++k) {
      int id = ids[k];
      Element v = row[id];
      if (DEFECT == 14 && k == count - 1) v = 0;
      if (DEFECT == 15 && id >= 64) id -= 64;   // ids of 6 bits
      if (DEFECT == 16) id += 1;
      if (DEFECT == 17) v = v < 0 ? 0 : v;
      if (DEFECT == 18 && mixed(r * count + k) % 100 == 0) v = row[0];
      if (DEFECT == 19) v = Element(through_brain(v));
      if (DEFECT == 20) v = Element(through_half(v));
      if (DEFECT == 21) id = k;
      if (DEFECT == 22) id = int(r * n + id);
      if (DEFECT == 23 && r % 8 == 7) v = v < 0 ? -v : v;
      values.data<Element>()[r * count + k] = v;
      ids_out.data<int64_t>()[r * count + k] = DEFECT == 24 ? n - 1 - id : id;
    }
  }
}
KBENCH_EXPORT(run, kernel)
