#include "engine/step/metered_group.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "tests/engine/step/recorder.h"

namespace scalemark::training {
namespace {

using measurement::Moment;

// One rank over Gloo: sums are the number itself, gathers copy.
c10::intrusive_ptr<MeteredGroup> group_of_one() {
  auto store = c10::make_intrusive<c10d::HashStore>();
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, 0, 1);
  group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::GLOO,
                    c10::make_intrusive<c10d::ProcessGroupGloo>(store, 0, 1, options));
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return c10::make_intrusive<MeteredGroup>(group);
}

TEST(MeteredGroup, CountsWhatIsHandedOverWhateverTheCollective) {
  const auto group = group_of_one();
  group->begin_step();
  std::vector<at::Tensor> one{at::ones({10})};
  group->broadcast(one, {})->wait();
  group->allreduce(one, {})->wait();
  std::vector<std::vector<at::Tensor>> gathered{{at::zeros({10})}};
  group->allgather(gathered, one, {})->wait();
  EXPECT_TRUE(gathered[0][0].equal(one[0]));
  EXPECT_EQ(group->communication().payload_bytes_per_step, 120);
  EXPECT_TRUE(group->communication().bucket_bytes.empty());
  group->begin_step();
  EXPECT_EQ(group->communication().payload_bytes_per_step, 0);
}

TEST(MeteredGroup, HandsEveryCollectiveBackWithoutCommunication) {
  const auto group = group_of_one();
  group->set_exchange(Exchange::kNone);
  std::vector<at::Tensor> one{at::ones({10})};
  std::vector<std::vector<at::Tensor>> gathered{{at::zeros({10})}};
  group->allgather(gathered, one, {})->wait();
  EXPECT_TRUE(gathered[0][0].equal(at::zeros({10}))) << "it was not sent";
  at::Tensor part = at::zeros({10});
  group->reduce_scatter_single(part, one[0], {})->wait();
  EXPECT_TRUE(part.equal(at::zeros({10})));
  EXPECT_EQ(group->communication().payload_bytes_per_step, 80) << "counted all the same";
}

struct Listed final : measurement::BucketObserver {
  std::vector<std::string> events;

  std::size_t ready(std::int64_t bytes, std::string_view collective) override {
    events.push_back("ready " + std::to_string(bytes) + " " + std::string(collective));
    return 7;
  }
  void sent(std::size_t number) override { events.push_back("sent " + std::to_string(number)); }
  void done(std::size_t number) override { events.push_back("done " + std::to_string(number)); }
};

TEST(MeteredGroup, AnyCollectiveOfABackwardIsABucketAndIsReported) {
  for (const Exchange exchange : {Exchange::kOverlapped, Exchange::kAfterwards}) {
    const auto group = group_of_one();
    const auto observer = std::make_shared<Listed>();
    group->set_exchange(exchange);
    group->set_observer(observer);
    Recorder recorder;
    group->begin_step();
    group->begin_backward(1, recorder);
    at::Tensor sent = at::full({4}, 3.0), received = at::zeros({4});
    std::vector<std::int64_t> equal;
    group->all_to_all_single(received, sent, equal, equal, {})->wait();
    EXPECT_TRUE(received.equal(sent));
    EXPECT_EQ(recorder.moments, std::vector{Moment::kLastBucketReady});
    EXPECT_EQ(group->communication().bucket_bytes, std::vector<std::int64_t>{16});
    std::vector<at::Tensor> later{at::ones({2})};
    group->allreduce(later, {})->wait();
    EXPECT_EQ(group->communication().bucket_bytes.size(), 1u) << "a collective after the buckets";
    EXPECT_EQ(observer->events,
              (std::vector<std::string>{"ready 16 all_to_all", "sent 7", "done 7"}));
  }
}

TEST(MeteredGroup, MarksTheLastBucketAndHoldsBucketsBackUntilThen) {
  for (const Exchange exchange : {Exchange::kOverlapped, Exchange::kAfterwards, Exchange::kNone}) {
    const auto group = group_of_one();
    group->set_exchange(exchange);
    Recorder recorder;
    group->begin_step();
    group->begin_backward(2, recorder);
    std::vector<at::Tensor> first{at::full({3}, 2.0)}, last{at::ones({5})};
    const auto sent = group->allreduce(first, {});
    EXPECT_TRUE(recorder.moments.empty());
    EXPECT_EQ(exchange == Exchange::kAfterwards && sent->isCompleted(), false);
    const auto sent_last = group->allreduce(last, {});
    EXPECT_EQ(recorder.moments, std::vector{Moment::kLastBucketReady});
    sent->wait();
    sent_last->wait();
    EXPECT_TRUE(first[0].equal(at::full({3}, 2.0)));
    EXPECT_EQ(group->communication().bucket_bytes, (std::vector<std::int64_t>{12, 20}));
    EXPECT_EQ(group->communication().payload_bytes_per_step, 32);
    const bool leaves = exchange != Exchange::kNone;
    EXPECT_EQ(recorder.buckets,
              leaves ? std::vector<std::size_t>({0, 1}) : std::vector<std::size_t>());
    EXPECT_FALSE(recorder.in_bucket);
  }
}

}  // namespace
}  // namespace scalemark::training
