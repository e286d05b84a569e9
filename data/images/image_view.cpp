#include "data/images/image_view.h"

#include "core/base/error.h"

namespace scalemark::data {
namespace {

ImageView whole_view(ImageSize image, const ResizePlan& plan) {
  return {.box = {.width = image.width, .height = image.height}, .plan = plan};
}

ResizePlan scaled(ResizePlan plan, int eighths, int left, int top) {
  const double scale = eighths / 8.0;
  plan.box = {.left = plan.box.left * scale - left,
              .top = plan.box.top * scale - top,
              .width = plan.box.width * scale,
              .height = plan.box.height * scale};
  return plan;
}

}  // namespace

ImageView crop_view(const Box& box, int size, bool flip) {
  return {.box = box,
          .scaled = true,
          .plan = {.box = {.left = static_cast<double>(box.left),
                           .top = static_cast<double>(box.top),
                           .width = static_cast<double>(box.width),
                           .height = static_cast<double>(box.height)},
                   .full = {size, size},
                   .window = {.width = size, .height = size},
                   .flip = flip}};
}

ImageView view_of(ImageSize image, const SampleKey& key, ImageTransform transform, int size) {
  switch (transform) {
    case ImageTransform::kTrain: {
      SampleRandom random(key);
      const Box box = random_crop_box(image, random);
      return crop_view(box, size, random.uniform() < 0.5);
    }
    case ImageTransform::kEvaluate:
      return whole_view(image, evaluation_plan(image, size));
    case ImageTransform::kNone:
      return whole_view(image, {.box = {.width = static_cast<double>(image.width),
                                        .height = static_cast<double>(image.height)},
                                .full = {size, size},
                                .window = {.width = size, .height = size}});
  }
  throw bug("unknown image transform");
}

int scale_of(const ImageView& view, ImageDecoding decoding) {
  const bool reduces = view.scaled && decoding == ImageDecoding::kExact;
  return reduces ? scale_that_covers(view.box, view.plan.full) : 8;
}

ResizePlan plan_of(const ImageView& view, const DecodedRegion& region) {
  return scaled(view.plan, region.eighths, region.left, region.top);
}

ResizePlan plan_of(const ImageView& view, const PlanarRegion& region) {
  return scaled(view.plan, region.eighths, 0, 0);
}

void write_view(ImageDecoder& image, const ImageView& view, ImageDecoding decoding,
                ImageWorkspace& workspace, std::uint8_t* target) {
  if (decoding == ImageDecoding::kFast &&
      image.decode_planes(view.box, scale_of(view, decoding), workspace.planes)) {
    return resize(workspace.planes, plan_of(view, workspace.planes), target, workspace.resize);
  }
  const DecodedRegion region = image.decode(view.box, scale_of(view, ImageDecoding::kExact));
  resize(region.pixels, plan_of(view, region), target, workspace.resize);
}

}  // namespace scalemark::data
