#include "core/settings/config_file.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::settings {
namespace {

ConfigValues parse(const std::string& text) { return parse_config({"f.json", text}, kTrain); }

std::string only_file_problem(const std::string& text) {
  const ConfigValues config = parse(text);
  EXPECT_EQ(config.problems.size(), 1u) << text;
  return config.problems.empty() ? "" : to_line(config.problems.front());
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(ParseConfig, KeepsTheDigitsOfTheFile) {
  const ConfigValues config = parse(
      R"({"about": "x", "command": "train", "batch-size": 8, "learning_rate": 1.50e-3,
          "nesterov": true, "overlap": false, "workload": "mlp"})");
  EXPECT_TRUE(config.problems.empty());
  EXPECT_EQ(config.values, (Pairs{{"batch_size", "8"},
                                  {"learning_rate", "1.50e-3"},
                                  {"nesterov", "on"},
                                  {"overlap", "off"},
                                  {"workload", "mlp"}}));
}

TEST(ParseConfig, NumbersReachTheChecksUnchanged) {
  EXPECT_EQ(parse(R"({"iters": -1})").values, (Pairs{{"iters", "-1"}}));
  EXPECT_EQ(parse(R"({"iters": 32.7})").values, (Pairs{{"iters", "32.7"}}));
  EXPECT_EQ(parse(R"({"iters": 99999999999999999999})").values,
            (Pairs{{"iters", "99999999999999999999"}}));
}

TEST(ParseConfig, RefusesWhatIsNotStrict) {
  EXPECT_EQ(only_file_problem(R"({"iters": 1, "iters": 2})"),
            "--iters (from config f.json); the key occurs twice in the file; keep one of them.");
  EXPECT_EQ(only_file_problem(R"({"batch_size": 1, "batch-size": 2})"),
            "--batch-size (from config f.json); the key occurs twice in the file; keep one "
            "of them.");
  EXPECT_EQ(only_file_problem(R"({"batchsize": 1})"),
            "batchsize (from config f.json); unknown key. Hint: did you mean 'batch_size'?");
  EXPECT_EQ(
      only_file_problem(R"({"command": "sweep"})"),
      "command is 'sweep' (from config f.json); this file is for another command than train.");
  EXPECT_EQ(only_file_problem(R"({"iters": [1, 2]})"),
            "--iters is '[...]' (from config f.json); one value per key; lists make a sweep.");
  EXPECT_EQ(only_file_problem(R"({"size": {"batch_size": 1}})"),
            "size is '{...}' (from config f.json); a config file is flat: one value per key.");
  EXPECT_EQ(only_file_problem(R"({"iters": null})"),
            "--iters is 'null' (from config f.json); leave the key out for the default.");
  EXPECT_EQ(only_file_problem(R"({"classes": 3})"),
            "--classes (from config f.json); train has no such option.");
  EXPECT_EQ(only_file_problem(R"({"config": "other.json"})"),
            "--config (from config f.json); is not allowed in a config file.");
}

TEST(ParseConfig, RefusesBrokenTexts) {
  for (const char* text : {"", "[]", "3", "{", R"({"iters": 1,})", R"({"iters": 1} x)", "{// no\n}",
                           R"({"learning_rate": 1e400})", R"({"iters": NaN})",
                           "{\"workload\": \"\xff\"}", R"({"iters" 1})"}) {
    EXPECT_FALSE(parse(text).problems.empty()) << text;
  }
}

TEST(ParseConfig, ListsEverythingThatIsWrong) {
  EXPECT_EQ(
      parse(R"({"batchsize": 1, "command": "x", "iters": [1], "classes": 2})").problems.size(), 4u);
}

TEST(ReadTextFile, AMissingFileIsNoInput) {
  try {
    read_text_file("/nowhere/at/all.json");
    FAIL() << "read a file that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kNoInput);
  }
}

TEST(ParseConfig, ASweepTakesLists) {
  const ConfigValues values = parse_config(
      {"f.json", R"({"batch_sizes": [8, 16], "precision": ["fp32"], "adam_betas": [0.9, 0.99],
                     "overlap": [true, false], "bucket_cap_mb": "1..4*2", "command": "sweep"})"},
      kSweep);
  EXPECT_TRUE(values.problems.empty());
  EXPECT_EQ(values.values,
            (std::vector<std::pair<std::string, std::string>>{{"batch_size", "8,16"},
                                                              {"precision", "fp32"},
                                                              {"adam_betas", "0.9,0.99"},
                                                              {"overlap", "on,off"},
                                                              {"bucket_cap_mb", "1..4*2"}}));
}

TEST(ParseConfig, ListsAreFlatAndNotEmpty) {
  for (const char* text :
       {R"({"batch_size": []})", R"({"batch_size": [[1]]})", R"({"batch_size": [{"a": 1}]})",
        R"({"batch_size": [null]})", R"({"data": ["a,b"]})"}) {
    EXPECT_EQ(parse_config({"f.json", text}, kSweep).problems.size(), 1u) << text;
  }
}

}  // namespace
}  // namespace scalemark::settings
