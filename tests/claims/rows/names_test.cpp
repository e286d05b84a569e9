#include "claims/rows/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "claims/lint/inputs.h"
#include "claims/rows/arithmetic.h"
#include "claims/rows/mapping.h"
#include "claims/rows/row.h"
#include "claims/rows/show.h"
#include "core/base/error.h"

namespace scalemark::published {
namespace {

TEST(PublishedNames, NoTwoTablesHaveOneSlug) {
  const auto rows = own_library();
  std::set<std::string> slugs;
  for (const NamedTable& table : tables_of(rows))
    EXPECT_TRUE(slugs.insert(table.slug).second) << table.slug;
}

TEST(PublishedNames, EveryAliasNamesATableAndNoSlugIsOne) {
  const auto rows = own_library();
  const auto tables = tables_of(rows);
  std::set<std::string_view> names;
  for (const Alias& alias : aliases()) {
    EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
    EXPECT_FALSE(find_tables(rows, std::string(alias.name)).empty()) << alias.name;
    EXPECT_EQ(std::ranges::count(tables, alias.name, &NamedTable::slug), 0) << alias.name;
  }
  EXPECT_GE(names.size(), 25u);
}

TEST(PublishedNames, ATableIsFoundBySlugAliasAndRow) {
  const auto rows = own_library();
  const auto one = find_tables(rows, "dle-resnet50-a100");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].rows.front()->id, "pub-0001");
  EXPECT_EQ(find_tables(rows, one[0].slug).size(), 1u);
  EXPECT_EQ(find_tables(rows, "pub-0001").at(0).slug, one[0].slug);
  EXPECT_EQ(find_tables(rows, "hkbu-10gbe").size(), 21u);
  EXPECT_EQ(slug_of("dle/PyTorch/resnet50v1.5 (8x A100)"), "dle-pytorch-resnet50v1-5-8x-a100");
  try {
    find_tables(rows, "dle-resnet50-a10");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kNoInput);
    EXPECT_NE(error.record().hint.find("dle-resnet50-a100"), std::string::npos);
  }
}

TEST(PublishedChips, AreFoundInTheWordsOfTables) {
  const auto name = [](const char* system) {
    const auto chip = chip_in(system);
    return chip ? std::string(chip->name) + (chip->gone ? " gone" : "") : "";
  };
  EXPECT_EQ(name("NVIDIA DGX A100 (8x A100 80GB)"), "A100-SXM4-80GB");
  EXPECT_EQ(name("Dell XE9680x8H100-SXM-80GB (NVIDIA H100-SXM5-80GB)"), "H100 80GB HBM3");
  EXPECT_EQ(name("H100 80GB PCIe Gen5"), "H100 PCIe");
  EXPECT_EQ(name("RTX 6000 Ada"), "RTX 6000 Ada Generation");
  EXPECT_EQ(name("LambdaCloud A10"), "A10");
  EXPECT_EQ(name("xFusion G5500V7x8xL40S (NVIDIA L40S)"), "L40S");
  EXPECT_EQ(name("NVIDIA DGX-1 (8x V100 16GB)"), "V100-SXM2-32GB gone");
  EXPECT_EQ(name("DGX-1 16GB"), "V100-SXM2-32GB gone");
  for (const char* other :
       {"NVIDIA A100-SXM4-80GB MIG 1g.10gb", "GRID V100D-8Q", "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 3090 Ti", "NVIDIA GeForce RTX 4070 SUPER"})
    EXPECT_EQ(name(other), "") << other;
  EXPECT_EQ(name("NVIDIA A100-SXM-64GB"), "A100-SXM-64GB") << "its memory is faster";
  EXPECT_EQ(name("LUMI-G, 8 GCDs of MI250X a node"), "");
  EXPECT_EQ(name("16 GPUs (model not stated in the diff)"), "");
}

TEST(PublishedMapping, EachRowIsMappedOrHasAReason) {
  const auto rows = own_library();
  int mapped = 0;
  for (const Row& row : rows) {
    const Mapping mapping = map_row(row);
    EXPECT_NE(mapping.point.has_value(), mapping.reason.has_value()) << row.id;
    mapped += mapping.point.has_value();
  }
  EXPECT_GT(mapped, 500);
}

TEST(PublishedMapping, WordsAreTranslated) {
  Row row{.framework = "PyTorch",
          .system = "8x A100 80GB",
          .workload = "resnet50v1.5",
          .precision = "amp_fp16",
          .gpus = 8,
          .batch_per_gpu = 256,
          .throughput = 1,
          .unit = "img/s"};
  const auto point = map_row(row).point.value();
  EXPECT_EQ(point.workload, "resnet50");
  EXPECT_EQ(point.precisions, std::vector<std::string>{"amp-fp16"});
  EXPECT_EQ(point.strategy, "ddp");
  EXPECT_EQ(point.chip, "A100-SXM4-80GB");
  for (const auto& [system, chip] : {std::pair("LambdaCloud A100 40GB PCIe", "A100-PCIE-40GB"),
                                     {"4x A100-PCIE-40GB", "A100-PCIE-40GB"},
                                     {"A100 PCIe, 40 GB", "A100-PCIE-40GB"},
                                     {"A100 80GB PCIe", "A100 80GB PCIe"},
                                     {"NVIDIA A100 - PCIe - 80 GB", "A100 80GB PCIe"},
                                     {"DGX A100 40GB", "A100-SXM4-40GB"},
                                     {"A100 SXM (40 GB)", "A100-SXM4-40GB"},
                                     {"A100 with 240 GB of memory", "A100-SXM4-80GB"}}) {
    EXPECT_EQ(chip_in(system)->name, chip) << system;
  }
  for (const auto& [theirs, ours] : {std::pair("ResNet-50", "resnet50"),
                                     {"resnet50_v1.5", "resnet50"},
                                     {"bert-base-uncased", "bert-base"},
                                     {"BERT-Large-cased", "bert-large"}}) {
    row.workload = theirs;
    EXPECT_EQ(map_row(row).point->workload, ours) << theirs;
  }
  for (const char* other : {"BERT", "ResNet", "resnet500", "bert-large-squad", "resnet50-d"}) {
    row.workload = other;
    EXPECT_FALSE(map_row(row).point) << other;
  }
  row.workload = "resnet50";
  row.precision = "fp32_or_tf32";
  EXPECT_EQ(map_row(row).point->precisions.size(), 2u);
  const auto reason = [&](auto change) {
    Row other = row;
    change(other);
    return std::string(name_of(map_row(other).reason.value()));
  };
  EXPECT_EQ(reason([](Row& r) { r.workload = "vgg16"; }), "workload");
  EXPECT_EQ(reason([](Row& r) { r.precision = "fp16_cast"; }), "precision");
  EXPECT_EQ(reason([](Row& r) { r.system = "DGX-2 32GB"; }), "hardware_gone");
  EXPECT_EQ(reason([](Row& r) { r.system = "LUMI-G"; }), "chip_unknown");
  EXPECT_EQ(reason([](Row& r) { r.throughput.reset(); }), "number_missing");
  EXPECT_EQ(reason([](Row& r) { r.untestable = "parallelism"; }), "parallelism");
}

// Where the source leaves the number format open, the faster one counts.
TEST(PublishedMapping, AnArithmeticIsThatOfTheFormat) {
  const auto peak = [](const char* precision) {
    Row row{.system = "8x A100 80GB", .workload = "ResNet-50", .precision = precision};
    const auto found = arithmetic_of(row);
    return found ? found->peak_per_sec / 1e12 : 0;
  };
  for (const char* half : {"amp", "amp_fp16", "amp-bf16", "bf16", "fp16_cast", "amp (submission)"})
    EXPECT_EQ(peak(half), 312) << half;
  EXPECT_EQ(peak("tf32"), 156);
  EXPECT_EQ(peak("fp32_or_tf32"), 156);
  EXPECT_EQ(peak("fp32"), 19.5);
  EXPECT_EQ(peak("fp8"), 0);
  EXPECT_EQ(peak(""), 0);
  Row bert{.system = "A100", .workload = "bert-large", .precision = "fp32"};
  EXPECT_FALSE(arithmetic_of(bert)) << "no length of sequences";
  bert.sequence_length = 128;
  const double shorter = arithmetic_of(bert)->flops_of_sample;
  bert.sequence_length = 512;
  EXPECT_GT(arithmetic_of(bert)->flops_of_sample, 4 * shorter);
  bert.workload = "bert";
  bert.sequence_length.reset();
  EXPECT_FALSE(arithmetic_of(bert)) << "MLPerf's sequences are shorter than 512";
  bert = {.system = "A100", .workload = "bert-large", .precision = "fp32"};
  bert.sequence_length = 384;
  bert.phase = "squad1.1";
  EXPECT_FALSE(arithmetic_of(bert));
}

TEST(PublishedShow, ShowsWhatIsTestableHere) {
  const auto rows = own_library();
  const auto table = find_tables(rows, "dle-resnet50-a100").at(0);
  EXPECT_EQ(testability(table, {.chip = "A100-SXM4-80GB", .gpus = 8}).where, Testable::kHere);
  EXPECT_EQ(testability(table, {}).where, Testable::kElsewhere);
  EXPECT_EQ(testability(find_tables(rows, "dle-resnet50-v100").at(0), {}).where, Testable::kNot);
  const std::string text = show_text(table, {});
  EXPECT_NE(text.find("NVIDIA/DeepLearningExamples"), std::string::npos);
  EXPECT_NE(text.find("7.73"), std::string::npos) << text;  // 7248 / 938, printed as 7.72
}

TEST(PublishedShow, AListBeginsWithWhatIsTrainedHere) {
  const auto rows = own_library();
  const auto tables = tables_of(rows);
  const std::string text = list_text(tables, {});
  EXPECT_NE(text.find("H100 80GB HBM3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("--all"), std::string::npos);
  EXPECT_EQ(text.find("lambda-h100-resnet50"), std::string::npos);
  const std::string all = list_text(tables, {}, /*all_names=*/true);
  for (const NamedTable& table : tables) EXPECT_NE(all.find(table.name), std::string::npos);
  std::size_t begin = 0;
  for (std::size_t end; (end = all.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(end - begin, 80u) << all.substr(begin, end - begin);
}

// A row that cannot be true is marked, and its rate is not said to have been reached.
TEST(PublishedShow, MarksImpossibleRows) {
  const auto rows = own_library();
  const auto table = find_tables(rows, "superbench-a100-resnet50").at(0);
  const Here here{.impossible = lint::impossible_rows(rows)};
  ASSERT_TRUE(here.impossible.contains("pub-1514"));
  EXPECT_NE(show_text(table, here).find("pub-1514: cannot be true"), std::string::npos);
  const std::string list = list_text({table}, here);
  EXPECT_NE(list.find("1 row cannot be true"), std::string::npos) << list;
  EXPECT_EQ(list.find("857"), std::string::npos) << list;
  EXPECT_EQ(list_text({table}, {}).find("cannot be true"), std::string::npos);
}

TEST(PublishedShow, WordsNarrowByRowsAndWholeNumbers) {
  const auto rows = own_library();
  const std::string half = reached_text(narrowed(tables_of(rows), {"amp-fp16", "a100"}));
  EXPECT_NE(half.find("A100-SXM4-80GB\n"), std::string::npos) << half;
  for (const char* other : {"tf32", "H100", "A10\n", "V100"})
    EXPECT_EQ(half.find(other), std::string::npos) << half;
  // Each precision that is printed narrows the list, and is taken as a field.
  const auto known = known_precisions();
  std::set<std::string> printed;
  for (const Row& row : rows) {
    if (!row.precision.empty()) printed.insert(precision_text({row.precision}));
  }
  for (std::string word : printed) {
    EXPECT_FALSE(narrowed(tables_of(rows), {word}).empty()) << word;
    std::ranges::replace(word, '-', '_');
    EXPECT_EQ(std::ranges::count(known, word), 1) << word;
  }
  std::vector<Row> one(1);
  one[0] = {.id = "x",
            .group = "t",
            .repo = "owner/name",
            .system = "2x A100-SXM4-80GB",
            .workload = "resnet50",
            .precision = "amp_fp16",
            .gpus = 16};
  const auto fits = [&](const std::vector<std::string>& words) {
    try {
      return !narrowed(tables_of(one), words).empty();
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kNoInput);
      return false;
    }
  };
  for (const char* word : {"a100", "A100-SXM4", "80", "80gb", "16", "2", "ResNet-50", "resnet",
                           "amp_fp16", "fp16", "owner"})
    EXPECT_TRUE(fits({word, "a100"})) << word;
  for (const char* word : {"8", "a10", "1", "resnet5", "amp-fp1", "tf32", "-", ""})
    EXPECT_FALSE(fits({"a100", word})) << word;
}

TEST(PublishedExport, JsonLinesReadBackAsTheSameRows) {
  const auto rows = own_library();
  const auto tables = tables_of(rows);
  const auto again = parse_rows(export_json_lines(tables), "again");
  ASSERT_EQ(again.size(), rows.size());
  EXPECT_EQ(export_json_lines(tables_of(again)), export_json_lines(tables));
}

}  // namespace
}  // namespace scalemark::published
