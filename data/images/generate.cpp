#include "data/images/generate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numbers>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "data/images/codecs.h"
#include "data/long_work.h"

namespace scalemark::data {
namespace {

// The names are in alphabetical order, so that a shape's index is its label in an ImageFolder tree.
constexpr std::array<std::string_view, 10> kShapeNames = {
    "bars",      "circle", "crescent", "cross", "frame",
    "hourglass", "ring",   "square",   "star",  "triangle"};

constexpr double kHalfDiagonal = 1 / std::numbers::sqrt2;  // half the side of the inscribed square

// std::hypot is not used, because its last bit depends on the C library and shapes must be the same
// everywhere.
double radius(double x, double y) { return std::sqrt(x * x + y * y); }

double square_radius(double x, double y) { return std::max(std::abs(x), std::abs(y)); }

bool crescent(double x, double y) { return radius(x, y) <= 1 && radius(x - 0.45, y) > 0.8; }

bool cross(double x, double y) {
  const double longer = square_radius(x, y);
  const double shorter = std::min(std::abs(x), std::abs(y));
  return longer <= 0.95 && shorter <= 0.28;
}

bool bars(double x, double y) {
  return square_radius(x, y) <= kHalfDiagonal && std::fmod(x + kHalfDiagonal, 0.566) <= 0.283;
}

// Five spikes: in each tenth of a turn the edge is a straight line from radius 1 to 0.4.
bool star(double x, double y) {
  constexpr double kTenth = std::numbers::pi / 5;
  constexpr double kInner = 0.4;
  const double turn = std::fmod(std::atan2(y, x) + 2 * std::numbers::pi, 2 * kTenth);
  const double angle = std::min(turn, 2 * kTenth - turn);  // is 0 at the nearest spike
  const double edge =
      kInner * std::sin(kTenth) / (kInner * std::sin(kTenth - angle) + std::sin(angle));
  return radius(x, y) <= edge;
}

bool triangle(double x, double y) { return y <= 0.5 && std::numbers::sqrt3 * std::abs(x) - y <= 1; }

// Whether (x, y) is inside `shape`, drawn upright and filling the unit circle around 0.
bool inside_shape(int shape, double x, double y) {
  switch (shape) {
    case 0:
      return bars(x, y);
    case 1:
      return radius(x, y) <= 0.9;
    case 2:
      return crescent(x, y);
    case 3:
      return cross(x, y);
    case 4:
      return square_radius(x, y) <= kHalfDiagonal && square_radius(x, y) > 0.42;
    case 5:
      return std::abs(y) <= 0.8 && std::abs(x) <= std::abs(y) * 0.75;
    case 6:
      return radius(x, y) <= 1 && radius(x, y) > 0.6;
    case 7:
      return square_radius(x, y) <= kHalfDiagonal;
    case 8:
      return star(x, y);
    case 9:
      return triangle(x, y);
    default:
      throw bug("there is no such shape");
  }
}

using Colour = std::array<double, 3>;

Colour random_colour(SampleRandom& random) {
  return {random.uniform(20, 235), random.uniform(20, 235), random.uniform(20, 235)};
}

double brightness(const Colour& c) { return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]; }

// Returns a colour whose brightness differs enough from both to be seen in any hue.
Colour contrasting_colour(const Colour& a, const Colour& b, SampleRandom& random) {
  constexpr double kLeastContrast = 60;
  while (true) {
    const Colour colour = random_colour(random);
    if (std::abs(brightness(colour) - brightness(a)) >= kLeastContrast &&
        std::abs(brightness(colour) - brightness(b)) >= kLeastContrast) {
      return colour;
    }
  }
}

// Returns two background colours that leave room for a contrasting third: not one dark and one
// bright.
std::array<Colour, 2> background_colours(SampleRandom& random) {
  constexpr double kMostContrast = 60;
  const Colour first = random_colour(random);
  while (true) {
    const Colour second = random_colour(random);
    const double contrast = std::abs(brightness(second) - brightness(first));
    const double middle = (brightness(second) + brightness(first)) / 2;
    if (contrast <= kMostContrast && (middle < 110 || middle > 145)) return {first, second};
  }
}

struct Placement {
  double x, y, radius, cosine, sine;
};

// Places the shape inside the image, and mostly inside its central square, which evaluation uses.
Placement random_placement(ImageSize size, SampleRandom& random) {
  const double shorter = std::min(size.width, size.height);
  const double radius = shorter * random.uniform(0.27, 0.45);
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const auto place = [&](int side) {
    const double room = std::min(side / 2.0 - radius, 0.44 * shorter - 0.6 * radius);
    return side / 2.0 + random.uniform(-room, room);
  };
  const double x = place(size.width);
  return {.x = x,
          .y = place(size.height),
          .radius = radius,
          .cosine = std::cos(angle),
          .sine = std::sin(angle)};
}

// Returns how much of pixel (x, y) the shape covers, from four points in it.
double coverage(int shape, const Placement& at, int x, int y) {
  const double dx = x + 0.5 - at.x;
  const double dy = y + 0.5 - at.y;
  if (dx * dx + dy * dy > (at.radius + 1) * (at.radius + 1)) return 0;
  int inside = 0;
  for (const double sx : {-0.25, 0.25}) {
    for (const double sy : {-0.25, 0.25}) {
      const double u = (dx + sx) / at.radius;
      const double v = (dy + sy) / at.radius;
      inside += inside_shape(shape, u * at.cosine + v * at.sine, v * at.cosine - u * at.sine);
    }
  }
  return inside / 4.0;
}

}  // namespace

ImageSize random_photo_size(SampleRandom& random) {
  const auto shorter = static_cast<int>(300 + random.below(151));
  const double ratio = random.uniform(1.0, 16.0 / 9.0);
  const auto longer = static_cast<int>(shorter * ratio);
  return random.below(4) == 0 ? ImageSize{shorter, longer} : ImageSize{longer, shorter};
}

Pixels draw_shape(int shape, ImageSize size, SampleRandom& random) {
  const auto [from, to] = background_colours(random);
  const Colour colour = contrasting_colour(from, to, random);
  const Placement at = random_placement(size, random);
  const double direction = random.uniform(0, 2 * std::numbers::pi);
  const double across = std::cos(direction) / size.width;
  const double down = std::sin(direction) / size.height;
  const double noise = random.uniform(0, 16);
  Pixels pixels(size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    std::uint8_t* out = pixels.row(y);
    for (int x = 0; x < size.width; ++x) {
      const double cover = coverage(shape, at, x, y);
      const double blend =
          0.5 + 0.5 * ((x - size.width / 2.0) * across + (y - size.height / 2.0) * down);
      const std::uint64_t bits = random.next();
      for (std::size_t c = 0; c < 3; ++c) {
        const double grain = static_cast<double>((bits >> (16 * c)) & 0xffff) / 65536.0 - 0.5;
        const double ground = from[c] + (to[c] - from[c]) * blend;
        const double value = ground + (colour[c] - ground) * cover + grain * noise;
        *out++ = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
  }
  return pixels;
}

namespace {

namespace fs = std::filesystem;

constexpr int kQuality = 90;

struct PlannedFile {
  std::string path;
  int shape = 0;
  SampleKey key;  // its epoch is 0 for train, 1 for val
};

void refuse_if_invalid(const GenerateImagesOptions& o) {
  const auto between = [](const char* name, std::int64_t value, std::int64_t low,
                          std::int64_t high) {
    if (value >= low && value <= high) return;
    throw configuration(std::string(name) + " is " + std::to_string(value),
                        std::to_string(low) + " to " + std::to_string(high));
  };
  between("classes", o.classes, 2, static_cast<std::int64_t>(kShapeNames.size()));
  between("samples", o.samples, o.classes, 10'000'000);
  if (o.val_samples) between("val_samples", *o.val_samples, o.classes, 10'000'000);
  if (o.size) between("size", *o.size, 16, 4096);
  between("threads", o.threads, 1, 1024);
}

void make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw cannot_create(folder.string() + ": " + failed.message());
}

bool is_made_here(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string shape = file.parent_path().filename().string();
  return name.size() == 10 && name.ends_with(".jpg") && name.find_first_not_of("0123456789") == 6 &&
         std::find(kShapeNames.begin(), kShapeNames.end(), shape) != kShapeNames.end();
}

// Removes only a tree that generate_images made, since `dir` could hold anybody's photos.
void remove_made(const fs::path& dir) {
  for (const char* split : {"train", "val"}) {
    if (fs::is_symlink(dir / split)) {
      throw cannot_create((dir / split).string() + " is a link", "a folder",
                          "choose another folder");
    }
    if (!fs::exists(dir / split)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(dir / split)) {
      const bool is_folder = entry.is_directory() && !entry.is_symlink();
      if (is_folder || is_made_here(entry.path())) continue;
      throw cannot_create(entry.path().string() + " was not made by `data generate images`",
                          "--overwrite replaces only what was", "choose another folder");
    }
  }
  for (const char* split : {"train", "val"}) fs::remove_all(dir / split);
}

std::vector<PlannedFile> plan_split(const GenerateImagesOptions& o, const std::string& split,
                                    std::int64_t samples) {
  std::vector<PlannedFile> files;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto shape = static_cast<int>(i % o.classes);
    const fs::path folder = fs::path(o.dir) / split / kShapeNames[static_cast<std::size_t>(shape)];
    char name[32];
    std::snprintf(name, sizeof name, "%06lld.jpg", static_cast<long long>(i / o.classes));
    files.push_back({.path = (folder / name).string(),
                     .shape = shape,
                     .key = {.seed = o.seed, .epoch = split == "val", .index = i}});
  }
  return files;
}

void write_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr) throw cannot_create(path + ": " + std::strerror(errno));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  if (std::fclose(file.release()) != 0 || !written) {
    throw io_error(path + ": " + std::strerror(errno));
  }
}

std::int64_t make_file(const PlannedFile& file, std::optional<int> side) {
  SampleRandom random(file.key);
  const ImageSize size = side ? ImageSize{*side, *side} : random_photo_size(random);
  const auto bytes = encode_jpeg(draw_shape(file.shape, size, random), kQuality);
  write_file(file.path, bytes);
  return static_cast<std::int64_t>(bytes.size());
}

// Files are independent of each other; the first failure ends the work.
std::int64_t make_files(const std::vector<PlannedFile>& files, const GenerateImagesOptions& o) {
  std::atomic<std::int64_t> bytes = 0;
  in_threads(files.size(), o.threads, [&](std::size_t i) { bytes += make_file(files[i], o.size); });
  return bytes;
}

}  // namespace

GeneratedImages generate_images(const GenerateImagesOptions& options) {
  refuse_if_invalid(options);
  const std::int64_t val =
      options.val_samples.value_or(std::max<std::int64_t>(options.classes, options.samples / 5));
  const Descriptor held = lock_output_folder(options.dir, options.overwrite);
  try {
    if (options.overwrite) remove_made(options.dir);
  } catch (const fs::filesystem_error& error) {
    throw cannot_create(error.path1().string() + ": " + error.code().message());
  }
  std::vector<PlannedFile> files = plan_split(options, "train", options.samples);
  const std::vector<PlannedFile> val_files = plan_split(options, "val", val);
  files.insert(files.end(), val_files.begin(), val_files.end());
  for (int c = 0; c < options.classes; ++c) {
    for (const char* split : {"train", "val"}) {
      make_folder(fs::path(options.dir) / split / kShapeNames[static_cast<std::size_t>(c)]);
    }
  }
  return {.train = options.samples, .val = val, .bytes = make_files(files, options)};
}

}  // namespace scalemark::data
