#include "data/images/stage_times.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/image_view.h"
#include "data/images/resize.h"

namespace scalemark::data {
namespace {

template <class Act>
double shortest(const Act& act) {
  double least = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    act();
    const double passed = seconds_since(start);
    least = attempt == 0 ? passed : std::min(least, passed);
  }
  return least;
}

// One image; its file has been read.
class Stages {
 public:
  Stages(const std::string& path, ImageView view, ImageDecoding decoding, ImageWorkspace& workspace,
         ImageStages& sums)
      : path_(path),
        view_(view),
        decoding_(decoding),
        workspace_(workspace),
        sums_(sums),
        target_(3 * static_cast<std::size_t>(view.plan.window.width) *
                static_cast<std::size_t>(view.plan.window.height)) {}

  void add() {
    sums_.read_s += shortest([&] { read_image_file(path_, workspace_.file); });
    if (!planes(PlaneWork::kSamples)) return add_without_planes();
    const double entropy = shortest([&] { planes(PlaneWork::kCoefficients); });
    const double decoded = shortest([&] { planes(PlaneWork::kSamples); });
    sums_.entropy_s += entropy;
    if (decoding_ == ImageDecoding::kFast) {
      sums_.idct_s += decoded - entropy;
      add_resize_of_planes();
    } else {
      add_exact(entropy, decoded);
    }
  }

 private:
  std::unique_ptr<ImageDecoder> open() const { return open_image(workspace_.file, path_); }

  bool planes(PlaneWork work) {
    return open()->decode_planes(view_.box, eighths(), workspace_.planes, work);
  }

  int eighths() const { return scale_of(view_, decoding_); }

  ResizePlan plan(bool flip) const {
    ResizePlan plan = plan_of(view_, workspace_.planes);
    plan.flip = flip;
    return plan;
  }

  void add_resize_of_planes() {
    const auto resized = [&](bool flip) {
      return shortest(
          [&] { resize(workspace_.planes, plan(flip), target_.data(), workspace_.resize); });
    };
    const double straight = resized(false);
    const double unconverted = shortest([&] {
      resize_unconverted(workspace_.planes, plan(false), target_.data(), workspace_.resize);
    });
    sums_.resize_s += unconverted;
    sums_.colour_s += straight - unconverted;
    if (view_.plan.flip) sums_.flip_s += resized(true) - straight;
  }

  // What pixels take beyond planes: libjpeg leaves out columns of pixels only, so that a narrow
  // crop may take less.
  void add_exact(double entropy, double planes) {
    DecodedRegion region;
    const double pixels = shortest([&] { region = open()->decode(view_.box, eighths()); });
    sums_.idct_s += std::min(planes, pixels) - entropy;
    sums_.colour_s += std::max(0.0, pixels - planes);
    const auto resized = [&](bool flip) {
      ResizePlan plan = plan_of(view_, region);
      plan.flip = flip;
      return shortest([&] { resize(region.pixels, plan, target_.data(), workspace_.resize); });
    };
    const double straight = resized(false);
    sums_.resize_s += straight;
    if (view_.plan.flip) sums_.flip_s += resized(true) - straight;
  }

  void add_without_planes() {
    DecodedRegion region;
    const int scale = scale_of(view_, ImageDecoding::kExact);
    sums_.other_s += shortest([&] { region = open()->decode(view_.box, scale); });
    sums_.resize_s += shortest(
        [&] { resize(region.pixels, plan_of(view_, region), target_.data(), workspace_.resize); });
  }

  const std::string& path_;
  const ImageView view_;
  const ImageDecoding decoding_;
  ImageWorkspace& workspace_;
  ImageStages& sums_;
  std::vector<std::uint8_t> target_;
};

ImageStages stages_of(const std::string& path, const SampleKey& key,
                      const ImageFolderOptions& options, ImageWorkspace& workspace) {
  read_image_file(path, workspace.file);
  const ImageSize size = open_image(workspace.file, path)->size();
  ImageStages stages{.images = 1};
  Stages(path, view_of(size, key, options.transform, options.image_size), options.decoding,
         workspace, stages)
      .add();
  return stages;
}

}  // namespace

ImageStages& ImageStages::operator+=(const ImageStages& more) {
  images += more.images;
  read_s += more.read_s;
  entropy_s += more.entropy_s;
  idct_s += more.idct_s;
  colour_s += more.colour_s;
  resize_s += more.resize_s;
  flip_s += more.flip_s;
  other_s += more.other_s;
  return *this;
}

ImageStages time_stages(const ImageTree& tree, const ImageFolderOptions& options,
                        std::uint64_t seed, std::int64_t most) {
  const auto files = static_cast<std::int64_t>(tree.train.size());
  const std::int64_t wanted = std::min(files, most);
  ImageStages sums;
  ImageWorkspace workspace;
  for (std::int64_t i = 0; i < wanted; ++i) {
    const std::int64_t index = i * files / wanted;
    const std::string path = tree.root + '/' + tree.train[static_cast<std::size_t>(index)].path;
    try {
      sums += stages_of(path, {.seed = seed, .index = index}, options, workspace);
    } catch (const Error& error) {
      if (error.record().exit_code != ExitCode::kBadData) throw;
    }
  }
  return sums;
}

}  // namespace scalemark::data
