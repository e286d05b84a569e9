// Image files as RGB pixels, equal to Pillow's convert('RGB'). Knows nothing of folders, labels or
// transforms. This is the only interface to the decoders of JPEG, PNG, WebP, PPM, PGM and BMP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace scalemark::data {

// A view of an image's pixels in another object's memory: RGB, rows of width * 3 bytes without
// gaps.
struct RgbView {
  std::uint8_t* bytes = nullptr;
  int width = 0;
  int height = 0;
};

namespace jpeg {
struct ScanMemory;
}

struct ImageSize {
  int width = 0;
  int height = 0;
};

struct Box {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};

// Leaves pixels alone that belong to another object.
struct FreePixels {
  bool owned = true;
  void operator()(std::uint8_t* bytes) const {
    if (owned) delete[] bytes;
  }
};

// RGB pixels, 3 bytes each, in rows of width * 3 bytes.
struct Pixels {
  std::unique_ptr<std::uint8_t[], FreePixels> bytes;
  int width = 0;
  int height = 0;

  Pixels() = default;
  Pixels(int width, int height);  // the contents are undefined
  // Returns a read-only view of pixels: `first` must stay alive and unchanged as long as the view.
  static Pixels of_others(const std::uint8_t* first, int width, int height);
  std::uint8_t* row(int y) { return bytes.get() + static_cast<std::size_t>(y) * stride(); }
  const std::uint8_t* row(int y) const {
    return bytes.get() + static_cast<std::size_t>(y) * stride();
  }
  std::size_t stride() const { return static_cast<std::size_t>(width) * 3; }
};

// A part of an image at a scale of eighths / 8: pixels.row(0)[0] is pixel (left, top) of the whole
// image at that scale.
struct DecodedRegion {
  Pixels pixels;
  int left = 0;
  int top = 0;
  int eighths = 8;
};

struct PlanarRegion;

// How far decode_planes() goes.
enum class PlaneWork {
  kSamples,
  kCoefficients,  // stops after entropy decoding, for measurements; the planes are not written
};

// An encoded image whose header has been read. Pixel functions throw bad_sample() (65, with the
// name and the reason), and return nothing, for a file that cannot be decoded completely.
class ImageDecoder {
 public:
  virtual ~ImageDecoder() = default;
  virtual ImageSize size() const = 0;

  // Decodes at least `box` (in pixels of the full image) at a scale of eighths / 8; a format that
  // cannot scale while decoding returns 8 / 8. Reads no further than the box needs, so only
  // decode_whole() detects damage below it. May be called once.
  virtual DecodedRegion decode(const Box& box, int eighths) = 0;

  // Decodes into `region` without upsampling and conversion to RGB. Returns false, without decoding
  // anything, where the file does not store grey or Y, Cb and Cr of JFIF; decode() may still be
  // called then.
  virtual bool decode_planes(const Box&, int /*eighths*/, PlanarRegion&,
                             PlaneWork = PlaneWork::kSamples) {
    return false;
  }

  Pixels decode_whole();
};

// Memory that decoders keep from image to image. Only one decoder may use it at a time.
class DecoderMemory {
 public:
  DecoderMemory();
  ~DecoderMemory();

  jpeg::ScanMemory& scan();

 private:
  std::unique_ptr<jpeg::ScanMemory> scan_;
};

// Recognises the format by content, not by name. `bytes` and `memory`, which may be null, must
// outlive the decoder; `name` is the file's name in errors. Refuses other formats, and images above
// kMaxPixels.
std::unique_ptr<ImageDecoder> open_image(std::span<const std::uint8_t> bytes,
                                         const std::string& name, DecoderMemory* memory = nullptr);

// Returns the bytes of the file. Throws bad_sample() (65) when it does not exist, is no regular
// file or is larger than kMaxFileBytes; io_error (74), naming it, when reading fails.
std::vector<std::uint8_t> read_image_file(const std::string& path);
// Does the same into memory that may have been used before.
void read_image_file(const std::string& path, std::vector<std::uint8_t>& bytes);

// Asks the system to read the file into its cache. A fault in the file is found only when it is
// read.
void read_ahead(const char* path) noexcept;

// The hint in errors about a file that cannot be decoded.
inline constexpr const char* kLeaveOutHint =
    "train, data pack, data bench and data show leave such files out with --on-bad-sample skip";

// Pillow has the same limit: a larger image is an attack or a mistake.
inline constexpr std::int64_t kMaxPixels = 178'956'970;

// Twice the largest side of a JPEG. At this limit an image with a shorter side of 1 pixel, resized
// for evaluation at the largest size, still has a longer side below 2^31.
inline constexpr std::int64_t kMaxSide = 131'072;

// The size is checked before a byte is read, since a sparse file of 1 TB costs nothing to make.
inline constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 30;

// Each scan of a progressive JPEG is a pass over the whole picture; real files have about ten
// scans.
inline constexpr int kMaxScans = 100;

}  // namespace scalemark::data
