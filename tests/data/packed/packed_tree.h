// Tests of packed data share these: a small tree, packed, and its samples in a loader's order.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "data/images/generate.h"
#include "data/load/loader.h"
#include "data/packed/pack.h"
#include "data/packed/packed_images.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {

inline std::string small_tree(const TemporaryFolder& folder, std::int64_t samples, int side,
                              std::uint64_t seed = 3) {
  GenerateImagesOptions options{.dir = (folder / "tree").string(), .classes = 3, .seed = seed};
  options.samples = samples;
  if (side > 0) options.size = side;
  generate_images(options);
  return options.dir;
}

struct Loaded {
  std::vector<std::int64_t> labels;
  std::vector<std::byte> pixels;
};

// Two shuffled epochs.
inline Loaded all_of(const Dataset& dataset, int workers = 0) {
  Loaded loaded;
  for (const std::int64_t epoch : {0, 1}) {
    const LoaderOptions options{.batch_size = 5, .workers = workers, .drop_short_batch = false};
    Loader loader(dataset, sample_indices({.dataset_size = dataset.size(), .seed = 7}, epoch),
                  epoch, options);
    while (const auto batch = loader.next()) {
      for (const auto label : batch->batch.field("label").as<std::int64_t>()) {
        loaded.labels.push_back(label);
      }
      const auto pixels = batch->batch.field("image").as<std::byte>();
      loaded.pixels.insert(loaded.pixels.end(), pixels.begin(), pixels.end());
    }
  }
  return loaded;
}

inline double mean_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i]));
  }
  return sum / static_cast<double>(a.size());
}

inline std::vector<std::string> contents_of(const std::filesystem::path& folder) {
  std::vector<std::string> names, contents;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) contents.push_back(name + read_file(folder / name));
  return contents;
}

}  // namespace scalemark::data
