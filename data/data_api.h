// The interface of libscalemark_data.so for the light program: one exported function returns a
// table, so that `scalemark data` loads the codecs when it needs them and no other command does. It
// also measures how fast a data set is loaded (`data bench`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/plugin.h"
#include "data/augment/augmented_dataset.h"
#include "data/images/generate.h"
#include "data/images/image_view.h"
#include "data/images/show/show_images.h"
#include "data/images/stage_times.h"
#include "data/load/dataset.h"
#include "data/load/loader.h"
#include "data/packed/pack.h"
#include "data/packed/verify.h"
#include "data/text/corpus.h"
#include "data/text/generate.h"

namespace scalemark::data {

struct LoaderBenchOptions {
  LoaderOptions loader;
  double min_seconds = 2.0;  // whole epochs run until this time is reached
};

struct LoaderBenchResult {
  std::int64_t samples = 0;
  std::int64_t epochs = 0;
  double wall_s = 0;
  double cpu_s = 0;  // sum over all threads of the process
  double samples_per_sec = 0;
  double bytes_per_sec = 0;            // counts the batches made, not the files read
  std::vector<SkippedSample> skipped;  // the first epoch skipped these
};

// Runs one epoch to warm the file cache, then whole epochs in the sampler's order (rank 0 of 1).
LoaderBenchResult bench_loader(const Dataset& dataset, const LoaderBenchOptions& options);

// The data set for `data bench`: a folder with train/ is an image tree, one with an index is packed
// data, everything else is text or a token file.
struct BenchSource {
  std::string path;
  std::string vocab;  // needed for text; may be empty for a token file
  bool cased = false;
  int image_size = 224;
  ImageDecoding image_decoding = ImageDecoding::kExact;
  std::int64_t sequence_length = 128;
  Augmentation augmentation;  // applies to images only
};

struct BenchedData {
  std::string kind;            // "images" | "sequences"
  std::int64_t data_size = 0;  // samples of the training split
  LoaderBenchResult result;
  std::optional<ImageStages> stages;  // set for images only
  std::vector<std::string> notes;     // about files and folders that are not read
};

inline constexpr const char* kDataAbi = "scalemark-data/4";

// Its functions throw scalemark::Error, since program and library are of one build.
struct DataApi {
  PluginStamp stamp;
  GeneratedImages (*generate_images)(const GenerateImagesOptions& options);
  GeneratedText (*generate_text)(const GenerateTextOptions& options);
  TokenizeReport (*tokenize_corpus)(const TokenizeOptions& options);
  PackReport (*pack_images)(const PackOptions& options);
  VerifyReport (*verify_images)(const VerifyOptions& options);
  // Throws 66 when the path does not exist, and what opening and loading the data set throw.
  BenchedData (*bench)(const BenchSource& source, const LoaderBenchOptions& options);
  ShownImages (*show)(const ShowOptions& options);
};

}  // namespace scalemark::data

extern "C" const scalemark::data::DataApi* scalemark_data_api();
