#include "data/images/resize.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "kernels/resize/resize_kernels.h"

namespace scalemark::data {
namespace {

using kernels::BandColour;

// The input of the two passes: a part of a plane, or of RGB pixels. `bytes` begins with sample
// (left, top).
struct ResizeSource {
  const std::uint8_t* bytes = nullptr;
  std::size_t stride = 0;
  int left = 0;
  int top = 0;
  int channels = 1;
  LineSamples across;
  LineSamples down;
};

void refuse_if_invalid(ImageSize source, const ResizePlan& plan) {
  const RealBox& box = plan.box;
  const Box& window = plan.window;
  constexpr double kRounding = 1e-6;
  const bool inside_source = box.width > 0 && box.height > 0 && box.left >= -kRounding &&
                             box.top >= -kRounding &&
                             box.left + box.width <= source.width + kRounding &&
                             box.top + box.height <= source.height + kRounding;
  const bool inside_target = window.width > 0 && window.height > 0 && window.left >= 0 &&
                             window.top >= 0 && window.left + window.width <= plan.full.width &&
                             window.top + window.height <= plan.full.height;
  if (!inside_source || !inside_target) throw bug("resize: a box outside its image");
}

void make_filters(const ResizeSource& source, const ResizePlan& plan,
                  ResizeBuffers::Filters& filters) {
  const RealBox& box = plan.box;
  const Box& window = plan.window;
  make_filter(source.across,
              {.low = box.left,
               .length = box.width,
               .full = plan.full.width,
               .begin = window.left,
               .count = window.width},
              filters.across);
  make_filter(source.down,
              {.low = box.top,
               .length = box.height,
               .full = plan.full.height,
               .begin = window.top,
               .count = window.height},
              filters.down);
  rebase(filters.across, filters.across.first);
  rebase(filters.down, source.top);
}

// One source in its two passes.
class Bands {
 public:
  // `filters` were made for this source, or for another one with equal samples.
  Bands(const ResizeSource& source, const ResizeBuffers::Filters& filters, int lines,
        std::vector<std::int16_t>& middle)
      : filters_(filters), middle_(middle) {
    const int first = filters.across.first;
    job_ = {.source = source.bytes + sample_at(source, first),
            .stride = source.stride,
            .width = static_cast<std::size_t>((filters.across.end - first) * source.channels)};
    middle.resize(job_.width * static_cast<std::size_t>(lines));
  }

  void sum_rows(const kernels::ResizeKernels& kernels, int row, int lines) {
    job_.taps = filters_.down.taps.data() + row;
    job_.lines = lines;
    job_.middle = middle_.data();
    kernels.rows(job_);
  }

  kernels::BandChannel channel() const {
    return {.middle = middle_.data(), .taps = filters_.across.taps.data()};
  }

 private:
  static std::ptrdiff_t sample_at(const ResizeSource& source, int column) {
    return static_cast<std::ptrdiff_t>(column - source.left) * source.channels;
  }

  const ResizeBuffers::Filters& filters_;
  std::vector<std::int16_t>& middle_;
  kernels::BandRows job_;
};

// Rows come first: this pass costs less per pixel, and there are more pixels before it than after.
void write_bands(std::vector<Bands>& sources, const ResizePlan& plan, BandColour colour,
                 std::uint8_t* target, const kernels::ResizeKernels& kernels) {
  const Box& window = plan.window;
  kernels::BandPixels job{.colour = colour,
                          .width = window.width,
                          .flip = plan.flip,
                          .target_pitch = 3 * static_cast<std::size_t>(window.width)};
  for (int y = 0; y < window.height; y += kernels.lines) {
    job.lines = std::min(kernels.lines, window.height - y);
    job.target = target + static_cast<std::size_t>(y) * job.target_pitch;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i].sum_rows(kernels, y, job.lines);
      job.channels[i] = sources[i].channel();
    }
    kernels.pixels(job);
  }
}

// Returns the filters of plane i; planes with equal sampling share them.
const ResizeBuffers::Filters& filters_of(std::span<const ResizeSource> planes, std::size_t i,
                                         const ResizePlan& plan, ResizeBuffers& buffers) {
  for (std::size_t other = 0; other < i; ++other) {
    const ResizeSource& a = planes[other];
    const ResizeSource& b = planes[i];
    if (a.across == b.across && a.down == b.down && a.top == b.top) return buffers.filters[other];
  }
  make_filters(planes[i], plan, buffers.filters[i]);
  return buffers.filters[i];
}

void resize_all(std::span<const ResizeSource> sources, const ResizePlan& plan, BandColour colour,
                std::uint8_t* target, ResizeBuffers& buffers, kernels::InstructionSet set) {
  const kernels::ResizeKernels& kernels = kernels::resize_kernels(set);
  std::vector<Bands> bands;
  bands.reserve(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    bands.emplace_back(sources[i], filters_of(sources, i, plan, buffers), kernels.lines,
                       buffers.middle[i]);
  }
  write_bands(bands, plan, colour, target, kernels);
}

void resize_planes(const PlanarRegion& source, const ResizePlan& plan, BandColour colour,
                   std::uint8_t* target, ResizeBuffers& buffers, kernels::InstructionSet set) {
  refuse_if_invalid(source.scaled, plan);
  std::vector<ResizeSource> planes;
  for (const Plane& plane : std::span(source.planes, static_cast<std::size_t>(source.count))) {
    planes.push_back({.bytes = plane.bytes,
                      .stride = plane.stride,
                      .left = plane.left,
                      .top = plane.top,
                      .across = plane.across,
                      .down = plane.down});
  }
  resize_all(planes, plan, source.count == 1 ? BandColour::kGrey : colour, target, buffers, set);
}

}  // namespace

void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target,
            ResizeBuffers& buffers, kernels::InstructionSet set) {
  refuse_if_invalid({source.width, source.height}, plan);
  const ResizeSource rgb{.bytes = source.row(0),
                         .stride = source.stride(),
                         .channels = 3,
                         .across = {.pixels = source.width, .samples = source.width},
                         .down = {.pixels = source.height, .samples = source.height}};
  resize_all({&rgb, 1}, plan, BandColour::kRgb, target, buffers, set);
}

void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target) {
  ResizeBuffers buffers;
  resize(source, plan, target, buffers);
}

void resize(const PlanarRegion& source, const ResizePlan& plan, std::uint8_t* target,
            ResizeBuffers& buffers, kernels::InstructionSet set) {
  resize_planes(source, plan, BandColour::kYcc, target, buffers, set);
}

void resize_unconverted(const PlanarRegion& source, const ResizePlan& plan, std::uint8_t* target,
                        ResizeBuffers& buffers) {
  resize_planes(source, plan, BandColour::kKept, target, buffers, kernels::widest());
}

}  // namespace scalemark::data
