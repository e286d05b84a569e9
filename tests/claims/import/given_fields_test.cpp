#include "claims/import/given_fields.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::importing {
namespace {

std::string refusal(const std::string& text, std::size_t files = 1, published::Row row = {}) {
  try {
    const GivenFields given(text, files);
    for (std::size_t i = 0; i < files; ++i) given.fill(row, i, "'a.log'");
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration) << text;
    return error.record().what;
  }
  return "";
}

TEST(GivenFields, FillsInWhatIsNotSaid) {
  published::Row row;
  GivenFields(
      "gpus=8, batch_per_gpu=12.5,system=DGX, 8x H100,precision=amp-bf16,collective=all_reduce", 1)
      .fill(row, 0, "");
  EXPECT_EQ(row.gpus, 8);
  EXPECT_EQ(row.batch_per_gpu, 12.5);
  EXPECT_EQ(row.system, "DGX, 8x H100");
  EXPECT_EQ(row.precision, "amp_bf16");
  EXPECT_EQ(row.collective, "all-reduce");
}

TEST(GivenFields, GivesEachFileItsOwnValue) {
  const GivenFields given("gpus=1/2/4,workload=a/b", 3);
  EXPECT_EQ(given.text("gpus", 0), "1");
  EXPECT_EQ(given.text("gpus", 2), "4");
  EXPECT_EQ(given.text("workload", 1), "a/b");  // a text with a slash of its own
  EXPECT_FALSE(given.text("system", 0));
  EXPECT_FALSE(given.without("gpus").text("gpus", 0));
}

TEST(GivenFields, RefusesInOneLine) {
  EXPECT_EQ(refusal("8"), "--fields begins with '8'");
  EXPECT_EQ(refusal("gpu=8"), "--fields names 'gpu', which cannot be said of a row");
  EXPECT_EQ(refusal("gpus=8,gpus=8"), "--fields gives gpus twice");
  EXPECT_EQ(refusal("gpus=1/2"), "--fields: gpus has 2 values: '1/2'");
  EXPECT_EQ(refusal("precision=fp61"), "--fields: precision is 'fp61'");
  for (const char* value : {"amp-bf16", "fp8", "bf16_cast", "amp (submission)", "tf32"})
    EXPECT_EQ(refusal("precision=" + std::string(value)), "");
  for (const char* value : {"0", "-1", "1.5", "x", "nan", "1e400", "99999999999999999999", ""})
    EXPECT_EQ(refusal("gpus=" + std::string(value)),
              "--fields: gpus is '" + std::string(value) + "'");
}

TEST(GivenFields, RefusesWhatContradicts) {
  published::Row row;
  row.gpus = 8;
  row.precision = "amp";
  row.system = "NVIDIA H100 80GB HBM3";
  row.workload = "resnet";
  row.unit = "samples/s";
  EXPECT_EQ(
      refusal("gpus=8,precision=amp_fp16,system=8x H100 SXM,workload=ResNet-50,unit=img/s", 1, row),
      "");
  EXPECT_EQ(refusal("gpus=4", 1, row), "--fields gives gpus=4, and 'a.log' says 8");
  EXPECT_EQ(refusal("precision=fp32", 1, row),
            "--fields gives precision=fp32, and 'a.log' says amp");
  EXPECT_EQ(refusal("workload=bert", 1, row),
            "--fields gives workload=bert, and 'a.log' says resnet");
  EXPECT_NE(refusal("system=A100", 1, row), "");
}

TEST(GivenFields, HoldsBatchesAgainstEachOther) {
  published::Row row;
  row.gpus = 8;
  row.batch_per_gpu = 32;
  row.global_batch_size = 512;
  EXPECT_NO_THROW(refuse_other_batch(row, "x"));  // accumulation is not said
  row.gradient_accumulation_steps = 2;
  EXPECT_NO_THROW(refuse_other_batch(row, "x"));
  row.gradient_accumulation_steps = 4;
  EXPECT_THROW(refuse_other_batch(row, "x"), Error);
  row.gradient_accumulation_steps.reset();
  row.global_batch_size = 128;
  EXPECT_THROW(refuse_other_batch(row, "x"), Error);
}

TEST(GivenFields, NamesAllThatIsMissing) {
  EXPECT_NO_THROW(refuse_missing({}, "'a.log'", 1));
  try {
    refuse_missing({"gpus", "workload"}, "'a.log'", 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().what, "'a.log' does not say: gpus, workload");
    EXPECT_EQ(error.record().expected, "add --fields 'gpus=N,workload=NETWORK'");
  }
}

}  // namespace
}  // namespace scalemark::importing
