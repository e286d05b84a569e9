#include "data/images/stage_times.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "data/images/image_view.h"
#include "data/images/resize.h"

namespace scalemark::data {
namespace {

template <class Act>
double once(const Act& act) {
  const auto start = std::chrono::steady_clock::now();
  act();
  return seconds_since(start);
}

template <class Act>
double shortest(const Act& act) {
  double least = once(act);
  for (int more = 0; more < 2; ++more) least = std::min(least, once(act));
  return least;
}

// By chance a difference of two times may be below 0. It is set to 0 then, and `rest`, from which
// it was subtracted, becomes shorter.
void clamp_to_zero(double& difference, double& rest) {
  rest += std::min(0.0, difference);
  difference = std::max(0.0, difference);
}

// The image that `source` read last.
class Stages {
 public:
  Stages(ImageSource& source, ImageView view, ImageDecoding decoding, ImageWorkspace& workspace,
         ImageStages& sums)
      : source_(source),
        view_(view),
        decoding_(decoding),
        workspace_(workspace),
        sums_(sums),
        target_(3 * static_cast<std::size_t>(view.plan.window.width) *
                static_cast<std::size_t>(view.plan.window.height)) {}

  void add(std::int64_t index) {
    add_bytes(index);
    if (!planes(PlaneWork::kSamples)) return add_without_planes();
    const double entropy = shortest([&] { planes(PlaneWork::kCoefficients); });
    const double decoded = shortest([&] { planes(PlaneWork::kSamples); });
    if (decoding_ == ImageDecoding::kFast) {
      sums_.entropy_s += entropy;
      sums_.idct_s += decoded - entropy;
      add_resize_of_planes();
    } else {
      add_exact(entropy, decoded);
    }
  }

 private:
  bool planes(PlaneWork work) {
    return source_.open(workspace_.decoder)
        ->decode_planes(view_.box, eighths(), workspace_.planes, work);
  }

  int eighths() const { return scale_of(view_, decoding_); }

  void add_bytes(std::int64_t index) {
    bool copied = false;
    const double read = shortest([&] { copied = source_.read(index); });
    if (copied) sums_.read_s += read;
    bool compared = false;
    const double checksum = shortest([&] { compared = source_.check(); });
    if (compared) sums_.checksum_s += checksum;
  }

  template <class Region>
  ResizePlan plan(const Region& region, bool flip) const {
    ResizePlan result = plan_of(view_, region);
    result.flip = flip;
    return result;
  }

  // Returns the seconds of the resize without mirroring.
  template <class ResizeAs>
  double add_flip(const ResizeAs& resize_as) {
    const double straight = shortest([&] { resize_as(false); });
    if (view_.plan.flip) sums_.flip_s += shortest([&] { resize_as(true); }) - straight;
    return straight;
  }

  void add_resize_of_planes() {
    const PlanarRegion& region = workspace_.planes;
    const double converted = add_flip(
        [&](bool flip) { resize(region, plan(region, flip), target_.data(), workspace_.resize); });
    const double unconverted = shortest([&] {
      resize_unconverted(region, plan(region, false), target_.data(), workspace_.resize);
    });
    sums_.resize_s += unconverted;
    sums_.colour_s += converted - unconverted;
  }

  // Returns how much longer the first resize took.
  double add_resize_of(const DecodedRegion& region) {
    const auto resize_as = [&](bool flip) {
      resize(region.pixels, plan(region, flip), target_.data(), workspace_.resize);
    };
    const double first = once([&] { resize_as(false); });
    const double straight = add_flip(resize_as);
    sums_.resize_s += straight;
    return std::max(0.0, first - straight);
  }

  // Colour is the extra time for pixels over planes. Where chance makes that negative, entropy
  // decoding counts as so much shorter.
  void add_exact(double entropy, double planes) {
    DecodedRegion region;
    const double pixels =
        shortest([&] { region = source_.open(workspace_.decoder)->decode(view_.box, eighths()); });
    const double idct = planes - entropy;
    const double of_pixels = std::min(entropy, pixels - idct);
    sums_.entropy_s += of_pixels;
    sums_.idct_s += idct;
    sums_.colour_s += pixels - idct - of_pixels;
    add_resize_of(region);
  }

  // Pixels in a map are read during their first resize.
  void add_without_planes() {
    DecodedRegion region;
    const int scale = scale_of(view_, ImageDecoding::kExact);
    const double decoded =
        shortest([&] { region = source_.open(workspace_.decoder)->decode(view_.box, scale); });
    const bool mapped = !region.pixels.bytes.get_deleter().owned;
    const double at_first = add_resize_of(region);
    if (mapped) {
      sums_.read_s += decoded + at_first;
    } else {
      sums_.other_s += decoded;
    }
  }

  ImageSource& source_;
  const ImageView view_;
  const ImageDecoding decoding_;
  ImageWorkspace& workspace_;
  ImageStages& sums_;
  std::vector<std::uint8_t> target_;
};

ImageStages stages_of(ImageSource& source, const SampleKey& key, const ImageFolderOptions& options,
                      ImageWorkspace& workspace) {
  source.read(key.index);
  source.check();
  const ImageSize size = source.open(workspace.decoder)->size();
  ImageStages stages{.images = 1};
  Stages(source, view_of(size, key, options.transform, options.image_size), options.decoding,
         workspace, stages)
      .add(key.index);
  return stages;
}

}  // namespace

ImageStages& ImageStages::operator+=(const ImageStages& more) {
  images += more.images;
  read_s += more.read_s;
  checksum_s += more.checksum_s;
  entropy_s += more.entropy_s;
  idct_s += more.idct_s;
  colour_s += more.colour_s;
  resize_s += more.resize_s;
  flip_s += more.flip_s;
  other_s += more.other_s;
  return *this;
}

ImageStages time_stages(ImageSource& source, const ImageFolderOptions& options, std::uint64_t seed,
                        std::int64_t most) {
  const std::int64_t images = source.size();
  const std::int64_t wanted = std::min(images, most);
  ImageStages sums;
  ImageWorkspace workspace;
  for (std::int64_t i = 0; i < wanted; ++i) {
    const SampleKey key{.seed = seed, .index = i * images / wanted};
    try {
      sums += stages_of(source, key, options, workspace);
    } catch (const Error& error) {
      if (error.record().exit_code != ExitCode::kBadData) throw;
    }
  }
  clamp_to_zero(sums.flip_s, sums.resize_s);
  clamp_to_zero(sums.colour_s, sums.resize_s);
  clamp_to_zero(sums.idct_s, sums.entropy_s);
  return sums;
}

}  // namespace scalemark::data
