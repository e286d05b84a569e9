#include "data/images/decode.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/number_words.h"
#include "data/images/codecs.h"
#include "data/images/jpeg/scan_memory.h"

namespace scalemark::data {
namespace {

bool starts_with(std::span<const std::uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool is_webp(std::span<const std::uint8_t> bytes) {
  return starts_with(bytes, "RIFF") && bytes.size() >= 12 && starts_with(bytes.subspan(8), "WEBP");
}

// Returns the name of a common image format that is not supported; empty: none of these.
std::string unread_format(std::span<const std::uint8_t> bytes) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> kMagics[] = {
      {"GIF8"sv, "GIF"},         {"II*\0"sv, "TIFF"},
      {"MM\0*"sv, "TIFF"},       {"\0\0\0\x0cjP  "sv, "JPEG 2000"},
      {"\xff\x0a"sv, "JPEG XL"}, {"\0\0\0\x0cJXL "sv, "JPEG XL"},
      {"8BPS"sv, "Photoshop"},   {"\x89HDF"sv, "HDF5"}};
  for (const auto& [magic, format] : kMagics) {
    if (starts_with(bytes, magic)) return std::string(format);
  }
  const bool has_brand = bytes.size() > 12 && starts_with(bytes.subspan(4), "ftyp");
  return has_brand ? "HEIC or AVIF" : "";
}

constexpr const char* kFormats = "a JPEG, PNG, WebP, PPM, PGM or BMP file";

// A missing file affects this sample alone. Any other error comes from the disk, the file server or
// this process, and would affect good samples as well.
Error cannot_read(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR || error == ELOOP) {
    return bad_sample(path, std::strerror(error));
  }
  const bool too_many = error == EMFILE || error == ENFILE;
  return io_error("reading " + path + ": " + std::strerror(error),
                  "an I/O error is no bad sample: --on-bad-sample does not apply",
                  too_many ? "see `ulimit -n`" : "see whether the disk or mount is in order");
}

}  // namespace

Pixels::Pixels(int w, int h)
    : bytes(new std::uint8_t[static_cast<std::size_t>(w) * 3 * static_cast<std::size_t>(h)]),
      width(w),
      height(h) {}

Pixels Pixels::of_others(const std::uint8_t* first, int width, int height) {
  Pixels pixels;
  pixels.bytes = {const_cast<std::uint8_t*>(first), FreePixels{.owned = false}};
  pixels.width = width;
  pixels.height = height;
  return pixels;
}

DecoderMemory::DecoderMemory() : scan_(std::make_unique<jpeg::ScanMemory>()) {}
DecoderMemory::~DecoderMemory() = default;

jpeg::ScanMemory& DecoderMemory::scan() {
  // No more than this is kept for the next image, since larger files are rare and there are many
  // threads.
  constexpr std::size_t kMostKept = std::size_t{8} << 20;
  if (scan_->segment.bytes.size() > kMostKept) scan_->segment = {};
  return *scan_;
}

Pixels ImageDecoder::decode_whole() {
  const auto [width, height] = size();
  return decode({.left = 0, .top = 0, .width = width, .height = height}, 8).pixels;
}

std::unique_ptr<ImageDecoder> open_image(std::span<const std::uint8_t> bytes,
                                         const std::string& name, DecoderMemory* memory) {
  if (bytes.empty()) throw bad_sample(name, "the file is empty");
  if (starts_with(bytes, "\xff\xd8\xff")) return open_jpeg(bytes, name, memory);
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) return open_png(bytes, name);
  if (is_webp(bytes)) return open_webp(bytes, name);
  if (is_netpbm(bytes)) return open_netpbm(bytes, name);
  if (starts_with(bytes, "BM")) return open_bmp(bytes, name);
  const std::string format = unread_format(bytes);
  throw bad_sample(name, (format.empty() ? "not " : "a " + format + " file, and not ") + kFormats);
}

std::vector<std::uint8_t> read_image_file(const std::string& path) {
  std::vector<std::uint8_t> bytes;
  read_image_file(path, bytes);
  return bytes;
}

void read_image_file(const std::string& path, std::vector<std::uint8_t>& bytes) {
  // O_NONBLOCK keeps a pipe among the pictures from blocking.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) throw cannot_read(path, errno);
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) throw cannot_read(path, errno);
  if (!S_ISREG(info.st_mode)) throw bad_sample(path, "it is no regular file");
  if (info.st_size > kMaxFileBytes) {
    throw bad_sample(path, "a file of " + size_text(info.st_size) + " (at most " +
                               size_text(kMaxFileBytes) + ")");
  }
  bytes.resize(static_cast<std::size_t>(info.st_size));
  for (std::size_t got = 0; got < bytes.size();) {
    const ssize_t n = ::read(file.get(), bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot_read(path, errno);
    if (n == 0) throw bad_sample(path, "the file shrank while it was read");
    got += static_cast<std::size_t>(n);
  }
}

void read_ahead(const char* path) noexcept {
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.open()) ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_WILLNEED);
}

Error bad_sample(const std::string& name, const std::string& reason, const std::string& hint) {
  return Error(ErrorRecord{.code = "E_BAD_SAMPLE",
                           .exit_code = ExitCode::kBadData,
                           .domain = ErrorDomain::kData,
                           .what = name + ": " + reason,
                           .hint = hint.empty() ? kLeaveOutHint : hint});
}

void refuse_odd_size(const std::string& name, std::int64_t width, std::int64_t height) {
  const bool positive = width > 0 && height > 0;
  if (positive && std::max(width, height) <= kMaxSide && width <= kMaxPixels / height) return;
  throw bad_sample(name, "an image of " + std::to_string(width) + " x " + std::to_string(height) +
                             " pixels (at most " + std::to_string(kMaxPixels) + " in all, and " +
                             std::to_string(kMaxSide) + " on a side)");
}

}  // namespace scalemark::data
