#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "core/base/error.h"

namespace scalemark::published {
namespace {

namespace fs = std::filesystem;

const std::string kLibrary = std::string(SCALEMARK_SOURCE_DIR) + "/results/published";

std::string line(const std::string& id, int gpus, const std::string& more = {}) {
  return R"({"id": ")" + id + R"(", "group": "g", "repo": "o/r", "path": "README.md", )" +
         R"("framework": "f", "system": "s", "workload": "w", "precision": "fp32", "unit": "img/s", )" +
         R"("gpus": )" + std::to_string(gpus) + more + "}\n";
}

ExitCode refusal_of(const std::string& text) {
  try {
    parse_rows(text, "there");
  } catch (const Error& error) {
    EXPECT_NE(error.record().what.find("there, line "), std::string::npos);
    return error.record().exit_code;
  }
  return ExitCode::kPass;
}

TEST(PublishedLibrary, HoldsEveryRowOnceWithItsSource) {
  const auto rows = read_library(kLibrary);
  ASSERT_EQ(rows.size(), 2303u);
  std::set<std::string> ids;
  int throughputs = 0;
  for (const Row& row : rows) {
    ids.insert(row.id);
    EXPECT_FALSE(row.path.empty()) << row.id;
    EXPECT_TRUE(row.repo == "practice" || row.repo == "scalemark" ||
                row.repo.find('/') != std::string::npos)
        << row.id;
    EXPECT_TRUE(!row.metric.empty() || row.throughput || row.time_to_train_min || row.note)
        << row.id;
    throughputs += row.metric.empty();
  }
  EXPECT_EQ(ids.size(), rows.size());
  EXPECT_EQ(*ids.begin(), "pub-0001");
  EXPECT_EQ(*ids.rbegin(), "pub-2303");
  EXPECT_EQ(throughputs, 2145);
}

// The program holds the files of results/published.
TEST(PublishedLibrary, TheProgramHoldsTheSameRows) {
  const auto own = own_library(), read = read_library(kLibrary);
  ASSERT_EQ(own.size(), read.size());
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(own[i].id, read[i].id);
}

TEST(PublishedLibrary, ARowReadsAsItStandsInTheSource) {
  const Row row = read_library(kLibrary).at(3);
  EXPECT_EQ(row.id, "pub-0004");
  EXPECT_EQ(row.repo, "NVIDIA/DeepLearningExamples");
  EXPECT_EQ(row.commit, "729963dd47e7c8bd462ad10bfac7a7b0b604e6dd");
  EXPECT_EQ(row.path, "PyTorch/Classification/ConvNets/resnet50v1.5/README.md");
  EXPECT_EQ(row.line, 599);
  EXPECT_EQ(row.system, "NVIDIA DGX A100 (8x A100 80GB)");
  EXPECT_EQ(row.gpus, 8);
  EXPECT_EQ(row.batch_per_gpu, 256);
  EXPECT_EQ(row.precision, "amp_fp16");
  EXPECT_EQ(row.throughput, 16621);
  EXPECT_EQ(row.unit, "img/s");
  EXPECT_EQ(row.published_speedup, 6.72);
  EXPECT_FALSE(row.phase);
}

// One file per repository, rows in the order of their ids: a change shows as the lines it changes.
TEST(PublishedLibrary, FilesAreInOrder) {
  for (const auto& entry : fs::directory_iterator(kLibrary)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto rows = parse_rows(text, entry.path().string());
    ASSERT_FALSE(rows.empty());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      EXPECT_LT(rows[i - 1].id, rows[i].id);
      EXPECT_EQ(rows[i].repo, rows[0].repo);
    }
  }
}

TEST(PublishedRows, WhatIsRefused) {
  EXPECT_EQ(refusal_of(line("a", 1)), ExitCode::kPass);
  EXPECT_EQ(refusal_of("no JSON\n"), ExitCode::kBadData);
  EXPECT_EQ(refusal_of("[]\n"), ExitCode::kBadData);
  EXPECT_EQ(refusal_of("{}\n"), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1) + "\n"), ExitCode::kBadData);  // an empty line
  EXPECT_EQ(refusal_of(line("a", 0)), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", -1)), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "throughput": 0)")), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "throughput": "12")")), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "nodes": 1.5)")), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "nodes": 18446744073709551615)")), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "thruput": 12)")), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "metric": "epoch_s", "value": 2)")), ExitCode::kPass);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "metric": "epoch_s")")), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "metric": "epoch_s", "value": 2, "low": 1)")),
            ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, R"(, "metric": "hours", "value": 2)")), ExitCode::kBadData);
  const std::string claim = R"(, "metric": "step_s", "low": 0.8, "high": 0.85, "relative_to": )";
  EXPECT_EQ(
      refusal_of(line("a", 1, claim + R"({"option": "bucket_cap_mb", "from": "25", "to": "100"})")),
      ExitCode::kPass);
  EXPECT_EQ(refusal_of(line("a", 1, claim + R"({"row": "b"})")), ExitCode::kPass);
  EXPECT_EQ(refusal_of(line("a", 1, claim + R"({"row": "b", "from": "25"})")), ExitCode::kBadData);
  EXPECT_EQ(refusal_of(line("a", 1, claim + R"({"option": "bucket_cap_mb"})")), ExitCode::kBadData);
}

TEST(PublishedLibrary, RefusesAnIdThatStandsTwiceAndAFolderWithoutRows) {
  const fs::path folder =
      fs::temp_directory_path() / ("published_test." + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto code = [&] {
    try {
      read_library(folder.string());
    } catch (const Error& error) {
      return error.record().exit_code;
    }
    return ExitCode::kPass;
  };
  EXPECT_EQ(code(), ExitCode::kNoInput);
  std::ofstream(folder / "a.jsonl") << line("x-1", 1);
  EXPECT_EQ(code(), ExitCode::kPass);
  std::ofstream(folder / "b.jsonl") << line("x-1", 2);
  EXPECT_EQ(code(), ExitCode::kBadData);
  fs::remove_all(folder);
  EXPECT_EQ(code(), ExitCode::kNoInput);
}

TEST(ScalingSeries, GroupsWhatDiffersOnlyInGpus) {
  const auto at = [](const char* id, int gpus, int images, const std::string& more = {}) {
    return line(id, gpus, R"(, "throughput": )" + std::to_string(images) + more);
  };
  const auto rows = parse_rows(at("a", 8, 700, R"(, "nodes": 2)") + at("b", 1, 100) + line("c", 2) +
                                   at("d", 4, 380) + at("e", 1, 90, R"(, "seq_len": 128)") +
                                   at("f", 2, 170, R"(, "seq_len": 128)") +
                                   at("g", 2, 171, R"(, "seq_len": 128)"),
                               "there");
  const auto series = scaling_series(rows, 2);
  ASSERT_EQ(series.size(), 1u);  // the other group has 2 GPUs twice
  ASSERT_EQ(series[0].points.size(), 3u);
  EXPECT_EQ(series[0].points[0].id, "b");
  EXPECT_EQ(series[0].points[0].nodes, 1);
  EXPECT_EQ(series[0].points[2].gpus, 8);
  EXPECT_EQ(series[0].points[2].nodes, 2);
  EXPECT_EQ(series[0].points[2].throughput, 700);
  EXPECT_TRUE(scaling_series(rows, 4).empty());
}

// PREDICTION_STUDY.md is judged on these.
TEST(ScalingSeries, ThePublishedLibraryHolds263OfThreeCountsAndMore) {
  const auto rows = read_library(kLibrary);
  const auto series = scaling_series(rows, 3);
  EXPECT_EQ(series.size(), 263u);
  std::map<std::string, int> per_repo;
  for (const Series& one : series) ++per_repo[one.repo];
  EXPECT_EQ(per_repo.size(), 8u);
  EXPECT_EQ(per_repo["NVIDIA/DeepLearningExamples"], 64);
  EXPECT_EQ(per_repo["Oneflow-Inc/DLPerf"], 42);
  EXPECT_EQ(per_repo["HKBU-HPML/ddl-benchmarks"], 63);
}

}  // namespace
}  // namespace scalemark::published
