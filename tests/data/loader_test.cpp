#include "data/load/loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

// A sample is its index and a number made of its key; some are bad, and say so after they have
// written half of their slot.
class FakeDataset : public Dataset {
 public:
  explicit FakeDataset(std::int64_t size, std::set<std::int64_t> bad = {})
      : size_(size), bad_(bad) {}

  std::int64_t size() const override { return size_; }
  std::vector<FieldSpec> fields() const override {
    return {{"value", DType::kInt64, {3}}, {"label", DType::kInt32, {}}};
  }
  void load(const SampleKey& key, SampleSlot slot) const override {
    ++loaded;
    if (delay.count() > 0 && key.index % 3 == 0) std::this_thread::sleep_for(delay);
    if (slot.size() != 2 || slot[0].size() != 24 || slot[1].size() != 4) throw bug("slot");
    const std::int64_t first[3] = {key.index, static_cast<std::int64_t>(key.seed) + key.epoch, -1};
    std::memcpy(slot[0].data(), first, 16);
    if (bad_.contains(key.index)) throw bad_data(name_of(key.index) + ": broken");
    if (key.index == breaks_at) throw io_error("the disk is gone");
    if (vanishes_after >= 0 && loaded > vanishes_after) throw bad_data("#: no such file");
    std::memcpy(slot[0].data(), first, 24);
    const auto label = static_cast<std::int32_t>(key.index * 10);
    std::memcpy(slot[1].data(), &label, 4);
  }
  std::string name_of(std::int64_t index) const override { return "#" + std::to_string(index); }
  std::string identity() const override { return "fake"; }

  std::chrono::milliseconds delay{0};
  std::int64_t breaks_at = -1;
  int vanishes_after = -1;  // loads; later ones fail
  mutable std::atomic<int> loaded = 0;

 private:
  std::int64_t size_;
  std::set<std::int64_t> bad_;
};

// Memory that looks like samples of another batch: what is not written shows.
HostAllocator poisoned(unsigned char pattern) {
  return [pattern](std::size_t bytes) {
    HostBuffer buffer = allocate_host(bytes);
    std::memset(buffer.get(), pattern, bytes);
    return buffer;
  };
}

std::vector<SampledIndex> order_of(std::int64_t n) {
  return sample_indices({.dataset_size = n, .seed = 1}, 0);
}

struct LoaderPass {
  std::vector<std::vector<std::int64_t>> batches;  // the indices in each
  std::int64_t padding = 0;
  std::vector<std::string> skipped;
  std::string error;  // it ended the pass
  ExitCode exit_code = ExitCode::kPass;
};

void append_batch(const HostBatch& batch, std::int64_t seed_and_epoch, LoaderPass& pass) {
  const auto values = batch.field("value").as<std::int64_t>();
  const auto labels = batch.field("label").as<std::int32_t>();
  ASSERT_EQ(values.size(), static_cast<std::size_t>(batch.samples) * 3);
  ASSERT_EQ(labels.size(), static_cast<std::size_t>(batch.samples));
  std::vector<std::int64_t> indices;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    indices.push_back(values[3 * i]);
    EXPECT_EQ(values[3 * i + 1], seed_and_epoch);
    EXPECT_EQ(values[3 * i + 2], -1);
    EXPECT_EQ(labels[i], 10 * values[3 * i]);
  }
  pass.batches.push_back(indices);
  pass.padding += batch.padding;
}

LoaderPass run(const Dataset& dataset, LoaderOptions options, unsigned char pattern = 0xa5) {
  options.allocate = poisoned(pattern);
  options.seed = 100;
  LoaderPass pass;
  Loader loader(dataset, order_of(dataset.size()), 7, options);
  try {
    while (auto loaded = loader.next()) {
      EXPECT_GE(loaded->wait_s, 0);
      EXPECT_EQ(loaded->batch.epoch, 7);
      append_batch(loaded->batch, 107, pass);
    }
  } catch (const Error& error) {
    pass.error = error.record().what;
    pass.exit_code = error.record().exit_code;
    EXPECT_THROW(loader.next(), Error);  // it stays ended
  }
  for (const SkippedSample& s : loader.skipped()) pass.skipped.push_back(s.name + " " + s.reason);
  return pass;
}

std::vector<std::int64_t> in_order(std::int64_t n) {
  std::vector<std::int64_t> indices;
  for (const SampledIndex& s : order_of(n)) indices.push_back(s.index);
  return indices;
}

std::vector<std::int64_t> flat(const LoaderPass& pass) {
  std::vector<std::int64_t> all;
  for (const auto& batch : pass.batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST(Loader, GivesTheSamplersOrderForAnyWorkerCountAndMemory) {
  FakeDataset dataset(50);
  dataset.delay = std::chrono::milliseconds(1);
  for (const int workers : {0, 1, 2, 5}) {
    for (const unsigned char pattern : {0x00, 0xa5, 0xff}) {
      const LoaderPass pass = run(dataset,
                                  {.batch_size = 8,
                                   .workers = workers,
                                   .batches_ahead = 1 + workers,
                                   .drop_short_batch = false},
                                  pattern);
      EXPECT_EQ(flat(pass), in_order(50));
      ASSERT_EQ(pass.batches.size(), 7u);
      EXPECT_EQ(pass.batches.back().size(), 2u);
    }
  }
}

TEST(Loader, DropsTheShortBatch) {
  const LoaderPass pass = run(FakeDataset(50), {.batch_size = 8});
  EXPECT_EQ(pass.batches.size(), 6u);
  EXPECT_TRUE(run(FakeDataset(7), {.batch_size = 8}).batches.empty());
  EXPECT_TRUE(run(FakeDataset(0), {.batch_size = 1, .workers = 2}).batches.empty());
}

TEST(Loader, CountsTheSamplersPadding) {
  const FakeDataset dataset(5);
  LoaderOptions options{.batch_size = 3};
  Loader loader(dataset, sample_indices({.dataset_size = 5, .rank = 1, .world_size = 2}, 0), 0,
                options);
  EXPECT_EQ(loader.next()->batch.padding, 1);
}

TEST(Loader, ABadSampleEndsThePassWhenItsBatchIsDue) {
  const std::int64_t ninth = in_order(30)[9];
  for (const int workers : {0, 1, 4}) {
    const LoaderPass pass = run(FakeDataset(30, {ninth}), {.batch_size = 4, .workers = workers});
    EXPECT_EQ(pass.batches.size(), 2u);
    EXPECT_EQ(pass.error, "#" + std::to_string(ninth) + ": broken");
  }
}

TEST(Loader, SkippedSamplesAreReplacedByTheNextGoodOnes) {
  const auto order = in_order(20);
  const std::set<std::int64_t> bad = {order[2], order[3], order[8], order[19]};
  std::vector<std::int64_t> expected;
  for (const std::int64_t index : order) {
    if (!bad.contains(index)) expected.push_back(index);
  }
  for (const std::size_t again : {0, 1, 4, 5}) expected.push_back(order[again]);  // good ones
  for (const int workers : {0, 1, 4}) {
    const LoaderPass pass =
        run(FakeDataset(20, bad),
            {.batch_size = 4, .workers = workers, .on_bad_sample = OnBadSample::kSkip});
    EXPECT_EQ(flat(pass), expected);
    ASSERT_EQ(pass.batches.size(), 5u);
    for (const auto& batch : pass.batches) EXPECT_EQ(batch.size(), 4u);
    EXPECT_EQ(pass.padding, 4);
    ASSERT_EQ(pass.skipped.size(), 4u);
    EXPECT_EQ(pass.skipped[0],
              "#" + std::to_string(order[2]) + " #" + std::to_string(order[2]) + ": broken");
  }
}

TEST(Loader, SkipDoesNotHideOtherFailuresOrAnEpochOfBadSamples) {
  FakeDataset broken_disk(20);
  broken_disk.breaks_at = in_order(20)[5];
  EXPECT_EQ(run(broken_disk, {.batch_size = 4, .on_bad_sample = OnBadSample::kSkip}).error,
            "the disk is gone");
  const LoaderPass pass = run(FakeDataset(3, {0, 1, 2}),
                              {.batch_size = 2, .workers = 1, .on_bad_sample = OnBadSample::kSkip});
  EXPECT_NE(pass.error.find("3 samples in a row could not be decoded; the last: #"),
            std::string::npos);
}

// The file server goes away in the middle of an epoch: what was good says nothing of what comes.
TEST(Loader, SkipEndsWhenNothingGoodComesAnyMore) {
  for (const int workers : {0, 3}) {
    FakeDataset dataset(64);
    dataset.vanishes_after = 16;
    const LoaderPass pass =
        run(dataset, {.batch_size = 4, .workers = workers, .on_bad_sample = OnBadSample::kSkip});
    EXPECT_EQ(pass.batches.size(), 4u);
    EXPECT_EQ(pass.exit_code, ExitCode::kBadData);
    EXPECT_NE(pass.error.find("64 samples in a row could not be decoded"), std::string::npos)
        << pass.error;
    EXPECT_LE(dataset.loaded, 2 * 64);
  }
}

TEST(Loader, SkipNeverEndsWhileAGoodSampleIsLeft) {
  std::set<std::int64_t> all_but_one;
  for (std::int64_t i = 1; i < 30; ++i) all_but_one.insert(i);
  const LoaderPass pass =
      run(FakeDataset(30, all_but_one), {.batch_size = 5, .on_bad_sample = OnBadSample::kSkip});
  EXPECT_EQ(pass.error, "");
  EXPECT_EQ(flat(pass), std::vector<std::int64_t>(30, 0));
  EXPECT_EQ(pass.padding, 29);
}

TEST(Loader, LeavingOutReturnsEachGoodSampleOnce) {
  const auto order = in_order(21);
  const std::set<std::int64_t> bad = {order[0], order[1], order[2], order[3], order[9], order[20]};
  std::vector<std::int64_t> expected;
  for (const std::int64_t index : order) {
    if (!bad.contains(index)) expected.push_back(index);
  }
  for (const int workers : {0, 1, 4}) {
    const LoaderPass pass = run(FakeDataset(21, bad), {.batch_size = 4,
                                                       .workers = workers,
                                                       .drop_short_batch = false,
                                                       .on_bad_sample = OnBadSample::kLeaveOut});
    EXPECT_EQ(pass.error, "");
    EXPECT_EQ(flat(pass), expected);
    ASSERT_EQ(pass.batches.size(), 4u);
    for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(pass.batches[b].size(), 4u);
    EXPECT_EQ(pass.padding, 0);
    EXPECT_EQ(pass.skipped.size(), 6u);
  }
}

TEST(Loader, LeavingOutAllOfAShareIsNoError) {
  const LoaderOptions options{
      .batch_size = 2, .drop_short_batch = false, .on_bad_sample = OnBadSample::kLeaveOut};
  const LoaderPass pass = run(FakeDataset(3, {0, 1, 2}), options);
  EXPECT_EQ(pass.error, "");
  EXPECT_TRUE(pass.batches.empty());
  EXPECT_EQ(pass.skipped.size(), 3u);
  EXPECT_TRUE(run(FakeDataset(0), options).batches.empty());
}

// Whether every thread of this process but the asking one sleeps. A worker that has something to
// decode, or waits for a processor, is runnable.
bool other_threads_sleep() {
  int runnable = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(thread.path() / "stat");
    std::string number, name, state;
    file >> number >> name >> state;
    if (state != "S") ++runnable;
  }
  return runnable == 1;
}

TEST(Loader, DecodesNoFurtherAheadThanItsBound) {
  for (const int ahead : {1, 2, 5}) {
    const FakeDataset dataset(1000);
    Loader loader(dataset, order_of(1000), 0,
                  {.batch_size = 10, .workers = 3, .batches_ahead = ahead});
    loader.next();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    // One that waits for a lock sleeps as well: they rest once all is loaded that may be.
    const auto at_rest = [&] {
      return dataset.loaded >= 10 * (1 + ahead) && other_threads_sleep();
    };
    while (!at_rest() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(at_rest()) << "the workers have not come to rest";
    EXPECT_EQ(dataset.loaded, 10 * (1 + ahead));
  }
}

TEST(Loader, EndsAtAnyMoment) {
  FakeDataset dataset(1000);
  dataset.delay = std::chrono::milliseconds(5);
  for (const int batches : {0, 1, 3}) {
    const auto start = std::chrono::steady_clock::now();
    {
      Loader loader(dataset, order_of(1000), 0, {.batch_size = 4, .workers = 4});
      for (int b = 0; b < batches; ++b) loader.next();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  }
  EXPECT_LT(dataset.loaded, 200);
}

TEST(Loader, BatchesOutliveIt) {
  const FakeDataset dataset(8);
  HostBatch kept;
  {
    Loader loader(dataset, order_of(8), 0, {.batch_size = 8, .workers = 2});
    kept = loader.next()->batch;
  }
  EXPECT_EQ(kept.field("label").as<std::int32_t>()[0], 10 * in_order(8)[0]);
}

TEST(Loader, RefusesOptionsOutOfRange) {
  const FakeDataset dataset(8);
  for (const LoaderOptions& options : {LoaderOptions{.batch_size = 0}, LoaderOptions{.workers = -1},
                                       LoaderOptions{.batches_ahead = 0}}) {
    EXPECT_THROW(Loader(dataset, order_of(8), 0, options), Error);
  }
}

}  // namespace
}  // namespace scalemark::data
