// The part of an image that a sample shows: chooses, decodes, resizes and flips it, and keeps the
// memory for this. Knows nothing of files, folders or labels.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "data/images/decode.h"
#include "data/images/resize.h"
#include "data/load/dataset.h"

namespace scalemark::data {

// The part of an image that a sample shows: torchvision's RandomResizedCrop + flip and Resize +
// CenterCrop, as boxes.
enum class ImageTransform {
  kTrain,     // random resized crop, random flip
  kEvaluate,  // shorter side to 256/224 of the size, centre crop
  kNone,      // the whole image stretched to the size; for tests of determinism and equality
};

// Draws like torchvision's RandomResizedCrop.get_params with its defaults (scale 0.08-1, ratio
// 3/4-4/3, ten tries, then the central crop).
Box random_crop_box(ImageSize image, SampleRandom& random);

// Returns the size after torchvision's Resize(shorter side).
ImageSize resized_by_shorter_side(ImageSize image, int shorter);

// Resizes to round(size * 256 / 224) and takes the central size x size pixels.
ResizePlan evaluation_plan(ImageSize image, int size);

// Returns the smallest of the scales 1, 2, 4 eighths at which `box` still has at least `target`
// pixels in both directions, else 8. (libjpeg-turbo has no vector code for the scales in between:
// using them makes loading 5 % slower.)
int scale_that_covers(const Box& box, ImageSize target);

enum class ImageDecoding {
  kExact,  // RGB first, then resized, as torchvision does it; a crop that is at least twice the
           // target's size is decoded at half its size or less
  kFast,   // Y, Cb and Cr are resized each by itself and become RGB at the target's size; where a
           // file stores something else (PNG, CMYK), as kExact
};

struct ImageView {
  Box box;              // the smallest part to decode
  bool scaled = false;  // the decoder may reduce it
  ResizePlan plan;      // its box is in pixels of the whole image
};

// Pure.
ImageView view_of(ImageSize image, const SampleKey& key, ImageTransform transform, int size);

// Returns the view of a given random crop: `box` becomes size x size pixels.
ImageView crop_view(const Box& box, int size, bool flip);

// Memory for one sample at a time. It is kept from sample to sample, so that an image's pages need
// not be mapped anew each time.
struct ImageWorkspace {
  std::vector<std::uint8_t> file;
  DecoderMemory decoder;
  PlanarRegion planes;
  ResizeBuffers resize;
};

// Writes view.plan.window of RGB pixels to `target`.
void write_view(ImageDecoder& image, const ImageView& view, ImageDecoding decoding,
                ImageWorkspace& workspace, std::uint8_t* target);

// --- The steps of write_view().
//
// Returns the eighths at which the image is decoded. kFast never reduces there, even to twice the
// target's size, since the decoder's reduction is sharper than a triangle filter's (p99.9 of single
// photos: 12 levels).
int scale_of(const ImageView& view, ImageDecoding decoding);

// Returns the view's plan in pixels of the decoded region.
ResizePlan plan_of(const ImageView& view, const DecodedRegion& region);
ResizePlan plan_of(const ImageView& view, const PlanarRegion& region);

// Workspaces that threads take and give back: at most as many as threads load at once.
class WorkspacePool {
 public:
  class Lease {
   public:
    explicit Lease(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(workspace_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ImageWorkspace& operator*() const { return *workspace_; }
    ImageWorkspace* operator->() const { return workspace_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<ImageWorkspace> workspace_;
  };

 private:
  std::unique_ptr<ImageWorkspace> take();
  void give_back(std::unique_ptr<ImageWorkspace> workspace) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<ImageWorkspace>> idle_;
};

}  // namespace scalemark::data
