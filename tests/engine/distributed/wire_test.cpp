#include "engine/distributed/wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/distributed/error_store.h"
#include "engine/distributed/foreign_error.h"
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
  EXPECT_EQ(got->what, sent.what);
  EXPECT_EQ(got->domain, ErrorDomain::kData);
  EXPECT_EQ(got->rank, 3);
  EXPECT_EQ(got->step, 12);
  EXPECT_FALSE(decode_error(encode(ErrorRecord{}))->rank);
  EXPECT_FALSE(decode_error("{\"code\":1}"));
  EXPECT_FALSE(decode_error(""));
}

TEST(Wire, NumbersKeepEveryBit) {
  const double third = 1.0 / 3, large = 9007199254740991.0;
  EXPECT_EQ(decode_numbers(encode_numbers({third, large}), 2), (std::vector{third, large}));
  EXPECT_TRUE(std::isnan(decode_numbers(encode_numbers({std::nan("")}), 1)[0]));
  EXPECT_THROW(decode_numbers(encode_numbers({third}), 2), Error);
  EXPECT_THROW(decode_numbers("no CBOR", 1), Error);
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

TEST(MeaningOf, APeerOrStoreThatIsGoneIsKnownByTypeOrText) {
  const auto meaning = [](const char* text) { return meaning_of(std::runtime_error(text)); };
  EXPECT_EQ(
      meaning("[../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer"),
      Meaning::kPeerLost);
  EXPECT_EQ(meaning_of(c10::DistNetworkError(c10::SourceLocation{}, "recv failed")),
            Meaning::kPeerLost);
  EXPECT_EQ(meaning("mat1 and mat2 shapes cannot multiply"), Meaning::kOther);
}

TEST(MeaningOf, RefusedMemoryIsThatWhoeverSaysIt) {
  for (const char* text :
       {"CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported",
        "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
        "[enforce fail at alloc_cpu.cpp:121] . DefaultCPUAllocator: not enough memory"}) {
    EXPECT_EQ(meaning_of(std::runtime_error(text)), Meaning::kOutOfMemory) << text;
  }
  const c10::DistBackendError nccl(
      c10::SourceLocation{},
      "NCCL error in: NCCLUtils.cpp:94, unhandled cuda error, NCCL version 2.28.9\n"
      "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\n"
      "Cuda failure 'out of memory'");
  EXPECT_EQ(meaning_of(nccl), Meaning::kOutOfMemory);
  const ErrorRecord record = record_of(nccl);
  EXPECT_EQ(record.exit_code, ExitCode::kOutOfMemory);
  EXPECT_TRUE(record.what.starts_with("Cuda failure 'out of memory'")) << record.what;
  EXPECT_EQ(record.what.find('\n'), std::string::npos);
}

TEST(MeaningOf, AFaultOfTheGpuIsNoLostPeer) {
  const c10::DistBackendError watchdog(
      c10::SourceLocation{},
      "[PG ID 1 Rank 0] Process group watchdog thread terminated with exception: CUDA error: an "
      "illegal memory access was encountered");
  EXPECT_EQ(meaning_of(watchdog), Meaning::kGpuFault);
  EXPECT_EQ(record_of(watchdog).exit_code, ExitCode::kGpuFault);
  EXPECT_EQ(meaning_of(std::runtime_error("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED")),
            Meaning::kGpuFault);
}

TEST(MeaningOf, AStackTraceSaysNothing) {
  EXPECT_EQ(
      meaning_of(std::runtime_error("a bug\nException raised from f at a.cpp:1 (most recent "
                                    "call first):\nframe #0: c10::OutOfMemoryError out of memory")),
      Meaning::kOther);
}

}  // namespace
}  // namespace scalemark::distributed
