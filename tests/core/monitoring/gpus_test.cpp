#include "core/monitoring/gpus.h"

#include <gtest/gtest.h>

#include "core/monitoring/visible_gpus.h"

namespace scalemark::monitoring {
namespace {

std::string fake(const std::string& variant) {
  return std::string(SCALEMARK_BINARY_DIR) + "/tests/libfake_nvml_" + variant + ".so";
}

TEST(Gpus, ReadsWhatTheDriverTells) {
  const auto survey = survey_gpus(fake("whole"));
  ASSERT_EQ(survey.gpus.size(), 2u);
  const Gpu& gpu = survey.gpus[0];
  EXPECT_EQ(gpu.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.uuid, "GPU-aaaa-0000");
  EXPECT_EQ(gpu.pci, "00000000:4E:00.0");
  EXPECT_EQ(gpu.serial, "1320220001234");
  EXPECT_EQ(gpu.memory_bytes, 85899345920ULL);
  EXPECT_EQ(gpu.driver, "580.65.06");
  EXPECT_EQ(gpu.compute_major, 9);
  EXPECT_EQ(gpu.max_sm_clock_MHz, 1980);
  EXPECT_EQ(gpu.max_memory_clock_MHz, 2619);
  EXPECT_EQ(gpu.power_limit_W, 700.0);
  EXPECT_EQ(gpu.pcie.generation, 5);
  EXPECT_EQ(gpu.pcie.width, 16);
  EXPECT_EQ(gpu.nvlinks, 17);
}

TEST(Gpus, AFailedAnswerIsAbsentAndNoted) {
  const auto survey = survey_gpus(fake("whole"));
  EXPECT_EQ(survey.gpus.at(1).serial, "");        // not supported: normal, no note
  EXPECT_FALSE(survey.gpus.at(1).power_limit_W);  // failed: noted
  EXPECT_EQ(survey.note, "not read: power limit (Unknown Error)");
}

TEST(Gpus, AnOldDriverTellsLess) {
  const auto survey = survey_gpus(fake("old"));
  ASSERT_EQ(survey.gpus.size(), 2u);
  EXPECT_EQ(survey.gpus[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_FALSE(survey.gpus[0].compute_major);
  EXPECT_FALSE(survey.gpus[0].nvlinks);
  EXPECT_NE(survey.note.find("pcie width (not in this driver)"), std::string::npos) << survey.note;
}

TEST(Gpus, WithoutAUsableLibraryThereAreNoneAndTheReasonIsSaid) {
  EXPECT_TRUE(survey_gpus("libno-such-nvml.so.1").gpus.empty());
  EXPECT_NE(survey_gpus("libno-such-nvml.so.1").note.find("libno-such-nvml.so.1"),
            std::string::npos);
  EXPECT_EQ(survey_gpus(fake("broken")).note,
            "NVML does not start: Driver/library version mismatch");
  EXPECT_NE(survey_gpus(fake("empty")).note.find("nvmlInit_v2"), std::string::npos);
}

TEST(Gpus, VisibleDevicesAsCudaReadsThem) {
  std::vector<Gpu> gpus(3);
  gpus[0].uuid = "GPU-a";
  gpus[1].uuid = "GPU-b";
  gpus[2].uuid = "GPU-c";
  using V = std::vector<int>;
  EXPECT_EQ(visible_gpus(std::nullopt, gpus), (V{0, 1, 2}));
  EXPECT_EQ(visible_gpus("2,0", gpus), (V{2, 0}));
  EXPECT_EQ(visible_gpus("0,7,1", gpus), (V{0}));  // cut at the first that does not exist
  EXPECT_EQ(visible_gpus("-1", gpus), V{});
  EXPECT_EQ(visible_gpus("GPU-c, GPU-a", gpus), (V{2, 0}));
  EXPECT_EQ(visible_gpus("0,0", gpus), V{});
  EXPECT_EQ(visible_gpus("1x", gpus), V{});
  EXPECT_EQ(visible_gpus("MIG-5", gpus), V{});  // a part of a GPU is no GPU of the list
}

TEST(Gpus, CountOfVisibleDevicesAsCudaReadsThem) {
  EXPECT_EQ(visible_gpu_count(std::nullopt, 8), 8);
  EXPECT_EQ(visible_gpu_count("", 8), 0);
  EXPECT_EQ(visible_gpu_count("0,3", 8), 2);
  EXPECT_EQ(visible_gpu_count("0,-1,2", 8), 1);
  EXPECT_EQ(visible_gpu_count("0, 9,2", 8), 1);
  EXPECT_EQ(visible_gpu_count("GPU-1234,MIG-5", 8), 2);
  EXPECT_EQ(visible_gpu_count("NoDevFiles", 8), 0);
  EXPECT_EQ(visible_gpu_count("0", 0), 0);
  EXPECT_EQ(visible_gpu_count("0,0", 8), 0);
  EXPECT_EQ(visible_gpu_count("GPU-1,0,GPU-1", 8), 0);
}

}  // namespace
}  // namespace scalemark::monitoring
