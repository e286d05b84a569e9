#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/catalogue/workload.h"
#include "core/settings/comm_settings.h"
#include "core/settings/layers.h"
#include "core/settings/option.h"
#include "core/settings/reader.h"
#include "core/settings/settings_json.h"
#include "core/settings/sweep_settings.h"
#include "core/settings/value.h"

namespace scalemark::settings {
namespace {

TEST(OptionTable, NamesAliasesAndLettersAreUnique) {
  std::set<std::string_view> names;
  std::set<char> letters;
  for (const Option& option : all_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    for (const auto alias : option.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    const bool own_letter = !option.letter || letters.insert(option.letter).second;
    EXPECT_TRUE(own_letter) << option.name;
  }
}

TEST(OptionTable, EveryOptionIsDescribedAndServesACommand) {
  for (const Option& option : all_options()) {
    EXPECT_FALSE(option.help.empty()) << option.name;
    const auto commands = all_commands();
    EXPECT_TRUE(std::ranges::any_of(commands, [&](Command command) {
      return takes(command, option);
    })) << option.name;
    EXPECT_EQ(option.kind == Kind::kChoice || option.kind == Kind::kChoices,
              !option.choices.empty())
        << option.name;
    EXPECT_NE(option.kind == Kind::kFlag, !option.value_name.empty()) << option.name;
  }
}

TEST(OptionTable, DefaultsAndRecipesAreAllowedValues) {
  for (const Option& option : all_options()) {
    EXPECT_TRUE(option.default_text.empty() || read(option, option.default_text)) << option.name;
  }
  for (const auto& workload : catalogue::all_workloads()) {
    for (const auto& [name, value] : recipe_values(workload)) {
      const Option* option = find_option(name);
      EXPECT_TRUE(!option || read(*option, value.text)) << workload.name << " " << name;
    }
  }
}

// An option that no field reads would be accepted and ignored.
TEST(OptionTable, EveryTrainOptionReachesTheSettings) {
  Settings settings;
  settings.task.vocab = settings.recipe.init_from = settings.recipe.save = "x";
  settings.recipe.optimizer = settings.recipe.lr_schedule = "x";
  settings.recipe.clip_grad_norm = 1;
  settings.parallel.memory_limit.every_bytes = 1;
  settings.measuring = {
      .iters = 1, .warmup_iters = 1, .max_warmup_s = 1, .epochs = 1, .trace = "x"};
  settings.launch.rendezvous = settings.launch.run_id = settings.launch.hostfile = "x";
  settings.launch.local_rank = 1;
  settings.general.output = settings.general.torch = settings.general.tensorboard = "x";
  const auto flat = flat_settings(settings);
  for (const auto name : option_names(kTrain)) {
    const Option* option = find_option(name);
    const bool becomes_rendezvous = name == "master_addr" || name == "master_port";
    // A secret, who may watch and how a plan is shown stand in no settings; what --scale-down
    // changes stands there.
    const bool is_read_at_once = name == "run_token" || name == "details" || name == "scale_down" ||
                                 name == "metrics_token" || name == "metrics_port";
    if (option->layer || becomes_rendezvous || is_read_at_once) continue;
    EXPECT_TRUE(flat.contains(std::string(name))) << name;
  }
}

// Two values of an option; the same twice where it has only one.
std::pair<std::string, std::string> two_values(const Option& row) {
  switch (row.kind) {
    case Kind::kText:
    case Kind::kPath:
      return {"one", "another"};
    case Kind::kChoice: {
      const auto last = row.choices.size() - 1;  // the first may be "auto", which is no value
      return {std::string(row.choices[last > 0 ? last - 1 : 0]), std::string(row.choices[last])};
    }
    case Kind::kChoices:
      return {std::string(row.choices.front()), std::string(row.choices.back())};
    case Kind::kSwitch:
    case Kind::kFlag:
      return {"off", "on"};
    case Kind::kCount:
    case Kind::kSeconds:
      return {"36", "37"};
    case Kind::kNumber:
    case Kind::kShare:
      return {"0.36", "0.37"};
    case Kind::kStepsOrTime:
      return {"36steps", "37m"};
    case Kind::kTimeouts:
      return {"37,data=38", "37,data=39"};
    case Kind::kMemoryLimit:
      return {"37MiB,1=38MiB", "37MiB,1=39MiB"};
    case Kind::kBetas:
      return {"0.37,0.38", "0.37,0.39"};
    case Kind::kMessageSize:
      return {"36KiB", "37:elem"};
    case Kind::kVariable:
      return {};  // a key for each variable: variables_test.cpp
  }
  return {};
}

// Reads each row that has a member in `Owner` into a copy of `plain`, with two values; `use` checks
// what they give.
template <class Owner, class Use>
void read_two_values(const Owner& plain, Use use) {
  for (const Option& row : all_rows()) {
    const auto [one, another] = two_values(row);
    if (!field_of<Owner>(row) || one == another) continue;
    SCOPED_TRACE(row.name);
    Owner a = plain, b = plain;
    EXPECT_TRUE(read_fields({{std::string(row.name), {one, "test"}}}, a).problems.empty());
    EXPECT_TRUE(read_fields({{std::string(row.name), {another, "test"}}}, b).problems.empty());
    use(row, a, b);
  }
}

// Reading, printing and telling points apart follow from the row.
TEST(OptionTable, ARowIsEnoughToReadPrintAndCompareItsField) {
  read_two_values(Settings(), [](const Option& row, const Settings& a, const Settings& b) {
    EXPECT_TRUE(flat_settings(a).contains(std::string(row.name)));
    EXPECT_NE(to_json(a), to_json(b));
    const bool two_points = identity_settings(a) != identity_settings(b);
    EXPECT_EQ(two_points, row.identity != Identity::kNone);
  });
}

TEST(OptionTable, ARowIsEnoughForAWholeSweepAndForComm) {
  read_two_values(SweepSettings(), [](const Option& row, const auto& a, const auto& b) {
    EXPECT_EQ(to_json(a) != to_json(b), !row.one_start);
  });
  read_two_values(CommSettings{.pairs = true}, [](const Option& row, const auto& a, const auto& b) {
    EXPECT_NE(to_json(a), to_json(b));
    EXPECT_TRUE(takes(kComm, row));
  });
  for (const Option& row : all_rows()) {
    const bool is_sorted_out = row.name == "world_sizes";  // the plan of a sweep does it
    EXPECT_TRUE(row.group != OptionGroup::kSweeping || is_sorted_out ||
                field_of<SweepSettings>(row))
        << row.name << " would be accepted and ignored";
    EXPECT_TRUE(row.group != OptionGroup::kCollectives || field_of<CommSettings>(row)) << row.name;
  }
}

// Forgotten, two points that differ in the option would be taken for one.
TEST(OptionTable, WhatIsTrainedAndHowItIsMeasuredTellsPointsApart) {
  const std::set<OptionGroup> groups = {OptionGroup::kWhat,    OptionGroup::kSize,
                                        OptionGroup::kRecipe,  OptionGroup::kParallel,
                                        OptionGroup::kLoading, OptionGroup::kMeasuring};
  for (const Option& row : all_rows()) {
    const bool what_is_written = row.name == "save" || row.name == "raw_steps" ||
                                 row.name.starts_with("trace") || row.name == "tensorboard" ||
                                 row.name == "histograms" || row.name.starts_with("checkpoint_");
    if (!groups.contains(row.group) || what_is_written) continue;
    EXPECT_NE(row.identity, Identity::kNone) << row.name;
  }
}

TEST(FindRow, PrintedKeysBelongToARow) {
  EXPECT_EQ(find_row("memory_limit_by_rank"), find_row("memory_limit"));
  EXPECT_EQ(find_row("timeout_by_phase")->name, "timeout");
  EXPECT_EQ(find_row("lr_warmup_share")->name, "lr_warmup_share");
  EXPECT_EQ(find_option("lr_warmup_share"), nullptr) << "only a recipe sets it";
  EXPECT_EQ(find_row("command"), nullptr);
}

TEST(Takes, GroupsOfTheCommandAndSingleOptions) {
  EXPECT_TRUE(takes(kTrain, *find_option("save")));
  EXPECT_FALSE(takes(kSweep, *find_option("save")));
  EXPECT_TRUE(takes(kSweep, *find_option("retries")));
  EXPECT_FALSE(takes(kTrain, *find_option("retries")));
  EXPECT_TRUE(takes(kDataBench, *find_option("workers")));
  EXPECT_FALSE(takes(kDoctor, *find_option("workers")));
}

TEST(FindOption, UnderscoresAndDashesAreAlike) {
  ASSERT_NE(find_option("batch-size"), nullptr);
  EXPECT_EQ(find_option("batch-size"), find_option("batch_size"));
  EXPECT_EQ(find_option("lr"), find_option("learning-rate"));
  EXPECT_EQ(find_option("batchsize"), nullptr);
  EXPECT_EQ(option_flag("batch_size"), "--batch-size");
}

TEST(AllowedText, SaysItInWords) {
  EXPECT_EQ(allowed_text(*find_option("threads")), "a whole number from 1 to 4096, or auto");
  EXPECT_EQ(allowed_text(*find_option("iters")), "a whole number from 1 on, or auto");
  EXPECT_EQ(allowed_text(*find_option("learning_rate")), "a number above 0");
  EXPECT_EQ(allowed_text(*find_option("device")), "one of auto, cpu, cuda");
  EXPECT_EQ(allowed_text(*find_option("momentum")), "a number from 0 to 1 (excluded)");
  EXPECT_EQ(allowed_text(*find_option("seed"), "18446744073709551615"),
            "a whole number from 0 on, at most 9223372036854775807");
  EXPECT_EQ(allowed_text(*find_option("seed"), "-1"), "a whole number from 0 on");
  EXPECT_EQ(allowed_text(*find_option("output"), "caf\xe9"), "it is not UTF-8: a path in UTF-8");
}

}  // namespace
}  // namespace scalemark::settings
