// Tests which samples the loader announces to a data set before it reads them.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "data/load/group_decoder.h"
#include "data/load/loader.h"

namespace scalemark::data {
namespace {

class ExpectingDataset : public Dataset {
 public:
  std::int64_t size() const override { return 200; }
  std::vector<FieldSpec> fields() const override { return {{"value", DType::kInt64, {}}}; }
  void expect(std::int64_t index) const noexcept override {
    const std::lock_guard lock(mutex);
    expected.push_back(index);
  }
  void load(const SampleKey& key, SampleSlot) const override {
    const std::lock_guard lock(mutex);
    loaded.push_back(key.index);
    most_ahead = std::max(most_ahead, expected.size() - std::min(expected.size(), loaded.size()));
  }
  std::string name_of(std::int64_t) const override { return ""; }
  std::string identity() const override { return ""; }

  mutable std::mutex mutex;
  mutable std::vector<std::int64_t> expected;
  mutable std::vector<std::int64_t> loaded;
  mutable std::size_t most_ahead = 0;
};

TEST(ExpectedSamples, EachIsExpectedOnceAndFewFarAhead) {
  for (const int workers : {0, 1, 3}) {
    const ExpectingDataset dataset;
    Loader loader(dataset, sample_indices({.dataset_size = 200, .seed = 3}, 0), 0,
                  {.batch_size = 25, .workers = workers});
    while (loader.next()) {
    }
    std::vector<std::int64_t> expected = dataset.expected;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(std::adjacent_find(expected.begin(), expected.end()), expected.end()) << workers;
    EXPECT_GT(expected.size(), 180u) << workers;  // all but those that were begun at once
    EXPECT_GT(dataset.most_ahead, 10u) << workers;
    EXPECT_LE(dataset.most_ahead, kExpectedAhead + 3) << workers;
  }
}

}  // namespace
}  // namespace scalemark::data
