#include "engine/step/copy_ahead.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "engine/step/strategy.h"

namespace scalemark::training {
namespace {

constexpr std::int64_t kLarge = 1 << 20, kSmall = 64;  // bytes

data::Batch batch_of(std::int64_t number, std::int64_t bytes = kLarge) {
  return {.tensors = {{"image", at::full({bytes}, number, at::kByte)}}, .samples = 1};
}

std::int64_t number_of(const data::Batch& batch) { return batch["image"][0].item<std::int64_t>(); }

// A device whose copies happen when they are waited for, and not before: what is sent arrives as
// zeros until then, and a place that is sent to again forgets what nobody waited for.
class LateLane final : public CopyLane {
 public:
  explicit LateLane(std::vector<std::string>& log) : log_(log) {}

  void send(data::Batch& batch, std::size_t place) override {
    log_.push_back("send " + std::to_string(number_of(batch)) + " to " + std::to_string(place));
    at::Tensor& tensor = batch.tensors.at("image");
    from_.at(place) = tensor;
    tensor = to_.at(place) = at::full(tensor.sizes(), 0, at::kByte);
  }
  void wait(std::size_t place) override {
    log_.push_back("wait " + std::to_string(place));
    to_.at(place).copy_(from_.at(place));
  }
  void send_now(data::Batch& batch) override {
    log_.push_back("now " + std::to_string(number_of(batch)));
  }

 private:
  std::vector<std::string>& log_;
  std::vector<at::Tensor> from_{2}, to_{2};
};

struct Source {
  std::vector<data::Batch> batches;
  std::size_t asked = 0;
  NextBatch next() {
    return [this] { return asked < batches.size() ? batches[asked++] : (++asked, data::Batch{}); };
  }
};

Source source_of(std::vector<std::int64_t> sizes) {
  Source source;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    source.batches.push_back(batch_of(static_cast<std::int64_t>(i) + 1, sizes[i]));
  }
  return source;
}

TEST(CopyAhead, SendsTheNextBatchBeforeTheDeviceWaitsForThisOne) {
  std::vector<std::string> log;
  Source source = source_of({kLarge, kLarge, kLarge});
  CopyAhead copies(std::make_unique<LateLane>(log));
  const NextBatch next = source.next();
  for (std::int64_t step = 1; step <= 3; ++step) {
    data::Batch batch = copies.take(next);
    copies.arrive(batch);
    EXPECT_EQ(number_of(batch), step);
  }
  EXPECT_EQ(log, (std::vector<std::string>{"send 1 to 0", "send 2 to 1", "wait 0", "send 3 to 0",
                                           "wait 1", "wait 0"}));
  EXPECT_THROW(copies.take(next), Error);  // there are no more
}

TEST(CopyAhead, SmallBatchesAreAskedForWhenTheyAreNeeded) {
  std::vector<std::string> log;
  Source source = source_of({kSmall, kSmall});
  CopyAhead copies(std::make_unique<LateLane>(log));
  data::Batch batch = copies.take(source.next());
  EXPECT_EQ(source.asked, 1u);
  copies.arrive(batch);
  EXPECT_EQ(number_of(batch), 1);
  EXPECT_EQ(log, (std::vector<std::string>{"now 1"}));
}

TEST(CopyAhead, ABatchOfTheWarmUpsEndIsTheWindowsFirst) {
  std::vector<std::string> log;
  Source source = source_of({kLarge, kLarge, kLarge});
  CopyAhead copies(std::make_unique<LateLane>(log));
  copies.take(source.next());
  const NextBatch other = source.next();
  data::Batch batch = copies.take(other);
  copies.arrive(batch);
  EXPECT_EQ(number_of(batch), 2);
}

// The memory of a batch that nobody takes goes back in the order of the computing.
TEST(CopyAhead, WaitsForWhatIsOnItsWayWhenItEnds) {
  std::vector<std::string> log;
  Source source = source_of({kLarge, kLarge});
  {
    CopyAhead copies(std::make_unique<LateLane>(log));
    data::Batch batch = copies.take(source.next());
    copies.arrive(batch);
  }
  EXPECT_EQ(log.back(), "wait 1");
}

TEST(CopyAhead, WaitsForWhatIsOnItsWayWhenTheSourceFails) {
  std::vector<std::string> log;
  {
    CopyAhead copies(std::make_unique<LateLane>(log));
    int asked = 0;
    const NextBatch failing = [&]() -> data::Batch {
      if (++asked == 2) throw bad_data("a file is broken");
      return batch_of(asked);
    };
    EXPECT_THROW(copies.take(failing), Error);
  }
  EXPECT_EQ(log, (std::vector<std::string>{"send 1 to 0", "wait 0"}));
}

c10::Stream stream(c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::kCUDA, 0), id);
}

// Gloo's result is waited for by its own thread's stream, the default one.
TEST(RequireDefaultStream, IsForGlooOnAGpu) {
  EXPECT_NO_THROW(require_default_stream("gloo", stream(0), stream(0)));
  EXPECT_NO_THROW(require_default_stream("nccl", stream(3), stream(0)));
  EXPECT_THROW(require_default_stream("gloo", stream(3), stream(0)), Error);
}

}  // namespace
}  // namespace scalemark::training
