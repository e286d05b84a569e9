#include "kernels/resize/resize_kernels.h"

namespace scalemark::kernels {
namespace {

using Bytes __attribute__((vector_size(16))) = std::uint8_t;
using Words __attribute__((vector_size(16))) = std::int16_t;
using Pairs __attribute__((vector_size(16))) = std::int32_t;
using Quads __attribute__((vector_size(16))) = std::int64_t;
using WideWords __attribute__((vector_size(32))) = std::int32_t;

// Holds 8 words in the compiler's own vectors. Little-endian, like all machines that this program
// runs on.
struct Vector {
  static constexpr int kLanes = 8;
  Words value;

  static Vector zero() { return {Words{}}; }
  static Vector all_words(int word) { return {Words{} + static_cast<std::int16_t>(word)}; }
  static Vector all_pairs(int pair) { return of(Pairs{} + pair); }
  static Vector pair(const std::int16_t* words) {
    int both = 0;
    __builtin_memcpy(&both, words, sizeof both);
    return all_pairs(both);
  }
  static Vector load(const void* from) {
    Vector loaded;
    __builtin_memcpy(&loaded.value, from, sizeof loaded.value);
    return loaded;
  }
  void store(void* to) const { __builtin_memcpy(to, &value, sizeof value); }
  void store_part(int, std::uint8_t* to) const { store(to); }

  template <class V>
  static Vector of(V other) {
    return {reinterpret_cast<Words>(other)};
  }
  Bytes bytes() const { return reinterpret_cast<Bytes>(value); }
  Pairs pairs() const { return reinterpret_cast<Pairs>(value); }
  Quads quads() const { return reinterpret_cast<Quads>(value); }
};

Vector low_bytes(Vector a, Vector b) {
  return Vector::of(__builtin_shufflevector(a.bytes(), b.bytes(), 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                            5, 21, 6, 22, 7, 23));
}
Vector high_bytes(Vector a, Vector b) {
  return Vector::of(__builtin_shufflevector(a.bytes(), b.bytes(), 8, 24, 9, 25, 10, 26, 11, 27, 12,
                                            28, 13, 29, 14, 30, 15, 31));
}
Vector low_words(Vector a, Vector b) {
  return {__builtin_shufflevector(a.value, b.value, 0, 8, 1, 9, 2, 10, 3, 11)};
}
Vector high_words(Vector a, Vector b) {
  return {__builtin_shufflevector(a.value, b.value, 4, 12, 5, 13, 6, 14, 7, 15)};
}
Vector low_pairs(Vector a, Vector b) {
  return Vector::of(__builtin_shufflevector(a.pairs(), b.pairs(), 0, 4, 1, 5));
}
Vector high_pairs(Vector a, Vector b) {
  return Vector::of(__builtin_shufflevector(a.pairs(), b.pairs(), 2, 6, 3, 7));
}
Vector low_quads(Vector a, Vector b) {
  return Vector::of(__builtin_shufflevector(a.quads(), b.quads(), 0, 2));
}
Vector high_quads(Vector a, Vector b) {
  return Vector::of(__builtin_shufflevector(a.quads(), b.quads(), 1, 3));
}

// The values must fit.
Vector pack_pairs(Vector a, Vector b) {
  return {__builtin_shufflevector(a.value, b.value, 0, 2, 4, 6, 8, 10, 12, 14)};
}

Words clamped(Words words) {
  const Words low = words < 0 ? Words{} : words;
  return low > 255 ? Words{} + std::int16_t{255} : low;
}

Vector pack_bytes(Vector a, Vector b) {
  return Vector::of(__builtin_shufflevector(reinterpret_cast<Bytes>(clamped(a.value)),
                                            reinterpret_cast<Bytes>(clamped(b.value)), 0, 2, 4, 6,
                                            8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
}

Vector multiply_pairs(Vector a, Vector b) {
  const Pairs even = ((a.pairs() << 16) >> 16) * ((b.pairs() << 16) >> 16);
  return Vector::of(even + (a.pairs() >> 16) * (b.pairs() >> 16));
}

Vector add_pairs(Vector a, Vector b) { return Vector::of(a.pairs() + b.pairs()); }
Vector add_words(Vector a, Vector b) { return {a.value + b.value}; }
Vector sub_words(Vector a, Vector b) { return {a.value - b.value}; }

Vector rounded_product(Vector a, Vector b) {
  const WideWords product =
      __builtin_convertvector(a.value, WideWords) * __builtin_convertvector(b.value, WideWords);
  return {__builtin_convertvector((product + (1 << 14)) >> 15, Words)};
}

template <int kBits>
Vector shifted(Vector pairs) {
  return Vector::of(pairs.pairs() >> kBits);
}
template <int kBits>
Vector shifted_words(Vector words) {
  return {words.value >> kBits};
}

void exchange_parts(Vector*) {}

#include "kernels/resize/bands.inc"

}  // namespace

const ResizeKernels& resize_portable() { return kTable; }

}  // namespace scalemark::kernels
