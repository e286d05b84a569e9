// Image files as RGB pixels, as Pillow's convert('RGB') gives them. Knows nothing of folders,
// labels or transforms; the only interface to the decoders of JPEG, PNG, WebP, PPM, PGM and BMP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace scalemark::data {

// Pixels of an image in memory of somebody else: RGB, rows of width * 3 bytes without gaps.
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

// Pixels that lie in somebody else's memory are not freed.
struct FreePixels {
  bool owned = true;
  void operator()(std::uint8_t* bytes) const {
    if (owned) delete[] bytes;
  }
};

// RGB, 3 bytes a pixel, rows of width * 3 bytes.
struct Pixels {
  std::unique_ptr<std::uint8_t[], FreePixels> bytes;
  int width = 0;
  int height = 0;

  Pixels() = default;
  Pixels(int width, int height);  // contents undefined
  // Pixels in place, to be read only: `first` must live and stay as it is as long as they do.
  static Pixels of_others(const std::uint8_t* first, int width, int height);
  std::uint8_t* row(int y) { return bytes.get() + static_cast<std::size_t>(y) * stride(); }
  const std::uint8_t* row(int y) const {
    return bytes.get() + static_cast<std::size_t>(y) * stride();
  }
  std::size_t stride() const { return static_cast<std::size_t>(width) * 3; }
};

// A part of an image, scaled by eighths / 8: pixels.row(0)[0] is pixel (left, top) of the whole
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
  kCoefficients,  // for measurements: entropy decoding alone, the planes are not written
};

// One encoded image whose header has been read. Pixel functions throw bad_sample() (65, with the
// name and the reason) for a file that cannot be decoded completely, and nothing is returned then.
class ImageDecoder {
 public:
  virtual ~ImageDecoder() = default;
  virtual ImageSize size() const = 0;

  // At least `box` (in pixels of the full image) at a scale of eighths / 8; a format that cannot
  // scale while decoding answers with 8 / 8. Reads no further than the box needs: only
  // decode_whole() detects damage below it. May be called once.
  virtual DecodedRegion decode(const Box& box, int eighths) = 0;

  // The same without upsampling and conversion to RGB, into `region`; false, and nothing has been
  // decoded, where the file does not store grey or Y, Cb and Cr of JFIF: then decode() still may be
  // called.
  virtual bool decode_planes(const Box&, int /*eighths*/, PlanarRegion&,
                             PlaneWork = PlaneWork::kSamples) {
    return false;
  }

  Pixels decode_whole();
};

// Decoders keep this memory from image to image, so that it need not be made anew. Only one may use
// it at a time.
class DecoderMemory {
 public:
  DecoderMemory();
  ~DecoderMemory();

  jpeg::ScanMemory& scan();

 private:
  std::unique_ptr<jpeg::ScanMemory> scan_;
};

// By content, not by name. `bytes` and `memory`, which may be null, must outlive the decoder;
// `name` is what errors call the file. Refuses other formats, and images above kMaxPixels.
std::unique_ptr<ImageDecoder> open_image(std::span<const std::uint8_t> bytes,
                                         const std::string& name, DecoderMemory* memory = nullptr);

// The bytes of the file. Throws bad_sample() (65) when it is not there, is no regular file or
// larger than kMaxFileBytes; io_error (74), naming it, when reading fails.
std::vector<std::uint8_t> read_image_file(const std::string& path);
// The same into memory that has been used before.
void read_image_file(const std::string& path, std::vector<std::uint8_t>& bytes);

// Asks the system to read the file into its cache meanwhile. What is wrong with it is found when it
// is read.
void read_ahead(const char* path) noexcept;

// Errors about a file that cannot be decoded give this hint.
inline constexpr const char* kLeaveOutHint =
    "train, data pack, data bench and data show leave such files out with --on-bad-sample skip";

// Pillow's limit too: more is an attack or a mistake.
inline constexpr std::int64_t kMaxPixels = 178'956'970;

// Twice what JPEG can hold. The longer side, when the shorter one is 1 pixel and is resized to what
// evaluation at the largest size needs, still has fewer than 2^31.
inline constexpr std::int64_t kMaxSide = 131'072;

// Checked before a byte is read: a sparse file of 1 TB costs nothing to make.
inline constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 30;

// Each scan of a progressive JPEG is a pass over the whole picture; real files have about ten.
inline constexpr int kMaxScans = 100;

}  // namespace scalemark::data
