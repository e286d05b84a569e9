#include "data/images/image_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/error.h"
#include "core/base/wire.h"
#include "data/images/codecs.h"
#include "data/images/generate.h"
#include "data/load/loader.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, gone afterwards.
class ImageFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = (fs::temp_directory_path() /
             ("scalemark-" +
              std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" +
              std::to_string(::getpid())))
                .string();
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::vector<std::uint8_t>& bytes) {
    const fs::path file = fs::path(root_) / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  void picture(const std::string& path, ImageSize size = {40, 30}) {
    SampleRandom random(path.size());
    write(path, encode_jpeg(draw_shape(1, size, random), 90));
  }
  template <class Call>
  ErrorRecord error_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.record();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }

  std::string root_;
};

std::vector<std::string> paths(const std::vector<ImageFile>& files) {
  std::vector<std::string> result;
  for (const ImageFile& file : files)
    result.push_back(file.path + ":" + std::to_string(file.label));
  return result;
}

TEST_F(ImageFolderTest, ClassesAndFilesAreSortedAndOtherFilesIgnored) {
  for (const char* path : {"train/b/2.jpg", "train/b/10.JPEG", "train/a/x.PNG",
                           "train/a/deep/y.jpeg", "val/b/v.jpg"}) {
    picture(path);
  }
  write("train/a/notes.txt", {1});
  const ImageTree tree = scan_image_tree(root_ + "/");
  EXPECT_EQ(tree.classes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(paths(tree.train), (std::vector<std::string>{"train/a/x.PNG:0", "train/a/deep/y.jpeg:0",
                                                         "train/b/10.JPEG:1", "train/b/2.jpg:1"}));
  EXPECT_EQ(paths(tree.evaluate), (std::vector<std::string>{"val/b/v.jpg:1"}));
  EXPECT_FALSE(tree.held_out);
}

TEST_F(ImageFolderTest, WithoutValTheLastOfEachClassAreHeldOut) {
  for (int i = 0; i < 25; ++i) {
    picture("train/a/" + std::to_string(100 + i) + ".jpg");
    if (i < 2) picture("train/b/" + std::to_string(i) + ".jpg");
  }
  const ImageTree tree = scan_image_tree(root_);
  EXPECT_TRUE(tree.held_out);
  EXPECT_EQ(tree.train.size(), 24u);
  EXPECT_EQ(
      paths(tree.evaluate),
      (std::vector<std::string>{"train/a/123.jpg:0", "train/a/124.jpg:0", "train/b/1.jpg:1"}));
  EXPECT_EQ(held_out_of(1), 0);
  EXPECT_EQ(held_out_of(9), 1);
  EXPECT_EQ(held_out_of(1300), 130);
}

TEST_F(ImageFolderTest, RefusesTreesThatAreNotThereOrDoNotFit) {
  const auto code = [&] { return error_of([&] { scan_image_tree(root_); }).exit_code; };
  EXPECT_EQ(code(), ExitCode::kNoInput);
  fs::create_directories(root_ + "/train");
  EXPECT_EQ(code(), ExitCode::kNoInput);
  fs::create_directories(root_ + "/train/empty");
  EXPECT_EQ(code(), ExitCode::kBadData);
  picture("train/empty/1.jpg");
  EXPECT_EQ(error_of([&] {
              open_image_folder({.root = root_, .split = ImageSplit::kEvaluate});
            }).exit_code,
            ExitCode::kBadData);  // one image, none held out
  picture("val/stranger/1.jpg");
  EXPECT_NE(error_of([&] { scan_image_tree(root_); }).what.find("stranger"), std::string::npos);
}

// Bytes, shape and class of each sample are the same whatever lay in the memory before and whatever
// thread decoded it; images of very different sizes follow each other through the same workers.
TEST_F(ImageFolderTest, EveryByteComesFromTheFile) {
  int n = 0;
  for (const ImageSize size :
       {ImageSize{900, 700}, {3, 2}, {64, 64}, {17, 300}, {1, 1}, {500, 20}}) {
    picture("train/a/" + std::to_string(n++) + ".jpg", size);
    picture("train/b/" + std::to_string(n++) + ".jpg", size);
  }
  picture("val/a/0.jpg");
  for (const auto transform :
       {ImageTransform::kTrain, ImageTransform::kEvaluate, ImageTransform::kNone}) {
    const auto dataset =
        open_image_folder({.root = root_, .transform = transform, .image_size = 37});
    std::vector<std::vector<std::byte>> runs;
    for (const auto& [workers, pattern] : {std::pair{0, 0x00}, {0, 0xff}, {3, 0x5a}}) {
      LoaderOptions options{.batch_size = 5, .workers = workers, .drop_short_batch = false};
      options.allocate = [pattern = pattern](std::size_t bytes) {
        HostBuffer buffer = allocate_host(bytes);
        std::memset(buffer.get(), pattern, bytes);
        return buffer;
      };
      std::vector<std::byte>& all = runs.emplace_back();
      Loader loader(*dataset, sample_indices({.dataset_size = 12, .shuffle = false}, 0), 0,
                    options);
      while (const auto loaded = loader.next()) {
        const auto images = loaded->batch.field("image").as<std::byte>();
        all.insert(all.end(), images.begin(), images.end());
        for (const std::int64_t label : loaded->batch.field("label").as<std::int64_t>()) {
          all.push_back(static_cast<std::byte>(label));
        }
      }
    }
    EXPECT_EQ(runs[0].size(), 12u * (37 * 37 * 3 + 1));
    EXPECT_TRUE(runs[0] == runs[1]);
    EXPECT_TRUE(runs[0] == runs[2]);
  }
}

TEST_F(ImageFolderTest, ABrokenFileIsNamedWithItsReasonAndSkippedOnDemand) {
  for (int i = 0; i < 6; ++i) picture("train/a/" + std::to_string(i) + ".jpg");
  picture("val/a/0.jpg");
  std::vector<std::uint8_t> cut = encode_jpeg(Pixels(50, 50), 90);
  cut.resize(cut.size() / 2);
  write("train/a/3.jpg", cut);
  const auto dataset = open_image_folder({.root = root_, .image_size = 8});
  const auto order = sample_indices({.dataset_size = 6, .shuffle = false}, 0);
  LoaderOptions options{.batch_size = 3, .workers = 2};
  {
    Loader loader(*dataset, order, 0, options);
    EXPECT_TRUE(loader.next());
    const ErrorRecord error = error_of([&] { loader.next(); });
    EXPECT_EQ(error.exit_code, ExitCode::kBadData);
    EXPECT_EQ(error.code, "E_BAD_SAMPLE");
    EXPECT_NE(error.what.find("train/a/3.jpg: "), std::string::npos);
  }
  options.on_bad_sample = OnBadSample::kSkip;
  Loader loader(*dataset, order, 0, options);
  while (loader.next()) continue;
  ASSERT_EQ(loader.skipped().size(), 1u);
  EXPECT_EQ(loader.skipped()[0].name, root_ + "/train/a/3.jpg");
}

TEST_F(ImageFolderTest, IdentityFollowsNamesAndSizes) {
  picture("train/a/0.jpg");
  picture("train/a/1.jpg");
  const auto identity = [&] { return open_image_folder({.root = root_})->identity(); };
  const std::string before = identity();
  EXPECT_EQ(before, identity());
  write("train/a/0.jpg", {1, 2, 3});
  EXPECT_NE(before, identity());
}

TEST_F(ImageFolderTest, ATreeTravelsAsBytesAndIsKnownByASampleOfItsFiles) {
  for (int i = 0; i < 40; ++i) {
    picture(std::string("train/") + (i % 2 != 0 ? "a" : "\xc3\xa9 b") + "/" + std::to_string(i) +
            ".jpg");
  }
  const ImageTree tree = scan_image_tree(root_);
  const std::string bytes = to_wire(tree);
  const ImageTree same = from_wire<ImageTree>(bytes);
  EXPECT_EQ(same.root, tree.root);
  EXPECT_EQ(same.classes, tree.classes);
  EXPECT_EQ(paths(same.train), paths(tree.train));
  EXPECT_EQ(paths(same.evaluate), paths(tree.evaluate));
  EXPECT_TRUE(same.held_out);
  for (const std::size_t cut : {std::size_t{0}, std::size_t{9}, bytes.size() - 1}) {
    EXPECT_EQ(
        error_of([&] { from_wire<ImageTree>(std::string_view(bytes).substr(0, cut)); }).exit_code,
        ExitCode::kBug);
  }

  const std::string all = mark_of(tree, 1000), some = mark_of(tree, 8);
  EXPECT_EQ(all, mark_of(same, 1000));
  write(tree.train[0].path, {1});
  EXPECT_NE(all, mark_of(tree, 1000));
  EXPECT_NE(some, mark_of(tree, 8));  // the first is always asked
}

TEST_F(ImageFolderTest, ACopyWithTheSameSizesAndTimesHasAnotherMark) {
  for (const char* name : {"train/a/0.jpg", "train/a/1.jpg"}) picture(name);
  const ImageTree tree = scan_image_tree(root_);
  ImageTree copy = tree;
  copy.root = root_ + "-copy";
  fs::copy(root_, copy.root, fs::copy_options::recursive);
  for (const char* name : {"train/a/0.jpg", "train/a/1.jpg", "train"}) {
    fs::last_write_time(fs::path(copy.root) / name, fs::last_write_time(fs::path(root_) / name));
  }
  EXPECT_EQ(identity_of(tree.root, tree.train), identity_of(copy.root, copy.train));
  EXPECT_NE(mark_of(tree, 64), mark_of(copy, 64));
  fs::remove_all(copy.root);
}

TEST_F(ImageFolderTest, ScanningGivesASignOfLifeForEachFile) {
  for (int i = 0; i < 20; ++i) picture("train/a/" + std::to_string(i) + ".jpg");
  int signs = 0;
  const ImageTree tree = scan_image_tree(root_, [&] { ++signs; });
  EXPECT_GE(signs, 20);
  signs = 0;
  identity_of(tree.root, tree.train, [&] { ++signs; });
  EXPECT_EQ(signs, 18);  // two are held out
}

std::map<std::string, std::string> contents(const std::string& root) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), root).string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

TEST_F(ImageFolderTest, GeneratedTreesAreTheSameToTheByte) {
  GenerateImagesOptions options{.classes = 4, .samples = 12, .seed = 9, .size = 48};
  const auto make = [&](const std::string& name, int threads) {
    options.dir = root_ + "/" + name;
    options.threads = threads;
    const GeneratedImages made = generate_images(options);
    EXPECT_EQ(made.train, 12);
    EXPECT_EQ(made.val, 4);
    return contents(options.dir);
  };
  const auto first = make("one", 1);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_TRUE(first == make("two", 3));
  options.seed = 10;
  EXPECT_FALSE(first == make("three", 1));
  const ImageTree tree = scan_image_tree(root_ + "/one");
  EXPECT_EQ(tree.classes, (std::vector<std::string>{"bars", "circle", "crescent", "cross"}));
  EXPECT_EQ(error_of([&] { generate_images(options); }).exit_code, ExitCode::kCannotCreateOutput);
  options.classes = 11;
  EXPECT_EQ(error_of([&] { generate_images(options); }).exit_code, ExitCode::kConfiguration);
}

}  // namespace
}  // namespace scalemark::data
