#include "core/machine/gpus.h"

#include <gtest/gtest.h>

namespace scalemark::monitoring {
namespace {

std::string fake(const std::string& variant) {
  return std::string(SCALEMARK_BINARY_DIR) + "/tests/libfake_nvml_" + variant + ".so";
}

TEST(Gpus, ReadsWhatTheDriverReports) {
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
  EXPECT_EQ(survey.gpus.at(1).serial, "");        // not supported, which needs no note
  EXPECT_FALSE(survey.gpus.at(1).power_limit_W);  // it failed, which is noted
  EXPECT_EQ(survey.note, "not read: power limit (Unknown Error)");
}

TEST(Gpus, AnOldDriverReportsLess) {
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

std::string fake_cuda(const std::string& variant) {
  return std::string(SCALEMARK_BINARY_DIR) + "/tests/libfake_cuda_" + variant + ".so";
}

TEST(Gpus, WithoutNvmlTheCudaDriverReportsWhatChecksNeed) {
  const auto survey = detect_gpus("libno-such-nvml.so.1", fake_cuda("whole"));
  ASSERT_EQ(survey.gpus.size(), 1u);
  const Gpu& gpu = survey.gpus[0];
  EXPECT_EQ(gpu.name, "Tesla T4");
  EXPECT_EQ(gpu.uuid, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
  EXPECT_EQ(gpu.memory_bytes, 15843721216u);
  EXPECT_EQ(gpu.compute_major, 7);
  EXPECT_EQ(gpu.compute_minor, 5);
  EXPECT_EQ(gpu.driver, "");
  EXPECT_TRUE(survey.visible_only);
  EXPECT_NE(survey.note.find("libno-such-nvml.so.1"), std::string::npos) << survey.note;
  EXPECT_NE(survey.note.find("Read through CUDA"), std::string::npos) << survey.note;
}

TEST(Gpus, NvmlIsPreferredAndItsReasonStandsWhereCudaKnowsNoneEither) {
  const auto both = detect_gpus(fake("whole"), fake_cuda("whole"));
  EXPECT_EQ(both.gpus.size(), 2u);
  EXPECT_FALSE(both.visible_only);
  for (const auto& cuda : {fake_cuda("broken"), fake("whole"), std::string("libno-such.so.1")}) {
    const auto none = detect_gpus(fake("broken"), cuda);
    EXPECT_TRUE(none.gpus.empty());
    EXPECT_EQ(none.note, "NVML does not start: Driver/library version mismatch");
  }
}

TEST(Gpus, TheDriverSaysWhichCudaItSupports) {
  EXPECT_EQ(driver_cuda_version(fake_cuda("whole")), 13010);
  for (const auto& cuda : {fake_cuda("broken"), fake("whole"), std::string("libno-such.so.1")})
    EXPECT_EQ(driver_cuda_version(cuda), 0) << cuda;
}

TEST(Gpus, AGpuInMigModeShowsItsInstances) {
  const auto survey = survey_gpus(fake("mig"));
  ASSERT_EQ(survey.gpus.size(), 2u);
  ASSERT_EQ(survey.gpus[0].mig_instances.size(), 2u);  // an index between them is empty
  EXPECT_TRUE(survey.gpus[1].mig_instances.empty());
  const auto& instance = survey.gpus[0].mig_instances[1];
  EXPECT_EQ(instance.name, "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
  EXPECT_EQ(instance.uuid, "MIG-cccc-2");
  EXPECT_EQ(instance.memory_bytes, 10737418240u);
}

TEST(Gpus, AreFoundByTheUuidThatCudaReports) {
  const auto gpus = survey_gpus(fake("mig")).gpus;
  const auto whole = find_gpu(gpus, "GPU-bbbb-1111");
  EXPECT_EQ(whole.gpu, &gpus[1]);
  EXPECT_EQ(whole.instance, nullptr);
  const auto part = find_gpu(gpus, "GPU-cccc-2");  // cudaDeviceProp has the bytes alone
  EXPECT_EQ(part.gpu, &gpus[0]);
  EXPECT_EQ(part.instance, &gpus[0].mig_instances[1]);
  EXPECT_EQ(part.name(), "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
  EXPECT_EQ(find_gpu(gpus, "GPU-zzzz").gpu, nullptr);
  EXPECT_EQ(find_gpu(gpus, "").gpu, nullptr);
  EXPECT_EQ(visible_gpus("MIG-cccc-0", gpus), (std::vector<int>{0}));
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
