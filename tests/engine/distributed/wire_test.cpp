#include "engine/distributed/wire.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/distributed/fault.h"
#include "engine/distributed/preflight.h"
#include "engine/distributed/recording_store.h"

namespace scalemark::distributed {
namespace {

TEST(Wire, AnErrorArrivesAsItWasSent) {
  const ErrorRecord sent{.code = "E_BAD_SAMPLE",
                         .exit_code = ExitCode::kBadData,
                         .domain = ErrorDomain::kData,
                         .what = "a \"b\"\n\xff",
                         .expected = "c",
                         .hint = "d",
                         .rank = 3,
                         .host = "n7",
                         .phase = "window",
                         .point = "p",
                         .step = 12};
  const auto got = decode_error(encode(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->what, "a \"b\"\n\xef\xbf\xbd");  // what is not UTF-8 cannot travel
  EXPECT_EQ(got->domain, ErrorDomain::kData);
  EXPECT_EQ(got->rank, 3);
  EXPECT_EQ(got->step, 12);
  EXPECT_FALSE(decode_error(encode(ErrorRecord{}))->rank);
  EXPECT_FALSE(decode_error("{\"code\":1}"));
  EXPECT_FALSE(decode_error(""));
}

TEST(Preflight, NamesEveryKeyThatDiffers) {
  const auto zero = facts_from_json(R"({"a":1,"b":{"c":"x","d":[1]},"e":null})");
  const auto mine = facts_from_json(R"({"a":1,"b":{"c":"y"},"e":null,"f":true})");
  EXPECT_EQ(differences(zero, mine),
            (std::vector<std::string>{"b.c is y; rank 0 has x", "b.d is absent; rank 0 has [1]",
                                      "f is true; rank 0 has absent"}));
  EXPECT_TRUE(differences(zero, zero).empty());
  EXPECT_THROW(facts_from_json("[1]"), Error);
  EXPECT_THROW(facts_from_json("{"), Error);
}

TEST(RecordingStore, DeletesWhatWasWrittenThroughItAndItsClones) {
  const auto inner = c10::make_intrusive<c10d::HashStore>();
  inner->set("kept", {1});
  const auto store = c10::make_intrusive<RecordingStore>(inner);
  c10d::Store& writer = *store;
  writer.set("a", std::string("1"));
  store->add("n", 2);
  const auto clone = store->clone();
  clone->set("b", std::string("1"));
  store->multiSet({"c", "d"}, {{1}, {2}});
  EXPECT_EQ(inner->getNumKeys(), 6);
  EXPECT_EQ(store->delete_recorded_keys(), 5U);
  EXPECT_EQ(inner->getNumKeys(), 1);
  EXPECT_TRUE(inner->check({"kept"}));
}

TEST(CollectiveFailure, IsKnownByItsTexts) {
  EXPECT_TRUE(is_collective_failure(std::runtime_error(
      "[../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer")));
  EXPECT_TRUE(is_collective_failure(c10::DistNetworkError(c10::SourceLocation{}, "recv failed")));
  EXPECT_FALSE(is_collective_failure(std::runtime_error("mat1 and mat2 shapes cannot multiply")));
}

}  // namespace
}  // namespace scalemark::distributed
