#include "data/images/generate.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "data/images/draw.h"
#include "data/images/encode.h"
#include "data/images/shapes.h"
#include "data/in_threads.h"
#include "data/output_folder.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

constexpr int kQuality = 90;

struct PlannedFile {
  std::string path;
  int shape = 0;
  SampleKey key;  // epoch: 0 train, 1 val
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

// Only a tree that generate_images made is removed: `dir` could be anybody's photos.
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

// Files are independent of each other; the first failure ends all.
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
  const Descriptor held = hold_output_folder(options.dir, options.overwrite);
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
