#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/error.h"
#include "report/accept/baseline.h"
#include "report/accept/forms.h"
#include "tests/report/sample_fleet.h"

namespace scalemark::acceptance {
namespace {

using reporting::FleetShape;
using reporting::sample_fleet;

constexpr const char* kMade = "2026-11-22T10:00:00Z";

// The same machines were booted so often.
Baseline made_of(FleetShape shape, int boots = 2) {
  std::vector<NamedReport> reports;
  for (shape.boot = 0; shape.boot < boots; ++shape.boot) {
    std::ranges::move(sample_fleet(shape), std::back_inserter(reports));
  }
  return make_baseline(std::move(reports), kMade);
}

// Another fleet than that of the baseline.
FleetShape other_fleet(double slower) {
  FleetShape shape{.seed = 77, .nodes = 4};
  for (int node = 0; node < shape.nodes; ++node) shape.slow_nodes[node] = slower;
  return shape;
}

Acceptance judged_by(const Baseline& baseline, const FleetShape& shape) {
  return accept(sample_fleet(shape), standard_rules(), {}, &baseline);
}

const BaselineClass& class_named(const Baseline& baseline, std::string_view metric) {
  return *std::ranges::find(baseline.classes, metric, &BaselineClass::metric);
}

const CheckResult& first_of(const Acceptance& acceptance, std::string_view check) {
  return *std::ranges::find(acceptance.results, check, &CheckResult::check);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Baseline, ReportsWhatWasMeasured) {
  const Baseline baseline = made_of({.boot_sd = 0.003});
  ASSERT_EQ(baseline.classes.size(),
            10u);  // training alone and together, own times, products, copies, exchanges
  const BaselineClass& alone = class_named(baseline, "device_samples_per_sec");
  EXPECT_EQ(alone.machines, 8);
  EXPECT_EQ(alone.parts, 64);
  EXPECT_EQ(alone.boots, 2);
  EXPECT_EQ(alone.starts, 2 * 3 * 64);
  EXPECT_NEAR(std::log(alone.reference / 2500), 0.5244 * 0.005, 0.002);
  EXPECT_NEAR(*alone.between_parts, 0.005, 0.0015);
  EXPECT_NEAR(*alone.between_starts, 0.004, 0.0005);
  // The first boot of a sample fleet is as its devices are: the difference of two has one effect.
  EXPECT_NEAR(*alone.between_boots, 0.003 / std::sqrt(2), 0.0007);
  EXPECT_FALSE(alone.assumed_between_boots);
  EXPECT_EQ(class_named(baseline, "node_samples_per_sec").parts, 8);
}

TEST(Baseline, IsReadAsItWasWritten) {
  const Baseline baseline = made_of({.nodes = 2, .slow = {{{1, 3}, 0.1}}}, 1);
  const std::string text = baseline_json(baseline);
  EXPECT_EQ(baseline_json(parse_baseline(text, "b.json")), text);
  const auto read = reference_of(parse_baseline(text, "b.json").classes.front());
  const auto made = reference_of(baseline.classes.front());
  EXPECT_EQ(read.ln_value, made.ln_value);
  EXPECT_EQ(read.standard_error, made.standard_error);
  EXPECT_EQ(read.between_boots, made.between_boots);
  EXPECT_EQ(read.lifted_by, made.lifted_by);
}

TEST(Baseline, FindsAFleetThatIsSlowAsAWhole) {
  const Baseline baseline = made_of({.boot_sd = 0.002});
  const FleetShape slow = other_fleet(0.09);
  EXPECT_EQ(accept(sample_fleet(slow), standard_rules(), {}).outcome, Outcome::kPassed);
  const Acceptance fleet = judged_by(baseline, slow);
  EXPECT_EQ(std::ranges::count(fleet.nodes, Outcome::kFailed, &NodeResult::outcome), 4);
  EXPECT_EQ(fleet.exit_code, ExitCode::kFail);
  const CheckResult& first = first_of(fleet, "training alone");
  EXPECT_EQ(first.outcome, Outcome::kFailed);
  EXPECT_EQ(first.limit_from, "the baseline of 2026-11-22, 64 devices, 2 boots");
  EXPECT_NEAR(*first.of_reference, 0.91 * std::exp(-0.5244 * 0.005), 0.02);
}

TEST(Baseline, PassesAHealthyFleet) {
  const Baseline baseline = made_of({.boot_sd = 0.002});
  const Acceptance fleet = judged_by(baseline, other_fleet(0));
  EXPECT_EQ(fleet.exit_code, ExitCode::kPass);
  const std::string text = hand_over(fleet, {}, {.columns = 200});
  EXPECT_TRUE(has(text, "slower than the baseline of 2026-11-22, ")) << text;
}

// More than a quarter slow is no doubt: the reference is not the fleet's.
TEST(Baseline, IsNotInDoubt) {
  FleetShape shape = other_fleet(0);
  shape.slow_nodes = {{0, 0.09}, {1, 0.09}};
  const Acceptance by_itself = accept(sample_fleet(shape), standard_rules(), {});
  EXPECT_EQ(first_of(by_itself, "training alone").outcome, Outcome::kFailed);
  EXPECT_EQ(by_itself.nodes[2].outcome, Outcome::kUnsure);
  EXPECT_TRUE(has(by_itself.classes.front().doubt, "a baseline would tell"));
  const Acceptance fleet = judged_by(made_of({}), shape);
  EXPECT_EQ(fleet.nodes[0].outcome, Outcome::kFailed);
  EXPECT_EQ(fleet.nodes[2].outcome, Outcome::kPassed);
}

TEST(Baseline, JudgesOneNodeByItself) {
  const Acceptance fleet = judged_by(made_of({}), {.seed = 5, .nodes = 1, .slow = {{{0, 2}, 0.1}}});
  for (const CheckResult& result : fleet.results) {
    if (result.check != "training alone") continue;
    EXPECT_EQ(result.outcome, result.part.device == "cuda:2" ? Outcome::kFailed : Outcome::kPassed)
        << result.part.name() << " " << result.why;
  }
}

TEST(Baseline, EveryFormSaysWhereTheLimitComesFrom) {
  const Acceptance fleet = judged_by(made_of({}), other_fleet(0.09));
  const std::string from = "the baseline of 2026-11-22, 64 devices, 2 boots";
  for (const std::string& text :
       {details_text(fleet, {}), markdown_text(fleet), json_lines(fleet), junit_text(fleet)}) {
    EXPECT_TRUE(has(text, from)) << text.substr(0, 500);
  }
  EXPECT_TRUE(has(details_text(fleet, {}), "95.0 % of " + from));
}

double half_width(const Baseline& baseline) {
  const CheckResult& result =
      first_of(judged_by(baseline, {.seed = 3, .nodes = 4}), "training alone");
  return std::log(*result.high / *result.low) / 2;
}

TEST(Baseline, WhatItDoesNotKnowWidensTheInterval) {
  const double sure = half_width(made_of({}));
  EXPECT_GT(half_width(made_of({.boot_sd = 0.006})), 1.3 * sure);
  EXPECT_GT(half_width(made_of({}, 1)), 1.5 * sure);
  EXPECT_GT(half_width(made_of({.nodes = 1})), 1.1 * sure);
  EXPECT_GT(half_width(made_of({.nodes = 1, .devices = 8, .device_sd = 0.02})), 2 * sure);
}

TEST(Baseline, SaysWhatItLacks) {
  const std::string text = baseline_summary(made_of({.nodes = 1, .devices = 8}, 1));
  EXPECT_TRUE(has(text, "1 machine, 8 devices, 1 boot: references of 10 measurements\n")) << text;
  EXPECT_TRUE(has(text, "! weak: fewer than 2 boots, which are taken to differ by 0.5 %")) << text;
  EXPECT_TRUE(has(text, "! weak: fewer than 8 parts (1 node), ")) << text;
  EXPECT_TRUE(has(text, "\n  so intervals are wide: healthy parts may stay undecided, too\n"))
      << text;
  EXPECT_FALSE(has(baseline_summary(made_of({})), "!")) << baseline_summary(made_of({}));
  EXPECT_LE(std::ranges::count(text, '\n'), 9);
}

TEST(Baseline, ListsSuspectsAndDoesNotDropThem) {
  const Baseline baseline = made_of({.slow = {{{1, 3}, 0.1}}});
  const BaselineClass& alone = class_named(baseline, "device_samples_per_sec");
  EXPECT_EQ(alone.parts, 64);
  ASSERT_EQ(alone.suspects.size(), 1u);
  EXPECT_EQ(alone.suspects[0].part, "node001 cuda:3");
  EXPECT_TRUE(has(alone.suspects[0].why, "% slower"));
  EXPECT_TRUE(has(baseline_summary(baseline), "! suspects, listed and not dropped: node001"));
  // It is no outlier of the reference, which 30 % reach.
  EXPECT_NEAR(alone.reference, class_named(made_of({}), "device_samples_per_sec").reference, 3);
}

// docs/ACCEPTANCE.md says so: there is nothing that it could be in the reference with.
TEST(Baseline, ListsAPartWithoutASpeedAndLeavesItOut) {
  const Baseline baseline = made_of({.throttled = {2}});
  const BaselineClass& alone = class_named(baseline, "device_samples_per_sec");
  EXPECT_EQ(alone.parts, 56);
  EXPECT_EQ(alone.machines, 7);
  ASSERT_EQ(alone.suspects.size(), 8u);
  EXPECT_EQ(alone.suspects[0].part, "node002 cuda:0");
}

TEST(Baseline, OtherVersionsAreJudgedByTheFleetItself) {
  FleetShape shape = other_fleet(0.09);
  for (int node = 0; node < shape.nodes; ++node) shape.drivers[node] = "590.10";
  const Acceptance fleet = judged_by(made_of({}), shape);
  EXPECT_EQ(fleet.outcome, Outcome::kPassed);
  ASSERT_FALSE(fleet.notes.empty());
  EXPECT_EQ(fleet.notes.front(),
            "not by the baseline (driver 580.65 there, 590.10 here), but by the fleet itself: "
            "all-reduce in the node, all-to-all in the node, copy to the device and 7 more");
  EXPECT_EQ(first_of(fleet, "training alone").limit_from, "what 10 of 32 devices reach");
}

// A drift that all share cancels in the difference to the fleet, not in that to a baseline.
TEST(Baseline, NeverPassesWhatIsNotSteady) {
  auto reports = sample_fleet(other_fleet(0));
  for (NamedReport& one : reports) {
    for (const auto& run : one.report.points) {
      reporting::GroupRecord group;
      group.group = run.group;
      group.steady = false;
      one.report.groups.push_back(group);
    }
  }
  EXPECT_EQ(accept(reports, standard_rules(), {}).outcome, Outcome::kPassed);
  const Baseline baseline = made_of({});
  const Acceptance fleet = accept(reports, standard_rules(), {}, &baseline);
  const CheckResult& first = first_of(fleet, "training alone");
  EXPECT_EQ(first.outcome, Outcome::kUnsure);
  EXPECT_TRUE(has(first.why, "not steady"));
}

TEST(Baseline, NeedsARunThatCounts) {
  try {
    make_baseline(sample_fleet({.nodes = 2, .disturbed = {0, 1}}), kMade);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
  }
}

// "" where it is accepted.
std::string refusal_of(const std::string& text, ExitCode code) {
  try {
    parse_baseline(text, "b.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, code) << text.substr(0, 200) << error.record().what;
    return error.record().what;
  }
  return "";
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const auto place = text.find(old);
  EXPECT_NE(place, std::string::npos) << old;
  return text.replace(place, old.size(), by);
}

TEST(Baseline, HostileFilesAreRefused) {
  const std::string text = baseline_json(made_of({.nodes = 1, .devices = 1}));
  for (const std::string& hostile :
       {std::string(),
        std::string("{"),
        std::string("null"),
        std::string("[]"),
        std::string(100000, '['),
        std::string("{\"schema\": \"scalemark.report/1\"}"),
        std::string("{\"schema\": \"scalemark.baseline/1\"}"),
        std::string("{\"schema\": \"scalemark.baseline/1\", \"made\": 3}"),
        std::string(R"({"schema": "scalemark.baseline/1", "made": "x", "classes": [1]})"),
        std::string(R"({"schema": "scalemark.baseline/1", "made": "x", "classes": {}})"),
        text.substr(0, text.size() / 2),
        replaced(text, "baseline/1", "baseline/2"),
        replaced(text, "device_samples_per_sec", "speed"),
        replaced(text, "device_samples_per_sec", "driver"),
        replaced(text, "samples/s", "B/s"),
        replaced(text, "\"of\": \"device\"", "\"of\": \"x\""),
        replaced(text, "\"boots\": 2", "\"boots\": 0"),
        replaced(text, "\"boots\": 2", "\"boots\": 2.5"),
        replaced(text, "\"boots\": 2", "\"boots\": 1e30"),
        replaced(text, "\"reference\": ", "\"reference\": -"),
        replaced(text, "\"boots\": 2", "\"boots\": 1e999"),
        replaced(text, "\"standard_error\": ", "\"standard_error\": -"),
        replaced(text, "\"made\": \"", "\"made\": \"\x01")}) {
    EXPECT_NE(refusal_of(hostile, ExitCode::kBadData), "") << hostile.substr(0, 300);
  }
  const std::string unknown = replaced(text, "\"boots\": 2", "\"boots\": 2, \"tolerance\": 0.5");
  EXPECT_TRUE(has(refusal_of(unknown, ExitCode::kConfiguration), "unknown key 'tolerance'"));
  const std::string twice = replaced(text, "\"boots\": 2", "\"boots\": 2, \"boots\": 3");
  EXPECT_TRUE(has(refusal_of(twice, ExitCode::kConfiguration), "'boots' twice"));
}

TEST(Accept, SaysThatAChipHasNoDatasheetFigure) {
  auto reports = sample_fleet({});
  for (NamedReport& one : reports) {
    for (auto& gpu : one.report.environment.hosts.front().gpus) gpu.name = "NVIDIA B200";
    for (auto& record : one.report.fingerprint) record.device_name = "NVIDIA B200";
  }
  const Acceptance fleet = accept(reports, standard_rules(), {});
  const std::string note =
      "no figure of a datasheet or of its links for NVIDIA B200: whether its speed can be true is not judged "
      "(memory_copy)";
  EXPECT_EQ(std::ranges::count(fleet.notes, note), 1);
  EXPECT_TRUE(has(hand_over(fleet, {}, {.columns = 200}), "! " + note));
}

}  // namespace
}  // namespace scalemark::acceptance
