#include "data/images/decode.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "data/images/codecs.h"

namespace scalemark::data {
namespace {

bool starts_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

}  // namespace

Pixels::Pixels(int w, int h)
    : bytes(std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(w) * 3 *
                                                           static_cast<std::size_t>(h))),
      width(w),
      height(h) {}

Pixels ImageDecoder::decode_whole() {
  const auto [width, height] = size();
  return decode({.left = 0, .top = 0, .width = width, .height = height}, 8).pixels;
}

std::unique_ptr<ImageDecoder> open_image(std::span<const std::uint8_t> bytes,
                                         const std::string& name) {
  constexpr std::uint8_t kJpeg[] = {0xff, 0xd8, 0xff};
  constexpr std::uint8_t kPng[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (bytes.empty()) throw bad_sample(name, "the file is empty");
  if (starts_with(bytes, kJpeg)) return open_jpeg(bytes, name);
  if (starts_with(bytes, kPng)) return open_png(bytes, name);
  throw bad_sample(name, "neither a JPEG nor a PNG file");
}

std::vector<std::uint8_t> read_image_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) throw bad_sample(path, std::strerror(errno));
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  std::vector<std::uint8_t> bytes;
  if (std::fseek(file.get(), 0, SEEK_END) == 0) {
    const long size = std::ftell(file.get());
    if (size > 0) bytes.resize(static_cast<std::size_t>(size));
    std::rewind(file.get());
  }
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file.get());
  if (std::ferror(file.get()) != 0) throw bad_sample(path, std::strerror(errno));
  if (got != bytes.size()) throw bad_sample(path, "the file shrank while it was read");
  return bytes;
}

Error bad_sample(const std::string& name, const std::string& reason) {
  return Error(ErrorRecord{.code = "E_BAD_SAMPLE",
                           .exit_code = ExitCode::kBadData,
                           .domain = ErrorDomain::kData,
                           .what = name + ": " + reason,
                           .hint = "--on-bad-sample skip leaves such files out and lists them"});
}

void refuse_odd_size(const std::string& name, std::int64_t width, std::int64_t height) {
  if (width > 0 && height > 0 && width <= kMaxPixels / height) return;
  throw bad_sample(name, "an image of " + std::to_string(width) + " x " + std::to_string(height) +
                             " pixels (at most " + std::to_string(kMaxPixels) + " in all)");
}

}  // namespace scalemark::data
