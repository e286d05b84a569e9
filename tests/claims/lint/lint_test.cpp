#include "claims/lint/lint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "claims/rows/read_tables.h"

namespace scalemark::lint {
namespace {

std::vector<Finding> judged(const std::string& csv) {
  const auto read = tables::read_csv(csv);
  return lint(read.tables);
}

// "error not_the_ratio line 3", one for each finding.
std::vector<std::string> finding_lines(const std::string& csv) {
  std::vector<std::string> all;
  for (const Finding& one : judged(csv))
    all.push_back(one.severity + " " + one.kind->code + " " + one.row);
  return all;
}

using Texts = std::vector<std::string>;

TEST(Ratios, ASpeedUpIsTheRatioOfItsCells) {
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n1,310,1.0\n8,2356,7.6\n"), Texts{});
  const auto wrong = judged("gpus,images/s,speedup\n1,310,1.0\n8,2356,12.4\n");
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].severity, "error");
  EXPECT_EQ(wrong[0].text, "12.4x on 8 GPUs is printed, but 2356 / 310 is 7.6x (efficiency 95 %)");
}

TEST(Ratios, RoundingIsGrantedAndASmallDifferenceIsAnInfo) {
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n1,1000,1\n4,3900,3.8\n"), Texts{})
      << "3.8 may be truncated";
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n1,1000,1\n4,3900,3.87\n"),
            Texts{"info not_the_ratio line 3"});
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n1,1000,1\n4,3900,3.71\n"),
            Texts{"error not_the_ratio line 3"});
}

TEST(Ratios, TheBaseIsTheRowThatPrintsOneAndMayBeAbsent) {
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n1,310,-\n8,2400,1.0\n16,4800,2.0\n"), Texts{});
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n8,2400,7.6\n16,4800,15.2\n"),
            Texts{"info table_without_baseline line 2"});
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n8,2400,7.6\n16,4800,20\n").front(),
            "error not_the_ratio line 3");
  // Another program on one GPU may be the base: then all are off alike.
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n1,310,\n8,2356,9.5\n16,4700,18.95\n"), Texts{});
}

TEST(Ratios, TimesCountTheOtherWayRound) {
  EXPECT_EQ(finding_lines("gpus,time per epoch (s),speedup\n1,800,1\n8,105,7.6\n"), Texts{});
  EXPECT_EQ(finding_lines("gpus,time per epoch (s),speedup\n1,800,1\n8,105,9.6\n"),
            Texts{"error not_the_ratio line 3"});
  EXPECT_EQ(finding_lines("gpus,ms/step,speedup\n1,100,1\n8,105,7.6\n"), Texts{})
      << "a step of more samples";
}

TEST(Ratios, AnEfficiencyIsThatOfTheCells) {
  EXPECT_EQ(finding_lines("gpus,images/s,efficiency %\n1,310,100\n8,2356,95\n"), Texts{});
  EXPECT_EQ(finding_lines("gpus,images/s,efficiency %\n1,310,100\n8,2356,99\n"),
            Texts{"error not_the_ratio line 3"});
  EXPECT_EQ(finding_lines("gpus,speedup,efficiency\n1,1.0,1.00\n8,7.6,0.85\n"),
            Texts{"error not_the_ratio line 3"});
}

TEST(Ratios, OnePrecisionAgainstAnother) {
  EXPECT_EQ(finding_lines("gpus,fp32 img/s,amp img/s,amp speedup\n1,100,250,2.5\n"), Texts{});
  EXPECT_EQ(finding_lines("gpus,fp32 img/s,amp img/s,amp speedup\n1,100,250,3.1\n"),
            Texts{"error not_the_ratio line 2"});
}

TEST(Ratios, ExchangedColumnsAreReportedOnce) {
  const auto found = judged(
      "gpus,fp32 img/s,amp img/s,fp32 scaling,amp "
      "scaling\n1,10.42,51.02,1.0,1.0\n4,39.77,181.37,3.55,3.82\n8,79.37,314.6,6.17,7.62\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].kind->code, "columns_swapped");
  EXPECT_EQ(found[0].text,
            "the speed-ups of two columns are exchanged: fp32 and amp (line 3 prints 3.55x, its "
            "cells give 3.817)");
}

TEST(Ratios, ATotalIsTheRatePerGpuTimesTheGpus) {
  EXPECT_EQ(finding_lines("gpus,images/s,images/s per GPU\n4,1525,381.2\n"), Texts{});
  EXPECT_EQ(finding_lines("gpus,images/s,images/s per GPU\n4,1525,318.2\n"),
            Texts{"error not_the_ratio line 2"});
}

TEST(Ratios, TwoIsNotOne) {
  EXPECT_EQ(finding_lines("gpus,images/s,speedup\n2,200,2\n4,400,4\n8,800,8\n"),
            Texts{"info table_without_baseline line 2"});
}

TEST(Products, ABatchOfSequencesIsNoneOfTokens) {
  EXPECT_EQ(
      finding_lines("gpus,tokens/s,step time (s),global batch,seq len\n8,65536,1.0,32,2048\n"),
      Texts{});
  EXPECT_EQ(finding_lines("gpus,tokens/s,step time (s),global batch\n8,65536,1.0,32\n"), Texts{});
}

TEST(Plausibility, APrintedMfuAboveOneIsAnError) {
  EXPECT_EQ(finding_lines("gpus,images/s,MFU\n8,3100,140%\n"),
            Texts{"error mfu_implausible line 2"});
}

TEST(Products, BatchesMayBeReadInEitherWay) {
  const std::string head = "gpus,images/s,batch per gpu,accumulation,global batch\n";
  EXPECT_EQ(finding_lines(head + "8,100,32,4,1024\n"), Texts{});
  EXPECT_EQ(finding_lines(head + "8,100,128,4,1024\n"), Texts{}) << "a batch of an optimizer step";
  EXPECT_EQ(finding_lines(head + "8,100,32,4,512\n"), Texts{"error batch_product line 2"});
  EXPECT_EQ(finding_lines("gpus,images/s,batch,global batch\n8,100,256,256\n"), Texts{});
}

TEST(Products, ARateTimesAStepIsTheBatch) {
  EXPECT_EQ(finding_lines("gpus,images/s,step time (ms),global batch\n8,1000,256,256\n"), Texts{});
  EXPECT_EQ(finding_lines("gpus,images/s,step time (ms),global batch\n8,1000,128,256\n"),
            Texts{"error rate_time line 2"});
}

TEST(Products, EpochsHoldTheSameSamples) {
  EXPECT_EQ(finding_lines("gpus,images/s,time per epoch (s)\n1,100,1000\n2,198,505\n4,390,256\n"),
            Texts{});
  EXPECT_EQ(finding_lines("gpus,images/s,time per epoch (s)\n1,100,1000\n2,198,505\n4,390,200\n"),
            Texts{"error rate_time line 4"});
  EXPECT_EQ(finding_lines(
                "gpus,images/s,time per epoch (s),images\n1,100,1000,100000\n2,198,600,100000\n"),
            Texts{"error rate_time line 3"});
}

TEST(Products, AWholeRunHoldsItsEpochsAndSteps) {
  const std::string head = "gpus,samples,epochs,time (s),samples/s\n";
  EXPECT_EQ(finding_lines(head + "1,50000,10,2500,200\n4,50000,10,650,771\n"), Texts{});
  EXPECT_EQ(finding_lines(head + "1,50000,10,2500,200\n4,50000,10,790,791\n"),
            Texts{"error rate_time line 3"});
  // The time of a run is also that of loading, saving and evaluating; less cannot be.
  EXPECT_EQ(finding_lines(head + "4,50000,10,800,771\n"), Texts{});
  EXPECT_EQ(finding_lines(head + "4,50000,10,500,771\n"), Texts{"error rate_time line 2"});
  EXPECT_EQ(finding_lines("gpus,steps,global batch,time (s),samples/s\n4,1000,128,166,171\n"),
            Texts{"error rate_time line 2"});
}

TEST(Products, TokensAndSequencesAreTwoCountsOfOneEpoch) {
  const std::string text = "gpus,seq len,seq/s,tokens/s,time per epoch (s)\n";
  EXPECT_EQ(finding_lines(text + "1,512,120,61440,1000\n2,512,235,120320,510.6\n"
                                 "4,512,460,235520,260.9\n"),
            Texts{});
  EXPECT_EQ(finding_lines(text + "1,512,120,61440,1000\n2,512,235,108500,510.6\n"
                                 "4,512,460,235520,260.9\n"),
            (Texts{"error rate_time line 3", "error not_the_product line 3"}));
}

TEST(Products, ColumnsThatSayTheSameAgree) {
  const std::string seconds = "gpus,wall clock,time (s)\n1,8:20:10,30010\n4,2:10:05,7805\n";
  EXPECT_EQ(finding_lines(seconds + "8,1:05:45,3945\n"), Texts{});
  EXPECT_EQ(finding_lines(seconds + "8,1:05:45,4171\n"), Texts{"error not_the_product line 4"});
  // Another time may agree by chance.
  EXPECT_EQ(finding_lines("gpus,time (s),compute time (s)\n1,100,100\n2,51,50.9\n4,30,26\n"),
            Texts{});
  const std::string hours = "gpus,time (h),GPU hours\n1,40.0,40.0\n4,10.4,41.6\n";
  EXPECT_EQ(finding_lines(hours + "8,5.4,53.2\n"), Texts{"error not_the_product line 4"});
  const std::string mfu = "gpus,tokens/s,MFU\n8,24.1k,41.2%\n16,47.6k,40.7%\n";
  EXPECT_EQ(finding_lines(mfu + "64,184k,39.3%\n"), Texts{});
  EXPECT_EQ(finding_lines(mfu + "64,184k,49.3%\n"), Texts{"warning not_the_product line 4"});
}

TEST(Products, AnAccuracyThatFallsIsTold) {
  EXPECT_EQ(finding_lines("gpus,images/s,top-1\n1,310,76.1\n64,18200,61.8\n"),
            Texts{"info accuracy_falls line 3"});
  EXPECT_EQ(finding_lines("gpus,images/s,top-1\n1,310,76.1\n64,18200,75.8\n"), Texts{});
}

TEST(Ratios, AnImprovementIsOneOverTheseCellsOrNotJudged) {
  const std::string text = "gpus,before img/s,after img/s,improvement\n";
  EXPECT_EQ(finding_lines(text + "8,2050,2600,+26.8 %\n"), Texts{});
  EXPECT_EQ(finding_lines(text + "8,2050,2600,+37 %\n"), Texts{"error not_the_ratio line 2"});
  EXPECT_EQ(finding_lines("gpus,img/s,increase\n1,310,-\n8,2380,+3 %\n"), Texts{});
}

TEST(Plausibility, CellsThatCannotBeReadAreToldOnce) {
  const auto found = judged("gpus,img/s,speedup\n1,310,1.0\n2,610-620,1.97\n8,2380 or so,7.7\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "2 of 9 cells could not be read, line 3: '610-620'");
}

TEST(SeriesRules, MoreThanLinearWarns) {
  EXPECT_EQ(finding_lines("gpus,images/s\n1,1000\n4,4300\n"), Texts{"warning superlinear line 3"});
  EXPECT_EQ(finding_lines("gpus,images/s\n1,1000\n4,4030\n"), Texts{"info superlinear line 3"});
  EXPECT_EQ(finding_lines("gpus,images/s\n1,1000\n4,4000\n"), Texts{});
  EXPECT_EQ(finding_lines("gpus,batch per gpu,images/s\n1,256,1000\n4,64,4300\n"),
            Texts{"info superlinear line 3"})
      << "smaller work may fit a cache";
}

TEST(SeriesRules, ATenthBetweenTwoThatAgreeWarns) {
  EXPECT_EQ(finding_lines("gpus,images/s\n8,2900\n16,580\n32,11000\n"),
            Texts{"warning lost_digit line 3"});
  EXPECT_EQ(finding_lines("gpus,images/s\n8,2900\n16,580\n32,1100\n").front(), "info kink line 3");
}

TEST(SeriesRules, AnInfoIsSaidOnce) {
  // Both rates of a row are copies.
  EXPECT_EQ(finding_lines("gpus,seq/s,tokens/s\n8,2431,311168\n16,2431,311168\n"),
            Texts{"info copied_cell line 3"});
}

TEST(SeriesRules, EqualCellsWarnFromThreeOn) {
  EXPECT_EQ(finding_lines("gpus,images/s\n8,2431\n16,4700\n32,4700\n").front(),
            "info copied_cell line 4");
  const auto three = finding_lines("gpus,images/s\n8,2431\n16,2431\n32,2431\n");
  EXPECT_EQ(three.front(), "warning copied_cell line 4");
}

TEST(Siblings, ARateAboveAllOfFiveWithFewerGpusWarns) {
  const std::string rows =
      "gpu,gpus,model,images/s\nA,1,r,700\nA,2,r,1400\nA,4,r,2700\nA,8,r,5300\nA,9,r,6000\n";
  EXPECT_EQ(finding_lines(rows + "A,16,r,11000\n"), Texts{});
  const auto above = finding_lines(rows + "A,16,r,12600\n");
  EXPECT_TRUE(std::ranges::count(above, "warning off_siblings line 7")) << above.size();
}

TEST(Plausibility, NeverWarns) {
  EXPECT_EQ(finding_lines("gpus,images/s\n1,380\n8,371\n"), Texts{"info total_or_per_gpu line 3"});
  EXPECT_EQ(finding_lines("gpus,images/s\n1,380\n2,750\n8,370\n"),
            Texts{"info total_or_per_gpu line 4"});
  EXPECT_EQ(finding_lines("gpus,images/s\n8,2900\n16,3200\n32,11000\n"),
            (Texts{"info kink line 3"}));
  EXPECT_EQ(finding_lines("gpus,fp32 images/s,amp images/s\n1,410,350\n"),
            Texts{"info precision_order line 2"});
  EXPECT_EQ(
      finding_lines("gpus,batch per gpu,images/s\n1,256,100\n2,256,190\n4,128,370\n8,256,700\n"),
      Texts{"info batch_off_pattern line 4"});
}

TEST(Plausibility, ARateAboveThePeakOfTheChipIsAnError) {
  const std::string head = "gpu,gpus,model,precision,images/s\n";
  EXPECT_EQ(finding_lines(head + "A100 80GB,1,ResNet50,tf32,950\n"), Texts{});
  const auto found = judged(head + "A100 80GB,1,ResNet50,tf32,14000\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, "error");
  EXPECT_TRUE(found[0].text.starts_with("14000 on 1 GPU would be 2")) << found[0].text;
}

}  // namespace
}  // namespace scalemark::lint
