// Faults that are planted into packed data: each must be found, and named by sample and shard.
#include "data/packed/verify.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/data/packed/packed_tree.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using packed::Form;

constexpr Form kVerifiedForms[] = {Form::kJpeg, Form::kJpeg256, Form::kRaw256};

int faults_to_plant() {
  const char* soak = std::getenv("SCALEMARK_SOAK");
  return soak != nullptr && std::string_view(soak) == "full" ? 1000 : 24;
}

std::string pack(const TemporaryFolder& folder, const std::string& tree, Form form,
                 const std::string& name) {
  const auto output = folder / name;
  pack_images({.tree = tree, .output = output.string(), .form = form, .shard_bytes = 60'000});
  return output.string();
}

bool found(const VerifyReport& report, const std::string& text) {
  for (const std::string& fault : report.faults) {
    if (fault.find(text) != std::string::npos) return true;
  }
  return false;
}

std::string listed_faults(const VerifyReport& report) {
  std::string text;
  for (const std::string& fault : report.faults) text += fault + "\n";
  return text;
}

// Makes every checksum of the index fit.
void fit_checksums(std::string& index) {
  packed::IndexHeader header;
  std::memcpy(&header, index.data(), sizeof header);
  header.payload = digest_of(std::as_bytes(std::span(index)).subspan(sizeof header));
  header.header = packed::digest_of_header(header);
  std::memcpy(index.data(), &header, sizeof header);
}

template <class Change>
void change_entry(std::string& index, std::size_t sample, const Change& change) {
  packed::IndexHeader header;
  std::memcpy(&header, index.data(), sizeof header);
  char* const place = index.data() + sizeof header + header.classes * sizeof(packed::ClassEntry) +
                      header.shards * sizeof(packed::ShardEntry) +
                      sample * sizeof(packed::SampleEntry);
  packed::SampleEntry entry;
  std::memcpy(&entry, place, sizeof entry);
  change(entry, header);
  std::memcpy(place, &entry, sizeof entry);
  fit_checksums(index);
}

// Plants one fault at a time into a folder of packed data, and takes it back.
class Planter {
 public:
  Planter(std::string root, std::uint64_t seed) : root_(std::move(root)), random_(seed) {
    const packed::Index index(root_);
    for (const auto& shard : index.shards()) shards_.push_back(index.shard_path(shard));
    for (const auto& sample : index.samples()) samples_.push_back({sample, index.name_of(sample)});
    index_ = fs::path(root_) / packed::kIndexName;
  }

  void plant_and_find(int number) {
    switch (number % 4) {
      case 0:
        return flip_in_sample();
      case 1:
        return flip_anywhere();
      case 2:
        return cut_a_shard();
      default:
        return number % 8 == 3 ? wrong_index() : flip_in_index();
    }
  }

 private:
  struct Sample {
    packed::SampleEntry entry;
    std::string name;
  };

  template <class Change>
  VerifyReport with(const fs::path& file, const Change& change) {
    const std::string before = read_file(file);
    std::string after = before;
    change(after);
    EXPECT_NE(before, after);
    write(file, after);
    VerifyReport report = verify_images({.path = root_, .threads = 2});
    write(file, before);
    return report;
  }

  static void write(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }

  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(n)));
  }
  const fs::path& a_shard() { return shards_[below(shards_.size())]; }
  void flip(std::string& bytes, std::size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
  }

  void flip_in_sample() {
    const Sample& sample = samples_[below(samples_.size())];
    const std::size_t at = sample.entry.offset + below(sample.entry.bytes);
    const auto report =
        with(shards_[sample.entry.shard], [&](std::string& bytes) { flip(bytes, at); });
    ASSERT_EQ(report.faults.size(), 1u) << listed_faults(report);
    EXPECT_TRUE(found(report, sample.name)) << listed_faults(report);
  }

  // Headers, zeros between samples, entries and ends as well.
  void flip_anywhere() {
    const fs::path shard = a_shard();
    const auto report = with(shard, [&](std::string& bytes) { flip(bytes, below(bytes.size())); });
    EXPECT_TRUE(found(report, shard.string())) << listed_faults(report);
  }

  void cut_a_shard() {
    const fs::path shard = a_shard();
    std::size_t kept = 0;
    const auto report = with(shard, [&](std::string& bytes) {
      kept = below(bytes.size());
      bytes.resize(kept);
    });
    EXPECT_TRUE(found(report, shard.string())) << listed_faults(report);
    for (const Sample& sample : samples_) {
      const bool lost =
          shards_[sample.entry.shard] == shard && sample.entry.offset + sample.entry.bytes > kept;
      EXPECT_EQ(found(report, sample.name), lost) << sample.name << ", cut at " << kept;
    }
  }

  void flip_in_index() {
    const auto report = with(index_, [&](std::string& bytes) { flip(bytes, below(bytes.size())); });
    EXPECT_TRUE(found(report, index_.string())) << listed_faults(report);
  }

  // A sample of another class, and every checksum of the index made to fit.
  void wrong_index() {
    const std::size_t one = below(samples_.size());
    const auto report = with(index_, [&](std::string& bytes) {
      change_entry(bytes, one, [](packed::SampleEntry& entry, const packed::IndexHeader& header) {
        entry.label = (entry.label + 1) % static_cast<std::uint32_t>(header.classes);
      });
    });
    EXPECT_TRUE(found(report, samples_[one].name)) << listed_faults(report);
  }

  std::string root_;
  SampleRandom random_;
  fs::path index_;
  std::vector<fs::path> shards_;
  std::vector<Sample> samples_;
};

TEST(Verify, FindsEveryPlantedFaultAndNamesItsPlace) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 18, 90);
  int planted = 0;
  for (const Form form : kVerifiedForms) {
    const std::string root = pack(folder, tree, form, std::string(name_of(form)));
    const VerifyReport before = verify_images({.path = root});
    EXPECT_TRUE(before.faults.empty()) << listed_faults(before);
    EXPECT_EQ(before.samples, 21);
    EXPECT_GE(before.shards, 2);
    Planter planter(root, 5);
    const int share = faults_to_plant() / 3 + 1;
    for (int i = 0; i < share; ++i, ++planted) planter.plant_and_find(i);
    EXPECT_TRUE(verify_images({.path = root}).faults.empty());
  }
  std::printf("%d faults planted\n", planted);
}

TEST(Verify, ShardsOfAnotherPackingAreNamed) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 12, 60);
  const std::string jpeg = pack(folder, tree, Form::kJpeg, "jpeg");
  const std::string raw = pack(folder, tree, Form::kRaw256, "raw");
  const std::string shard = "/train-00000.shard";
  fs::copy_file(raw + shard, jpeg + shard, fs::copy_options::overwrite_existing);
  VerifyReport report = verify_images({.path = jpeg});
  EXPECT_TRUE(found(report, jpeg + shard)) << listed_faults(report);
  EXPECT_EQ(error_of([&] { open_images({.root = jpeg}); }).exit_code, ExitCode::kBadData);
  fs::remove(jpeg + shard);
  report = verify_images({.path = jpeg});
  EXPECT_TRUE(found(report, jpeg + shard + ": No such file")) << listed_faults(report);
  EXPECT_EQ(error_of([&] { open_images({.root = jpeg}); }).exit_code, ExitCode::kNoInput);
}

// The same names and sizes, other contents: only the contents show it.
TEST(Verify, AnIndexOfTheSamePlanAndOtherContentsIsFound) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 6, 64);
  const std::string file = "tree/train/bars/odd.jpg";
  folder.write(file, "AAAA");  // jpeg keeps any file
  const std::string one = pack(folder, tree, Form::kJpeg, "one");
  folder.write(file, "BBBB");
  const std::string other = pack(folder, tree, Form::kJpeg, "other");
  fs::copy_file(fs::path(other) / packed::kIndexName, fs::path(one) / packed::kIndexName,
                fs::copy_options::overwrite_existing);
  const VerifyReport report = verify_images({.path = one});
  EXPECT_TRUE(found(report, "train/bars/odd.jpg in " + one)) << listed_faults(report);
}

// Pixels are read in place: a size that the shard does not hold would show other samples, or end
// the process.
TEST(Verify, AnEncodingThatTheFormDoesNotHaveIsRefused) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 6, 64);
  for (const Form form : kVerifiedForms) {
    const std::string root = pack(folder, tree, form, std::string(name_of(form)));
    const fs::path index = fs::path(root) / packed::kIndexName;
    const std::string whole = read_file(index);
    for (const std::uint32_t encoding : {0u, 1u, 2u, 3u, 0xffffffffu}) {
      if ((encoding == 2) == (form == Form::kRaw256) && encoding < 3) continue;
      std::string bytes = whole;
      change_entry(bytes, 0, [&](packed::SampleEntry& entry, const packed::IndexHeader&) {
        entry.encoding = encoding;
        entry.width = entry.height = 60'000;
      });
      std::ofstream(index, std::ios::binary) << bytes;
      const ErrorRecord error = error_of([&] { open_images({.root = root}); });
      EXPECT_EQ(error.exit_code, ExitCode::kBadData) << encoding;
      EXPECT_NE(error.what.find("does not fit its shard"), std::string::npos) << error.what;
    }
  }
}

// Whatever an index says that was written by somebody else: an error, or images.
TEST(Verify, AFaultyIndexIsRefusedOrItsSamplesAre) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 12, 48);
  SampleRandom random(9);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(n)));
  };
  for (const Form form : kVerifiedForms) {
    const std::string root = pack(folder, tree, form, std::string(name_of(form)));
    const fs::path index = fs::path(root) / packed::kIndexName;
    const std::string whole = read_file(index);
    for (int trial = 0; trial < faults_to_plant(); ++trial) {
      std::string bytes = whole;
      for (int flips = 0; flips < 3; ++flips) {
        const std::size_t at = 8 + below(bytes.size() - 8);
        bytes[at] = static_cast<char>(below(2) == 0 ? 0xff : below(256));
      }
      fit_checksums(bytes);
      std::ofstream(index, std::ios::binary) << bytes;
      for (const ImageSplit split : {ImageSplit::kTrain, ImageSplit::kEvaluate}) {
        const ErrorRecord error = error_of(
            [&] { all_of(*open_images({.root = root, .split = split, .image_size = 24})); });
        if (error.code == "E_NONE") continue;
        ASSERT_TRUE(error.exit_code == ExitCode::kBadData || error.exit_code == ExitCode::kNoInput)
            << trial << ": " << error.what;
      }
    }
  }
}

// One fault does not hide another.
TEST(Verify, AllFaultsOfAShardAreNamed) {
  const TemporaryFolder folder;
  const std::string root = pack(folder, small_tree(folder, 12, 64), Form::kJpeg, "out");
  const packed::Index index(root);
  const fs::path shard = index.shard_path(index.shards()[0]);
  std::string bytes = read_file(shard);
  const auto samples = index.samples().first(index.shards()[0].samples);
  const auto flip = [&](std::size_t at) { bytes[at] = static_cast<char>(bytes[at] ^ 1); };
  flip(samples[0].offset);
  flip(samples[1].offset + samples[1].bytes);  // this byte lies between the samples
  flip(samples[2].offset + samples[2].bytes - 1);
  bytes.pop_back();
  std::ofstream(shard, std::ios::binary) << bytes;
  const VerifyReport report = verify_images({.path = root});
  EXPECT_EQ(report.faults.size(), 4u) << listed_faults(report);
  EXPECT_TRUE(found(report, index.name_of(samples[0]) + ": its bytes do not match"));
  EXPECT_TRUE(found(report, "which belong to no sample, are not 0")) << listed_faults(report);
  EXPECT_TRUE(found(report, index.name_of(samples[2]) + ": its bytes do not match"));
  EXPECT_TRUE(found(report, "has " + std::to_string(bytes.size()) + " bytes of "));
}

TEST(Verify, AnotherVersionIsSaidInWords) {
  const TemporaryFolder folder;
  const std::string root = pack(folder, small_tree(folder, 6, 32), Form::kJpeg, "out");
  const fs::path index = fs::path(root) / packed::kIndexName;
  std::string bytes = read_file(index);
  bytes[8] = 1;
  std::ofstream(index, std::ios::binary) << bytes;
  const ErrorRecord error = error_of([&] { open_images({.root = root}); });
  EXPECT_EQ(error.exit_code, ExitCode::kBadData);
  EXPECT_NE(error.what.find("format version 1, not the 2"), std::string::npos) << error.what;
}

TEST(Verify, OfATreeItNamesEachFileThatDoesNotDecode) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 12, 64);
  EXPECT_TRUE(verify_images({.path = tree}).faults.empty());
  const std::string whole = read_file(tree + "/train/bars/000001.jpg");
  folder.write("tree/train/bars/000001.jpg", whole.substr(0, whole.size() - 20));
  folder.write("tree/val/bars/000000.jpg", "no picture");
  const VerifyReport report = verify_images({.path = tree, .threads = 3});
  EXPECT_EQ(report.samples, 15);
  ASSERT_EQ(report.faults.size(), 2u);
  EXPECT_NE(report.faults[0].find("train/bars/000001.jpg: "), std::string::npos);
  EXPECT_NE(report.faults[1].find("val/bars/000000.jpg: "), std::string::npos);
  EXPECT_EQ(error_of([&] { verify_images({.path = tree + "/none"}); }).exit_code,
            ExitCode::kNoInput);
}

}  // namespace
}  // namespace scalemark::data
