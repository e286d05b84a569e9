#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/settings/reader.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {
namespace {

SweepRequest request(std::initializer_list<std::pair<const char*, const char*>> options) {
  RawSettings raw;
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  return read_sweep(raw);
}

int refusal_of(const char* name) {
  try {
    tuned_option(name);
  } catch (const Error& error) {
    return static_cast<int>(error.record().exit_code);
  }
  return 0;
}

TEST(Tune, TakesTheNamesOfAxesInAnySpelling) {
  EXPECT_EQ(tuned_option("bucket-cap-mb").name, "bucket_cap_mb");
  EXPECT_EQ(tuned_option("precisions").name, "precision");
  for (const char* name : {"bucket", "seed", "world_sizes", "workload", "output", ""}) {
    EXPECT_EQ(refusal_of(name), 64) << name;
  }
}

TEST(Tune, SaysWhatMayBeMeant) {
  try {
    tuned_option("bucket-cap");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.record().hint.find("bucket_cap_mb"), std::string::npos) << error.record().hint;
    EXPECT_NE(error.record().expected.find("precision"), std::string::npos);
  }
}

TEST(Tune, DefaultListsBeginWithTheDefault) {
  for (const Option& option : all_options()) {
    if (!is_compared(option)) continue;
    const std::string text = default_tune_values(option);
    if (text.empty()) continue;
    const Reading list = read_list(std::string(option.name), {text, "tune"});
    EXPECT_TRUE(list.problems.empty() && list.notes.empty()) << option.name;
    EXPECT_GE(list.texts.size(), 2u) << option.name;
    if (!option.default_text.empty()) {
      EXPECT_EQ(list.texts.front(), option.default_text) << option.name;
    }
  }
  EXPECT_EQ(default_tune_values(*find_option("overlap")), "on,off");
  EXPECT_EQ(default_tune_values(*find_option("static_graph")), "off,on");
  EXPECT_EQ(default_tune_values(*find_option("gradient_compression")), "none,fp16,bf16");
  EXPECT_EQ(default_tune_values(*find_option("threads")), "");
}

TEST(Tune, FillsInTheDefaultListAndKeepsOneThatIsGiven) {
  const SweepRequest filled = request({{"tune", "bucket-cap-mb"}, {"batch_size", "8,16"}});
  EXPECT_TRUE(filled.problems.empty());
  EXPECT_EQ(filled.sweep.tune, "bucket_cap_mb");
  ASSERT_EQ(filled.axes.size(), 2u);
  EXPECT_EQ(filled.axes[0].option, "batch_size") << "the order of the table";
  EXPECT_EQ(filled.axes[1].values.front(), "25");
  const SweepRequest given = request({{"tune", "bucket_cap_mb"}, {"bucket_cap_mb", "50,100"}});
  ASSERT_EQ(given.axes.size(), 1u);
  EXPECT_EQ(given.axes[0].values, (std::vector<std::string>{"50", "100"}));
}

TEST(Tune, NeedsSeveralValuesAndNoOtherEndOfTheSweep) {
  EXPECT_EQ(request({{"tune", "overlap"}, {"overlap", "on"}}).problems.size(), 1u);
  EXPECT_EQ(request({{"tune", "threads"}}).problems.size(), 1u);
  EXPECT_EQ(request({{"tune", ""}}).problems.size(), 1u);
  EXPECT_EQ(request({{"tune", "overlap"}, {"until_ci", "1%"}}).problems.size(), 1u);
  EXPECT_EQ(request({{"tune", "overlap"}, {"burn_in", "1"}}).problems.size(), 1u);
}

TEST(Tune, RefusesAnUnknownNameWhileReading) { EXPECT_THROW(request({{"tune", "bucket"}}), Error); }

}  // namespace
}  // namespace scalemark::settings
