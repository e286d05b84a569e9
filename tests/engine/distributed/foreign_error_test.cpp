#include <gtest/gtest.h>

#include <stdexcept>
#include <system_error>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/distributed/errors.h"
#include "engine/distributed/group_end.h"

namespace scalemark::distributed {
namespace {

// c10d says which keys it waited for, and the digest of --run-token stands in each.
TEST(OneLine, KeepsTheSecretOfTheKeysBack) {
  const std::string digest(64, 'a'), made_up(32, '7');
  for (const std::string& secret : {digest, made_up}) {
    const std::runtime_error error("wait timeout after 1000ms, keys: /scalemark/1ea518905bb01ef6/" +
                                   secret + "/group/point/0\nmore");
    EXPECT_EQ(one_line(error),
              "wait timeout after 1000ms, keys: /scalemark/1ea518905bb01ef6/.../group/point/0");
    EXPECT_EQ(record_of(error).what.find(secret), std::string::npos);
  }
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

TEST(RecordOf, AThreadThatIsRefusedIsALimitOfTheSystem) {
  const std::system_error refused(std::make_error_code(std::errc::resource_unavailable_try_again));
  const ErrorRecord record = record_of(refused);
  EXPECT_EQ(record.exit_code, ExitCode::kSystem);
  EXPECT_NE(record.expected.find("`ulimit -u` is "), std::string::npos) << record.expected;
  EXPECT_EQ(record_of(std::system_error(std::make_error_code(std::errc::io_error))).exit_code,
            ExitCode::kBug);
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
