#include "core/settings/reader.h"

#include <gtest/gtest.h>

#include "core/settings/sweep_settings.h"

namespace scalemark::settings {
namespace {

using Texts = std::vector<std::string>;

Texts values(const char* option, const char* text) {
  const Reading list = read_list(option, {text, "option"});
  for (const Problem& bad : list.problems) ADD_FAILURE() << to_line(bad);
  return list.texts;
}

Texts bad(const char* option, const char* text) {
  Texts found;
  for (const Problem& problem : read_list(option, {text, "option"}).problems) {
    found.push_back(problem.found);
  }
  return found;
}

template <class T>
T only(const char* option, const char* text) {
  const Reading reading = read_value(option, {text, "option"});
  EXPECT_TRUE(reading.problems.empty() && reading.values.size() == 1) << option;
  return std::get<T>(reading.values.at(0));
}

TEST(ReadValue, TheKindOfTheRowSaysItsType) {
  EXPECT_EQ(only<bool>("overlap", "true"), true);
  EXPECT_EQ(only<std::int64_t>("workers", "+7"), 7);
  EXPECT_EQ(only<double>("max_time", "5m"), 300);
  EXPECT_EQ(only<double>("until_ci", "2%"), 0.02);
  EXPECT_EQ(only<std::string>("sizes", "4096"), "4KiB");
  EXPECT_EQ(only<Betas>("adam_betas", "0.8,0.9"), (Betas{0.8, 0.9}));
  EXPECT_EQ(only<Variables>("env.A", "x\\,y"), (Variables{{"A", "x,y"}}));
  only<std::monostate>("iters", "auto");
  EXPECT_EQ(only<std::string>("histograms", "none"), "none") << "a text that has other words";
}

TEST(ValueIn, IsAbsentForNoneAndForWhatIsRefused) {
  const RawSettings raw{{"nnodes", {"4", ""}}, {"seed", {"x", ""}}, {"quick", {"on", ""}}};
  EXPECT_EQ(value_in<std::int64_t>(raw, "nnodes"), 4);
  EXPECT_EQ(value_in<std::int64_t>(raw, "seed"), std::nullopt);
  EXPECT_EQ(value_in<std::int64_t>(raw, "iters"), std::nullopt);
  EXPECT_TRUE(is_on(raw, "quick"));
  EXPECT_FALSE(is_on(raw, "thorough"));
}

TEST(ReadList, ListsAndRanges) {
  EXPECT_EQ(values("batch_size", "1,2,4"), (Texts{"1", "2", "4"}));
  EXPECT_EQ(values("batch_size", "32..256x2"), (Texts{"32", "64", "128", "256"}));
  EXPECT_EQ(values("batch_size", "32..256*2"), values("batch_size", "32..256x2"));
  EXPECT_EQ(values("batch_size", "1..9+2"), (Texts{"1", "3", "5", "7", "9"}));
  EXPECT_EQ(values("batch_size", "1..10+4"), (Texts{"1", "5", "9"}));
  EXPECT_EQ(values("batch_size", "3,8..16*2,1"), (Texts{"3", "8", "16", "1"}));
  EXPECT_EQ(values("batch_size", "7..7*2"), (Texts{"7"}));
  EXPECT_EQ(values("batch_size", "auto,8"), (Texts{"auto", "8"}));
  EXPECT_EQ(values("workers", "0..4+2"), (Texts{"0", "2", "4"}));
  EXPECT_EQ(values("world_sizes", "1..8*2"), (Texts{"1", "2", "4", "8"}));
}

TEST(ReadList, SizesOfMessagesInOneSpelling) {
  EXPECT_EQ(values("sizes", "1KiB..64KiBx4"), values("sizes", "1KiB..64KiB*4"));
  EXPECT_EQ(values("sizes", "1KiB..64KiB*4,1MB,4096,1Mi:elem"),
            (Texts{"1KiB", "4KiB", "16KiB", "64KiB", "1000000B", "1Mi:elem"}));
  EXPECT_EQ(values("sizes", "1MiB..3MiB+1MiB"), (Texts{"1MiB", "2MiB", "3MiB"}));
  EXPECT_EQ(read_list("sizes", {"4KiB,4096", "option"}).notes,
            Texts{"--sizes names 4KiB more than once; it is measured once per block"});
  EXPECT_EQ(bad("sizes", "4kib,0,1KiB..2KiB,1KiB..8KiB*1,8KiB..1KiB*2,1Ki:elem..4KiB*2"),
            (Texts{"4kib", "0", "1KiB..2KiB", "1KiB..8KiB*1", "8KiB..1KiB*2", "1Ki:elem..4KiB*2"}));
}

TEST(ReadList, NumbersAreExactInDecimal) {
  EXPECT_EQ(values("bucket_cap_mb", "0.1..0.5+0.1"), (Texts{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(values("learning_rate", "1e-4..1e-1*10"), (Texts{"1e-04", "0.001", "0.01", "0.1"}));
  EXPECT_EQ(values("learning_rate", "1e-1..1e+1*10"), (Texts{"0.1", "1", "10"}));
  EXPECT_EQ(values("bucket_cap_mb", "1..8*2"), (Texts{"1", "2", "4", "8"}));
}

TEST(ReadList, WordsAndPathsHaveNoRanges) {
  EXPECT_EQ(values("precision", "fp32,amp-bf16"), (Texts{"fp32", "amp-bf16"}));
  EXPECT_EQ(values("overlap", "on,off"), (Texts{"on", "off"}));
  EXPECT_EQ(values("data", "synthetic,../images"), (Texts{"synthetic", "../images"}));
  EXPECT_EQ(values("threads", "auto,2"), (Texts{"auto", "2"}));
}

TEST(ReadList, EveryBadElementIsNamed) {
  EXPECT_EQ(bad("batch_size", "1,-1,x,2,0"), (Texts{"-1", "x", "0"}));
  EXPECT_EQ(bad("batch_size", "1,,2"), (Texts{""}));
  EXPECT_EQ(bad("batch_size", "1..8"), (Texts{"1..8"}));
  EXPECT_EQ(bad("batch_size", "8..1*2"), (Texts{"8..1*2"}));
  EXPECT_EQ(bad("batch_size", "1..8*1"), (Texts{"1..8*1"}));
  EXPECT_EQ(bad("batch_size", "1..8+0"), (Texts{"1..8+0"}));
  EXPECT_EQ(bad("batch_size", "1..8*1.5"), (Texts{"1..8*1.5"}));
  EXPECT_EQ(bad("workers", "0..8*2"), (Texts{"0..8*2"}));  // would never end
  EXPECT_EQ(bad("batch_size", "1..99999999999999999999*2"), (Texts{"1..99999999999999999999*2"}));
  EXPECT_EQ(bad("batch_size", "1..20001+1"), (Texts{"1..20001+1"}));  // too many
  EXPECT_EQ(bad("precision", "fp32,fp8"), (Texts{"fp8"}));
}

TEST(ReadList, EndsBeforeOverflow) {
  EXPECT_EQ(values("batch_size", "4611686018427387904..9223372036854775807*2"),
            (Texts{"4611686018427387904"}));
}

TEST(ReadList, ADuplicateCountsOnceAndIsNamed) {
  const Reading list = read_list("batch_size", {"8,1..8*2,8", "option"});
  EXPECT_EQ(list.texts, (Texts{"8", "1", "2", "4"}));
  EXPECT_EQ(list.notes,
            Texts{"--batch-size names 8 more than once; it is measured once per block"});
}

TEST(IsAxis, WhatDescribesThePointButNothingElse) {
  for (const char* name :
       {"workload", "data", "image_size", "sequence_length", "batch_size", "global_batch_size",
        "gradient_accumulation_steps", "precision", "strategy", "overlap", "gradient_compression",
        "bucket_cap_mb", "workers", "world_sizes", "optimizer", "threads", "backend"}) {
    EXPECT_TRUE(is_axis(*find_option(name))) << name;
  }
  for (const char* name :
       {"adam_betas", "timeout", "seed", "save", "init_from", "vocab", "iters", "device",
        "min_time", "repetitions", "output", "nproc_per_node", "quick"}) {
    EXPECT_FALSE(is_axis(*find_option(name))) << name;
  }
}

TEST(Plural, IsAnotherNameInASweepOnly) {
  EXPECT_EQ(find_option("batch-sizes", kSweep), find_option("batch_size"));
  EXPECT_EQ(find_option("precisions", kSweep), find_option("precision"));
  EXPECT_EQ(find_option("strategies", kSweep), find_option("strategy"));
  EXPECT_EQ(find_option("world_size", kSweep), find_option("world_sizes"));
  EXPECT_EQ(find_option("batch_sizes", kTrain), nullptr);
  EXPECT_EQ(find_option("seeds", kSweep), nullptr);
}

TEST(Plural, IsNoOtherOptionsName) {
  for (const Option& option : all_options()) {
    if (!plural(option).empty()) {
      EXPECT_EQ(find_option(plural(option)), nullptr) << option.name;
    }
  }
}

RawSettings given_axes(std::initializer_list<std::pair<const char*, const char*>> values) {
  RawSettings raw;
  for (const auto& [name, text] : values) raw[name] = {text, "option"};
  return raw;
}

TEST(ReadSweep, SortsAxesSharedAndOwnOptions) {
  const SweepRequest request = read_sweep(given_axes({{"batch_size", "8,16"},
                                                      {"precision", "fp32"},
                                                      {"world_sizes", "4,1,2"},
                                                      {"seed", "7"},
                                                      {"until_ci", "2%"},
                                                      {"max_time", "10m"},
                                                      {"burn_in", "x"}}));
  ASSERT_EQ(request.axes.size(), 2u);
  EXPECT_EQ(request.axes[0].option, "batch_size");
  EXPECT_EQ(request.axes[1].values, Texts{"fp32"});
  EXPECT_EQ(request.common.at("seed").text, "7");
  EXPECT_EQ(request.sweep.world_sizes, (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(request.sweep.until_ci, 0.02);
  EXPECT_EQ(request.sweep.max_time_s, 600);
  EXPECT_EQ(request.sweep.retries, 1);
  EXPECT_EQ(request.own.at("strong_by").origin, "default");
  ASSERT_EQ(request.problems.size(), 1u);
  EXPECT_EQ(to_line(request.problems[0]),
            "--burn-in is 'x' (from option); a number from 0 (excluded) to 10000 is allowed.");
}

// A rank opens one device for the whole sweep: rows of the other would be mislabelled.
TEST(ReadSweep, RefusesSeveralDevices) {
  const SweepRequest request = read_sweep(given_axes({{"device", "cpu,cuda"}}));
  ASSERT_EQ(request.problems.size(), 1u);
  EXPECT_EQ(to_line(request.problems[0]),
            "--device is 'cpu,cuda' (from option); a sweep computes on one device. Hint: make one "
            "sweep for each, and compare them with `scalemark compare`");
  EXPECT_TRUE(read_sweep(given_axes({{"device", "cpu"}})).problems.empty());
}

TEST(ReadSweep, PresetsExcludeEachOther) {
  const auto problems = read_sweep(given_axes({{"quick", "on"}, {"thorough", "on"}})).problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(to_line(problems[0]),
            "--quick is 'on' (from option); cannot be combined with --thorough.");
  EXPECT_EQ(
      to_line({.option = "thorough", .found = "true", .allowed = "none", .origin = {}, .hint = {}}),
      "--thorough is 'on'; none.")
      << "as the command line says it";
  EXPECT_EQ(read_sweep(given_axes({{"resume", "on"}, {"overwrite", "on"}, {"output", "d"}}))
                .problems.size(),
            1u);
}

TEST(ReadSweep, AResumeNeedsAFolderThatStaysTheSame) {
  const auto problems = [](std::map<std::string, std::string> options) {
    settings::RawSettings raw = given_axes({{"resume", "on"}});
    for (const auto& [name, value] : options) raw[name] = {value, "option"};
    return read_sweep(raw).problems;
  };
  ASSERT_EQ(problems({}).size(), 1u);
  EXPECT_EQ(problems({}).front().option, "resume");
  EXPECT_EQ(problems({{"output", "a-{date}"}}).size(), 1u);
  EXPECT_TRUE(problems({{"output", "a-{job}"}}).empty());
}

}  // namespace
}  // namespace scalemark::settings
