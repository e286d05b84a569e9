#include "workloads/layers/norm_passes.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "kernels/norm/norm_kernels.h"
#include "workloads/layers/parallel.h"

namespace scalemark::workloads {
namespace {

using kernels::BFloat16;

// A part has enough elements to make the cost of its sums per channel small, and so few rows that
// sums in float lose no digit that matters.
constexpr std::int64_t kElementsOfPart = 1 << 16;
constexpr std::int64_t kFewestRows = 16, kMostRows = 256;
constexpr std::int64_t kSumsOfTask = 64;

// Divides rows into parts, by the shape alone.
struct Rows {
  explicit Rows(const at::Tensor& x)
      : channels(x.size(1)),
        count(x.numel() / channels),
        of_part(std::clamp<std::int64_t>(kElementsOfPart / channels, kFewestRows, kMostRows)),
        parts((count + of_part - 1) / of_part) {}

  std::int64_t first(std::int64_t part) const { return part * of_part; }
  kernels::Extent extent(std::int64_t part) const {
    return {std::min(of_part, count - first(part)), channels};
  }

  std::int64_t channels, count, of_part, parts;
};

template <class Body>
void over_parts(const Rows& rows, const Body& body) {
  parallel_for(0, rows.parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) body(part);
  });
}

template <class Element>
Element* elements(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if constexpr (std::is_const_v<Element>) {
    return static_cast<Element*>(tensor.const_data_ptr());
  } else {
    return static_cast<Element*>(tensor.mutable_data_ptr());
  }
}

template <class T>
T* ahead(T* pointer, std::int64_t elements) {
  return pointer ? pointer + elements : nullptr;
}

// Numbers per channel, in the type of the kernels' arithmetic.
template <class Real>
struct PerChannel {
  explicit PerChannel(std::int64_t channels) : values(static_cast<std::size_t>(channels)) {}
  Real& operator[](std::int64_t c) { return values[static_cast<std::size_t>(c)]; }
  const Real* data() const { return values.data(); }
  std::vector<Real> values;
};

// Computes scale and offset, with x * scale + offset = gain * norm(x).
template <class Real>
struct Affine {
  Affine(const NormForward& norm, const at::Tensor& statistics)
      : scale(norm.x.size(1)), offset(norm.x.size(1)) {
    const std::int64_t channels = norm.x.size(1);
    const double* mean = statistics.const_data_ptr<double>();
    const double* inverse = mean + channels;
    const Real* weight = norm.weight.const_data_ptr<Real>();
    const Real* bias = norm.bias.const_data_ptr<Real>();
    for (std::int64_t c = 0; c < channels; ++c) {
      const double factor = norm.gain * static_cast<double>(weight[c]) * inverse[c];
      scale[c] = static_cast<Real>(factor);
      offset[c] = static_cast<Real>(norm.gain * static_cast<double>(bias[c]) - mean[c] * factor);
    }
  }
  PerChannel<Real> scale, offset;
};

// Adds up the two sums per channel of all parts, [2, channels], in double and in the order of
// parts.
template <class Real>
std::vector<double> total(const Rows& rows, const at::Tensor& sums) {
  const std::int64_t width = 2 * rows.channels;
  std::vector<double> result(static_cast<std::size_t>(width));
  const Real* values = sums.const_data_ptr<Real>();
  parallel_for(0, width, kSumsOfTask, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = 0; part < rows.parts; ++part) {
      for (std::int64_t i = begin; i < end; ++i) {
        result[static_cast<std::size_t>(i)] += static_cast<double>(values[part * width + i]);
      }
    }
  });
  return result;
}

at::Tensor sums_of_parts(const Rows& rows, at::ScalarType type) {
  return at::empty({rows.parts, 2, rows.channels}, type == at::kDouble ? at::kDouble : at::kFloat);
}

template <class Real>
void move_running(const RunningStatistics& running, std::int64_t c, double mean, double variance) {
  const auto move = [&](const at::Tensor& tensor, double value) {
    if (!tensor.defined()) return;
    Real& known = tensor.mutable_data_ptr<Real>()[c];
    known = static_cast<Real>(running.momentum * value +
                              (1 - running.momentum) * static_cast<double>(known));
  };
  move(running.mean, mean);
  move(running.variance, variance);
}

// x is summed less its first row, so that a mean far from 0 costs the variance no digits.
template <class Element>
at::Tensor statistics_of(const at::Tensor& x, double eps, const RunningStatistics& running,
                         kernels::InstructionSet set) {
  using Real = typename kernels::RealOf<Element>::type;
  const Rows rows(x);
  const auto* in = elements<const Element>(x);
  const at::Tensor sums = sums_of_parts(rows, x.scalar_type());
  const at::Tensor shift = x.select(3, 0).select(2, 0).select(0, 0).to(sums.scalar_type());
  over_parts(rows, [&](std::int64_t part) {
    kernels::norm_kernels<Element>(set).sums(
        {.extent = rows.extent(part),
         .x = in + rows.first(part) * rows.channels,
         .shift = elements<const Real>(shift),
         .sums = elements<Real>(sums) + part * 2 * rows.channels});
  });
  const std::vector<double> all = total<Real>(rows, sums);
  at::Tensor result = at::empty({2, rows.channels}, at::kDouble);
  auto* mean = elements<double>(result);
  const auto count = static_cast<double>(rows.count);
  for (std::int64_t c = 0; c < rows.channels; ++c) {
    const double off = all[static_cast<std::size_t>(c)] / count;
    const double squares = all[static_cast<std::size_t>(rows.channels + c)] - off * off * count;
    const double sum_of_squares = std::isnan(squares) ? squares : std::max(0.0, squares);
    mean[c] = static_cast<double>(elements<const Real>(shift)[c]) + off;
    mean[rows.channels + c] = 1 / std::sqrt(sum_of_squares / count + eps);
    move_running<Real>(running, c, mean[c], sum_of_squares / (count - 1));
  }
  return result;
}

template <class Element>
void forward_rows(const NormForward& norm, const at::Tensor& statistics, const at::Tensor& y,
                  const at::Tensor& positive, kernels::InstructionSet set) {
  using Real = typename kernels::RealOf<Element>::type;
  const Rows rows(norm.x);
  const Affine<Real> affine(norm, statistics);
  over_parts(rows, [&](std::int64_t part) {
    const std::int64_t row = rows.first(part), at = row * rows.channels;
    kernels::norm_kernels<Element>(set).normalise(
        {.extent = rows.extent(part),
         .x = elements<const Element>(norm.x) + at,
         .scale = affine.scale.data(),
         .offset = affine.offset.data(),
         .relu = norm.relu,
         .added = ahead(elements<const Element>(norm.shortcut), at),
         .y = elements<Element>(y) + at,
         .positive =
             ahead(elements<std::uint8_t>(positive), row * kernels::mask_stride(rows.channels))});
  });
}

// One backward pass: the sums, then the parameters' gradients from them, then the gradient of x.
template <class Element>
class Backward {
 public:
  using Real = typename kernels::RealOf<Element>::type;

  Backward(const NormForward& forward, const NormBackward& backward, kernels::InstructionSet set)
      : forward_(forward),
        backward_(backward),
        kernels_(kernels::norm_kernels<Element>(set)),
        rows_(forward.x),
        affine_(forward, backward.statistics),
        mean_(rows_.channels) {
    const double* mean = backward.statistics.template const_data_ptr<double>();
    for (std::int64_t c = 0; c < rows_.channels; ++c) mean_[c] = static_cast<Real>(mean[c]);
  }

  NormParameterGradients run() {
    sums_ = gradient_sums();
    correct_for_rounded_means();
    if (backward_.of_x.defined()) write_input_gradient();
    return parameter_gradients();
  }

 private:
  bool computes_relu() const { return forward_.relu && !backward_.positive.defined(); }
  double& of_bias(std::int64_t c) { return sums_[static_cast<std::size_t>(c)]; }
  double& of_weight(std::int64_t c) { return sums_[static_cast<std::size_t>(rows_.channels + c)]; }
  double inverse(std::int64_t c) const {
    return backward_.statistics.template const_data_ptr<double>()[rows_.channels + c];
  }

  std::vector<double> gradient_sums() const {
    const at::Tensor sums = sums_of_parts(rows_, forward_.x.scalar_type());
    over_parts(rows_, [&](std::int64_t part) {
      const std::int64_t row = rows_.first(part), at = row * rows_.channels;
      kernels_.gradient_sums({.extent = rows_.extent(part),
                              .x = elements<const Element>(forward_.x) + at,
                              .scale = computes_relu() ? affine_.scale.data() : nullptr,
                              .offset = affine_.offset.data(),
                              .positive = ahead(elements<const std::uint8_t>(backward_.positive),
                                                row * kernels::mask_stride(rows_.channels)),
                              .mean = mean_.data(),
                              .of_y = elements<const Element>(backward_.of_y) + at,
                              .of_y_too = ahead(elements<const Element>(backward_.of_y_too), at),
                              .masked = ahead(elements<Element>(backward_.of_sum), at),
                              .sums = elements<Real>(sums) + part * 2 * rows_.channels});
    });
    return total<Real>(rows_, sums);
  }

  // The kernels summed g (x - mean) with means in their own type.
  void correct_for_rounded_means() {
    const double* mean = backward_.statistics.template const_data_ptr<double>();
    for (std::int64_t c = 0; c < rows_.channels; ++c) {
      of_weight(c) += (static_cast<double>(mean_[c]) - mean[c]) * of_bias(c);
      of_weight(c) *= inverse(c);
    }
  }

  // With g the gradient of gain * norm(x), n rows, normalised x h and factor = gain weight /
  // deviation, this writes factor (g - sum(g) / n - h sum(g h) / n).
  void write_input_gradient() {
    PerChannel<Real> a(rows_.channels), b(rows_.channels), c(rows_.channels);
    const double* mean = backward_.statistics.template const_data_ptr<double>();
    const Real* weight = forward_.weight.template const_data_ptr<Real>();
    const auto count = static_cast<double>(rows_.count);
    for (std::int64_t i = 0; i < rows_.channels; ++i) {
      const double factor = forward_.gain * static_cast<double>(weight[i]) * inverse(i);
      const double slope = -factor * inverse(i) * of_weight(i) / count;
      a[i] = static_cast<Real>(factor);
      b[i] = static_cast<Real>(slope);
      c[i] = static_cast<Real>(-slope * mean[i] - factor * of_bias(i) / count);
    }
    const bool is_masked = backward_.of_sum.defined();
    const at::Tensor& of_norm = is_masked ? backward_.of_sum : backward_.of_y;
    over_parts(rows_, [&](std::int64_t part) {
      const std::int64_t at = rows_.first(part) * rows_.channels;
      kernels_.input_gradient(
          {.extent = rows_.extent(part),
           .x = elements<const Element>(forward_.x) + at,
           .scale = computes_relu() && !is_masked ? affine_.scale.data() : nullptr,
           .offset = affine_.offset.data(),
           .of_norm = elements<const Element>(of_norm) + at,
           .a = a.data(),
           .b = b.data(),
           .c = c.data(),
           .of_x = elements<Element>(backward_.of_x) + at});
    });
  }

  NormParameterGradients parameter_gradients() {
    NormParameterGradients result{at::empty_like(forward_.weight), at::empty_like(forward_.bias)};
    auto* weight = elements<Real>(result.weight);
    auto* bias = elements<Real>(result.bias);
    for (std::int64_t c = 0; c < rows_.channels; ++c) {
      weight[c] = static_cast<Real>(forward_.gain * of_weight(c));
      bias[c] = static_cast<Real>(forward_.gain * of_bias(c));
    }
    return result;
  }

  const NormForward& forward_;
  const NormBackward& backward_;
  const kernels::NormKernels<Element>& kernels_;
  Rows rows_;
  Affine<Real> affine_;
  PerChannel<Real> mean_;
  // [2, channels]: gradients of bias and weight, not yet multiplied by gain.
  std::vector<double> sums_;
};

// call(a value of the kernels' element type of `type`)
template <class Call>
auto with_element(at::ScalarType type, const Call& call) {
  if (type == at::kDouble) return call(double{});
  return type == at::kBFloat16 ? call(BFloat16{}) : call(float{});
}

}  // namespace

at::Tensor norm_statistics(const at::Tensor& mean, const at::Tensor& variance, double eps) {
  const at::Tensor result = at::empty({2, mean.numel()}, at::kDouble);
  result.select(0, 0).copy_(mean);
  result.select(0, 1).copy_(variance).add_(eps).rsqrt_();
  return result;
}

at::Tensor norm_statistics(const at::Tensor& x, double eps, const RunningStatistics& running,
                           kernels::InstructionSet set) {
  return with_element(x.scalar_type(), [&]<class Element>(Element) {
    return statistics_of<Element>(x, eps, running, set);
  });
}

at::Tensor norm_forward(const NormForward& norm, const at::Tensor& statistics, at::Tensor& positive,
                        kernels::InstructionSet set) {
  const at::Tensor y = at::empty(norm.x.sizes(), norm.x.options(), at::MemoryFormat::ChannelsLast);
  with_element(norm.x.scalar_type(), [&]<class Element>(Element) {
    forward_rows<Element>(norm, statistics, y, positive, set);
  });
  return y;
}

NormParameterGradients norm_backward(const NormForward& forward, const NormBackward& backward,
                                     kernels::InstructionSet set) {
  return with_element(forward.x.scalar_type(), [&]<class Element>(Element) {
    return Backward<Element>(forward, backward, set).run();
  });
}

}  // namespace scalemark::workloads
