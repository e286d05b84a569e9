// The passes of a normalisation per channel over activations [rows, channels], with the addition
// and the ReLU that follow it. One call handles some rows in one thread; the caller splits rows
// among threads and computes the few numbers per channel in between. Knows no torch.
//
// A call sums over its rows in the type Real; keep calls short (some hundred rows) and add their
// results in double. Pointers may be unaligned; an output may be an input where a comment says so.
#pragma once

#include <cstdint>

#include "kernels/instruction_set.h"

namespace scalemark::kernels {

// The type of numbers per channel and of arithmetic.
template <class Element>
struct RealOf {
  using type = float;
};
template <>
struct RealOf<double> {
  using type = double;
};

struct Extent {
  std::int64_t rows, channels;
};

// Returns the bytes in a row of a mask with one bit per element; each row begins with a byte. It is
// static because it is compiled for several instruction sets, and the linker must not merge these.
static constexpr std::int64_t mask_stride(std::int64_t channels) { return (channels + 7) / 8; }

// Computes sums[c] = the sum of x - shift[c], and sums[channels + c] = the sum of its square.
template <class Element>
struct NormSums {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  const Real* shift;
  Real* sums;
};

// Computes y = x * scale + offset (+ added), and 0 where that is not positive if `relu`; `y` may be
// `x`.
template <class Element>
struct Normalise {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  const Real *scale, *offset;
  bool relu;
  const Element* added;  // needs relu; null: nothing
  Element* y;
  std::uint8_t* positive;  // needs `added`; a bit is set where the ReLU passed y; null: not written
};

// g is the sum of y's gradients, and 0 where the ReLU was 0. Computes sums[c] = the sum of g, and
// sums[channels + c] = the sum of g * (x - mean[c]).
template <class Element>
struct GradientSums {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  // From the forward pass, whose ReLU passed y where x * scale + offset was positive. Null without
  // a ReLU, or where `positive` has the bits.
  const Real *scale, *offset;
  const std::uint8_t* positive;
  const Real* mean;
  const Element* of_y;
  const Element* of_y_too;  // null: y has one gradient only
  Element* masked;          // null, or gets g; may be either gradient
  Real* sums;
};

// Computes of_x = of_norm * a + x * b + c, where of_norm counts as 0 where the ReLU was 0, as
// above; `of_x` may be `of_norm`.
template <class Element>
struct InputGradient {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  const Real *scale, *offset;  // null: of_norm is used unchanged
  const Element* of_norm;
  const Real *a, *b, *c;
  Element* of_x;
};

template <class Element>
struct NormKernels {
  void (*sums)(const NormSums<Element>&);
  void (*normalise)(const Normalise<Element>&);
  void (*gradient_sums)(const GradientSums<Element>&);
  void (*input_gradient)(const InputGradient<Element>&);
};

// Returns kernels for float, BFloat16 or double (which has portable kernels only). runs(set) must
// be true. Those of kAvx2 and kAvx512 compute the same bits.
template <class Element>
const NormKernels<Element>& norm_kernels(InstructionSet set);

// The kernel tables of the files norm_<set>.cpp; norm_kernels() chooses one.
template <class Element>
const NormKernels<Element>& norm_portable();  // float, BFloat16, double
template <class Element>
const NormKernels<Element>& norm_avx2();  // float, BFloat16
template <class Element>
const NormKernels<Element>& norm_avx512();  // float, BFloat16

}  // namespace scalemark::kernels
