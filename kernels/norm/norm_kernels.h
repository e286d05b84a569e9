// Passes over activations [rows, channels] that a normalisation per channel consists of, with the
// addition and the ReLU that follow it. One call does some rows in one thread: whoever calls splits
// rows among threads and computes the few numbers per channel in between. Knows no torch.
//
// Sums are taken in the type of Real over the rows of one call; keep those calls short (some
// hundred rows) and add their results in double. Pointers may be unaligned; outputs may be inputs
// where it says so.
#pragma once

#include <cstdint>

#include "kernels/instruction_set.h"

namespace scalemark::kernels {

// In which numbers per channel are held and arithmetic is done.
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

// Bytes of a mask of one bit per element; each row begins with a byte. Static: compiled for several
// instruction sets, it must not be one function to the linker.
static constexpr std::int64_t mask_stride(std::int64_t channels) { return (channels + 7) / 8; }

// sums[c] = sum of x - shift[c], sums[channels + c] = sum of its square.
template <class Element>
struct NormSums {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  const Real* shift;
  Real* sums;
};

// y = x * scale + offset (+ added), 0 where that is not positive if `relu`; `y` may be `x`.
template <class Element>
struct Normalise {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  const Real *scale, *offset;
  bool relu;
  const Element* added;  // null: nothing; needs relu
  Element* y;
  std::uint8_t* positive;  // null, or with `added`: bit set where y was left
};

// g: sum of the gradients of y that there are, 0 where the ReLU was 0.
// sums[c] = sum of g, sums[channels + c] = sum of g * (x - mean[c]).
template <class Element>
struct GradientSums {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  // These are the forward pass's: its ReLU kept y where x * scale + offset was positive. Null
  // without a ReLU, or where `positive` has the bits.
  const Real *scale, *offset;
  const std::uint8_t* positive;
  const Real* mean;
  const Element* of_y;
  const Element* of_y_too;  // null: one gradient
  Element* masked;          // null, or written: g; may be either gradient
  Real* sums;
};

// of_x = of_norm * a + x * b + c, where of_norm is 0 where the ReLU was 0, as above; `of_x` may be
// `of_norm`.
template <class Element>
struct InputGradient {
  using Real = typename RealOf<Element>::type;
  Extent extent;
  const Element* x;
  const Real *scale, *offset;  // null: of_norm is taken as it is
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

// For float, BFloat16 and double (which has portable kernels only). `set` must run here. Those of
// kAvx2 and kAvx512 compute the same bits.
template <class Element>
const NormKernels<Element>& norm_kernels(InstructionSet set);

// The tables of kernels that norm_<set>.cpp export; norm_kernels() chooses among them.
template <class Element>
const NormKernels<Element>& norm_portable();  // float, BFloat16, double
template <class Element>
const NormKernels<Element>& norm_avx2();  // float, BFloat16
template <class Element>
const NormKernels<Element>& norm_avx512();  // float, BFloat16

}  // namespace scalemark::kernels
