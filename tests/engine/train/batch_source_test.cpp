#include "engine/train/batch_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "core/base/error.h"

namespace scalemark::running {
namespace {

// Sample i is the number i.
class Numbers final : public data::Dataset {
 public:
  explicit Numbers(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  std::vector<data::FieldSpec> fields() const override {
    return {{"number", data::DType::kInt64, {}}};
  }
  void load(const data::SampleKey& key, data::SampleSlot slot) const override {
    std::memcpy(slot[0].data(), &key.index, sizeof key.index);
  }
  std::string name_of(std::int64_t index) const override { return std::to_string(index); }
  std::string identity() const override { return "numbers"; }

 private:
  std::int64_t size_;
};

std::vector<std::int64_t> numbers_in(const data::Batch& batch) {
  const at::Tensor& tensor = batch["number"];
  const auto* data = tensor.const_data_ptr<std::int64_t>();
  return {data, data + tensor.numel()};
}

SamplingOptions options_for(int rank, int workers) {
  return {.loader = {.batch_size = 4, .workers = workers},
          .ranks = {.first = rank, .world_size = 2},
          .seed = 5};
}

TEST(BatchSource, SeeksToAnyPlaceInTheStream) {
  const Numbers dataset(21);
  std::vector<std::vector<std::int64_t>> stream;
  const auto whole = endless_epochs(dataset, options_for(1, 0));
  for (int i = 0; i < 7; ++i) stream.push_back(numbers_in(whole->next()));
  const auto source = endless_epochs(dataset, options_for(1, 2));
  for (const int place : {5, 0, 3}) {
    source->seek(place);
    for (int i = place; i < 7; ++i) EXPECT_EQ(numbers_in(source->next()), stream[i]) << place;
  }
}

// 21 samples on 2 ranks: 10 each, so 2 full batches of 4 per epoch and rank.
class EndlessEpochs : public ::testing::TestWithParam<int> {};

TEST_P(EndlessEpochs, RunOnWithFullBatchesWithoutPadding) {
  const Numbers dataset(21);
  const auto first = endless_epochs(dataset, options_for(0, GetParam()));
  const auto second = endless_epochs(dataset, options_for(1, GetParam()));
  std::vector<std::int64_t> orders[2];
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::set<std::int64_t> seen;
    for (int k = 0; k < 2; ++k) {
      for (auto* source : {first.get(), second.get()}) {
        const auto batch = source->next();
        EXPECT_EQ(batch.samples, 4);
        EXPECT_EQ(batch.padding, 0);
        for (const auto number : numbers_in(batch)) {
          EXPECT_TRUE(seen.insert(number).second) << number << " came twice in an epoch";
          orders[epoch].push_back(number);
        }
      }
    }
  }
  EXPECT_NE(orders[0], orders[1]) << "the second epoch was not shuffled anew";
}

INSTANTIATE_TEST_SUITE_P(Workers, EndlessEpochs, ::testing::Values(0, 2));

TEST(EndlessEpochsRefuse, DataSmallerThanABatchPerRank) {
  const Numbers dataset(7);
  EXPECT_THROW(endless_epochs(dataset, options_for(0, 0)), Error);
}

// A process with both ranks of a world.
TEST(JoinedBatches, HoldWhatTheRanksWouldTakeOneAfterTheOther) {
  const Numbers dataset(21);
  const auto of_rank = [&](int rank) { return endless_epochs(dataset, options_for(rank, 0)); };
  const auto first = of_rank(0), second = of_rank(1);
  std::vector<std::unique_ptr<BatchSource>> both;
  for (const int rank : {0, 1}) both.push_back(of_rank(rank));
  const auto joined = joined_batches(std::move(both), /*pinned=*/false);
  std::vector<std::vector<std::int64_t>> stream;
  for (int i = 0; i < 5; ++i) {
    auto expected = numbers_in(first->next());
    for (const auto number : numbers_in(second->next())) expected.push_back(number);
    stream.push_back(expected);
    const data::Batch batch = joined->next();
    EXPECT_EQ(numbers_in(batch), expected);
    EXPECT_EQ(batch.samples, 8);
    EXPECT_EQ(batch.shares.size(), 2u);
  }
  joined->seek(3);
  EXPECT_EQ(numbers_in(joined->next()), stream[3]);
  joined->seek(0);
  const auto cached = cached_batches(*joined, 2);
  for (const int place : {0, 1, 0}) EXPECT_EQ(numbers_in(cached->next()), stream[place]);
}

TEST(CachedBatches, ComeInTurnForEver) {
  std::vector<data::HostBatch> batches;
  for (std::int64_t i = 0; i < 2; ++i) {
    data::HostField field{"number", data::DType::kInt64, {1}, data::allocate_host(8)};
    field.as<std::int64_t>()[0] = i;
    batches.push_back({.fields = {field}, .samples = 1});
  }
  const auto source = cached_batches(std::move(batches));
  for (const std::int64_t expected : {0, 1, 0, 1}) {
    EXPECT_EQ(numbers_in(source->next()).front(), expected);
  }
}

}  // namespace
}  // namespace scalemark::running
