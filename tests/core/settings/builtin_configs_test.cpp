#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/settings/config_file.h"
#include "core/settings/layers.h"

namespace scalemark::settings {
namespace {

// A folder of its own as the working folder, so that paths mean what the test says.
class InFolder : public testing::Test {
 protected:
  InFolder()
      : before_(std::filesystem::current_path()), folder_(testing::TempDir() + "builtin_configs") {
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~InFolder() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  std::string refusal_of(const std::string& name) {
    try {
      read_config(name, notes_);
    } catch (const Error& error) {
      return format_error_line(error.record());
    }
    return "found";
  }

  std::vector<std::string> notes_;

 private:
  std::filesystem::path before_, folder_;
};
using ReadConfig = InFolder;

TEST_F(ReadConfig, FindsABuiltInOneByItsName) {
  const ConfigFile config = read_config("rtx4090-mlp", notes_);
  EXPECT_EQ(config.path, "rtx4090-mlp");
  EXPECT_EQ(parse_config(config, kSweep).about, facts_of(config.text).about);
  EXPECT_EQ(facts_of(read_config("acceptance/links", notes_).text).command, "comm");
  EXPECT_TRUE(notes_.empty());
}

TEST_F(ReadConfig, TakesAFileOfThatNameFirstAndSaysSo) {
  std::ofstream("bucket-size") << "{}";
  EXPECT_EQ(read_config("bucket-size", notes_).text, "{}");
  EXPECT_EQ(notes_.size(), 1u);
  std::filesystem::create_directory("loader");
  EXPECT_EQ(facts_of(read_config("loader", notes_).text).command, "sweep");
}

TEST_F(ReadConfig, NamesTheNearestOfAnUnknownName) {
  EXPECT_EQ(refusal_of("rtx409-mlp"),
            "scalemark: error E_NO_INPUT (exit 66): 'rtx409-mlp' is no file and no built-in "
            "configuration. Hint: did you mean 'rtx4090-mlp'?");
  EXPECT_NE(refusal_of("configs/overlap.json").find("--config overlap"), std::string::npos);
  EXPECT_NE(refusal_of("nothing/like.json").find("cannot read"), std::string::npos);
}

// Each name that a message or a list shows is taken, and a slip names the nearest.
TEST_F(ReadConfig, FindsRulesByTheirName) {
  ASSERT_FALSE(acceptance_rules().empty());
  for (const NamedText& rules : acceptance_rules()) {
    const std::string name(rules.name), last = name.substr(name.rfind('/') + 1);
    for (const std::string& word : {name, "rules/" + last, last})
      EXPECT_EQ(read_rules(word, notes_).text, rules.text) << word;
    for (const std::string& word : {name, "rules/" + last})
      EXPECT_EQ(builtin_config(word), rules.text) << word;
    for (const std::string& path : {"configs/" + name + ".json", last + ".json", "x/" + last}) {
      try {
        read_rules(path, notes_);
        ADD_FAILURE() << path;
      } catch (const Error& error) {
        EXPECT_EQ(error.record().exit_code, ExitCode::kNoInput);
        EXPECT_EQ(error.record().hint,
                  "rules of this name: --rules " + name + ", which is built in");
      }
    }
  }
  EXPECT_TRUE(notes_.empty());
  try {
    read_rules("smokes", notes_);
    ADD_FAILURE() << "smokes";
  } catch (const Error& error) {
    EXPECT_NE(error.record().hint.find("smoke'?"), std::string::npos) << error.record().hint;
  }
  std::ofstream("smoke") << "{}";
  EXPECT_EQ(read_rules("smoke", notes_).text, "{}");
  EXPECT_EQ(notes_.size(), 1u);
}

TEST(BuiltinConfigs, AreConfigurationsOfACommand) {
  for (const NamedText& config : builtin_configs()) {
    const auto command = find_command(facts_of(config.text).command);
    ASSERT_TRUE(command) << config.name;
    EXPECT_TRUE(*command & kRuns) << config.name;
    const auto parsed =
        parse_config({std::string(config.name), std::string(config.text)}, *command);
    for (const Problem& problem : parsed.problems) ADD_FAILURE() << to_line(problem);
    EXPECT_GT(parsed.about.size(), 80u) << config.name << ": `about` says what it shows";
    EXPECT_EQ(parsed.about.find("estimate"), std::string::npos)
        << config.name << ": a plan estimates its time for the machine that it is made for";
  }
}

}  // namespace
}  // namespace scalemark::settings
