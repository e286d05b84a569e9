#include "data/packed/pack.h"

#include <gtest/gtest.h>

#include "data/images/codecs.h"
#include "data/packed/record.h"
#include "tests/data/packed/packed_tree.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using packed::Form;

constexpr Form kForms[] = {Form::kJpeg, Form::kJpeg256, Form::kRaw256};

PackOptions options_for(const std::string& tree, const fs::path& output, Form form = Form::kJpeg) {
  return {.tree = tree, .output = output.string(), .form = form, .shard_bytes = 100'000};
}

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

// Photo sizes, above and below 256 px: the same boxes only where sizes are kept.
TEST(Pack, EveryFormHasTheTreesOrderAndJpegItsPixels) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 21, 0);
  for (const Form form : kForms) {
    const auto output = folder / std::string(name_of(form));
    const PackReport made = pack_images(options_for(tree, output, form));
    EXPECT_EQ(made.train, 21);
    EXPECT_EQ(made.evaluate, 4);
    EXPECT_GE(made.shards, 2);
    for (const auto split : {ImageSplit::kTrain, ImageSplit::kEvaluate}) {
      for (const auto transform : {ImageTransform::kTrain, ImageTransform::kEvaluate}) {
        ImageFolderOptions options{.split = split, .transform = transform, .image_size = 48};
        options.root = tree;
        const Loaded expected = all_of(*open_images(options));
        options.root = output.string();
        const auto dataset = open_images(options);
        EXPECT_EQ(dataset->identity(), made.identity);
        const Loaded got = all_of(*dataset, 2);
        EXPECT_EQ(got.labels, expected.labels);
        if (form == Form::kJpeg) {
          EXPECT_TRUE(got.pixels == expected.pixels);
        } else if (transform == ImageTransform::kEvaluate) {
          EXPECT_LT(mean_difference(got.pixels, expected.pixels), 2.5);
        }
      }
    }
  }
}

TEST(Pack, HeldOutImagesAndClassNamesCarryOver) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 30, 24);
  fs::remove_all(tree + "/val");
  const ImageTree scanned = scan_image_tree(tree);
  const auto output = folder / "out";
  pack_images(options_for(tree, output));
  const packed::Index index(output.string());
  EXPECT_EQ(index.header().held_out, 1u);
  EXPECT_EQ(index.class_names(), scanned.classes);
  std::vector<std::string> paths, expected;
  for (const auto& sample : index.split(packed::kEvaluate))
    paths.emplace_back(index.path_of(sample));
  for (const auto& file : scanned.evaluate) expected.push_back(file.path);
  EXPECT_EQ(paths, expected);
  EXPECT_EQ(paths.size(), 3u);
}

TEST(Pack, TheBytesDoNotDependOnThreads) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 40, 60);
  PackOptions options = options_for(tree, folder / "one");
  options.shard_bytes = 10'000;
  const PackReport one = pack_images(options);
  options.output = (folder / "three").string();
  options.threads = 3;
  const PackReport three = pack_images(options);
  EXPECT_GT(one.shards, 4);
  EXPECT_EQ(one.identity, three.identity);
  EXPECT_TRUE(contents_of(folder / "one") == contents_of(folder / "three"));
}

TEST(Pack, SmallImagesAreNotEnlargedAndLargeOnesHave256) {
  EXPECT_EQ(packed::reduced_size({256, 9000}).height, 9000);
  EXPECT_EQ(packed::reduced_size({500, 375}).width, 341);
  EXPECT_EQ(packed::reduced_size({500, 375}).height, 256);
  EXPECT_EQ(packed::reduced_size({30, 20}).width, 30);
}

struct Stop {};

// Stopped at every sample once, packing leaves nothing that seems finished; in the end the bytes
// are the same.
TEST(Pack, InterruptedItContinuesBehindTheLastCompleteShard) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 24, 60);
  PackOptions options = options_for(tree, folder / "whole");
  options.shard_bytes = 12'000;
  pack_images(options);
  options.output = (folder / "out").string();
  for (std::int64_t last = 1; last <= 28; ++last) {
    std::int64_t first = 0;
    options.progress = [&](std::int64_t done, std::int64_t) {
      if (first == 0) first = done;
      if (done == last) throw Stop();
    };
    EXPECT_THROW(pack_images(options), Stop) << last;
    EXPECT_TRUE(first > last - 10 || last < 10) << "begun anew at " << first;
    const ErrorRecord error = error_of([&] { open_images({.root = options.output}); });
    EXPECT_EQ(error.exit_code, ExitCode::kBadData);
    EXPECT_NE(error.what.find("is not finished"), std::string::npos) << error.what;
  }
  options.progress = {};
  const PackReport made = pack_images(options);
  EXPECT_GT(made.shards_found, 1);
  EXPECT_EQ(made.train, 24);
  EXPECT_TRUE(contents_of(folder / "whole") == contents_of(folder / "out"));
}

TEST(Pack, KilledBeforeItsPlanHasItsNameIsNotFinishedEither) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  std::filesystem::create_directory(out);
  std::ofstream(std::filesystem::path(out) / packed::kPartName) << "format";
  const ErrorRecord error = error_of([&] { open_images({.root = out}); });
  EXPECT_EQ(error.exit_code, ExitCode::kBadData);
  EXPECT_NE(error.what.find("is not finished"), std::string::npos) << error.what;
}

TEST(Pack, AnotherTreeOrOptionIsRefusedOnResume) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 12, 40);
  PackOptions options = options_for(tree, folder / "out");
  options.progress = [](std::int64_t done, std::int64_t) {
    if (done == 5) throw Stop();
  };
  EXPECT_THROW(pack_images(options), Stop);
  options.progress = {};
  PackOptions other = options;
  other.form = Form::kRaw256;
  ErrorRecord error = error_of([&] { pack_images(other); });
  EXPECT_EQ(error.exit_code, ExitCode::kConfiguration);
  EXPECT_NE(error.what.find("form jpeg"), std::string::npos) << error.what;
  EXPECT_NE(error.expected.find("form raw-256"), std::string::npos) << error.expected;
  other = options;
  other.shard_bytes += 1;
  EXPECT_EQ(error_of([&] { pack_images(other); }).exit_code, ExitCode::kConfiguration);
  folder.write("tree/train/bars/another.jpg", text_of(encode_jpeg(Pixels(9, 9), 90)));
  EXPECT_EQ(error_of([&] { pack_images(options); }).exit_code, ExitCode::kConfiguration);
  options.overwrite = true;
  EXPECT_EQ(pack_images(options).train, 13);
}

TEST(Pack, NothingOfOthersIsOverwritten) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 6, 20);
  const auto code = [&](const PackOptions& options) {
    return error_of([&] { pack_images(options); }).exit_code;
  };
  PackOptions options = options_for(tree, folder / "out");
  pack_images(options);
  EXPECT_EQ(code(options), ExitCode::kCannotCreateOutput);  // finished
  options.overwrite = true;
  EXPECT_EQ(pack_images(options).train, 6);
  folder.write("out/notes.txt", "mine");
  EXPECT_EQ(code(options), ExitCode::kCannotCreateOutput);
  EXPECT_TRUE(fs::exists((folder / "out") / packed::kIndexName));
  options.output = tree;
  EXPECT_EQ(code(options), ExitCode::kConfiguration);  // it would overwrite its input
  options.output = tree + "/train/bars/000000.jpg";
  EXPECT_EQ(code(options), ExitCode::kConfiguration);
}

// A file that does not decode: kept by jpeg and refused when it is loaded, as in the tree; the
// others name it, or leave it out.
TEST(Pack, DamagedFilesAreKeptNamedOrLeftOut) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 9, 300);
  const std::string whole = read_file(tree + "/train/circle/000001.jpg");
  folder.write("tree/train/circle/000001.jpg", whole.substr(0, whole.size() / 2));
  pack_images(options_for(tree, folder / "jpeg"));
  const auto dataset = open_images({.root = (folder / "jpeg").string()});
  std::vector<std::byte> pixels(224 * 224 * 3), label(8);
  std::vector<std::span<std::byte>> slot{pixels, label};
  const ErrorRecord error = error_of([&] { dataset->load({.index = 4}, slot); });
  EXPECT_EQ(error.code, "E_BAD_SAMPLE");
  EXPECT_NE(error.what.find("train/circle/000001.jpg in "), std::string::npos) << error.what;
  EXPECT_NE(error.what.find("train-00000.shard"), std::string::npos) << error.what;

  PackOptions options = options_for(tree, folder / "raw", Form::kRaw256);
  const ErrorRecord refused = error_of([&] { pack_images(options); });
  EXPECT_EQ(refused.exit_code, ExitCode::kBadData);
  EXPECT_NE(refused.what.find("circle/000001.jpg"), std::string::npos) << refused.what;
  options.overwrite = options.skip_bad_samples = true;
  const PackReport made = pack_images(options);
  EXPECT_EQ(made.train, 8);
  EXPECT_EQ(made.left_out.size(), 1u);
  EXPECT_EQ(open_images({.root = options.output})->size(), 8);
}

}  // namespace
}  // namespace scalemark::data
