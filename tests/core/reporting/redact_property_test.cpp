// Reports with paths from a hostile alphabet (blanks, quotes, colons, non-ASCII, one slash or
// many): of no name that a person gave to a file, folder, machine or domain do four letters in a
// row stay, in any rendering.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/planning/group_names.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/redact/redact.h"
#include "core/reporting/render/render.h"
#include "tests/core/reporting/sample_report.h"

namespace scalemark::reporting {
namespace {

// Letters that follow each other in no word of ours.
const std::vector<std::string> kLetters = {"q",
                                           "x",
                                           "z",
                                           "k",
                                           "w",
                                           "Q",
                                           "X",
                                           "Z",
                                           "\xC3\xA9",
                                           "\xC3\x9F",
                                           "\xE6\xA9\x9F",
                                           "\xF0\x9F\x94\xA5"};
const std::vector<std::string> kBetween = {" ", "'",  "\"", "-", "_", ".",  ",", "(", ")", "=",
                                           ";", ": ", "  ", "+", "&", "\\", "#", "@", "|"};

class Secrets {
 public:
  explicit Secrets(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  const std::string& one_of(const std::vector<std::string>& all) { return all[below(all.size())]; }

  // Words of 4 to 7 letters, with what may stand between them.
  std::string name(const std::vector<std::string>& between = kBetween) {
    std::string name = word(kLetters);
    for (std::size_t i = below(3); i > 0; --i) name += one_of(between) + word(kLetters);
    return name;
  }
  std::string host_label() {
    static const std::vector<std::string> kPlain(kLetters.begin(), kLetters.begin() + 5);
    return word(kPlain) + (below(2) ? "-" + word(kPlain) : "") + std::to_string(below(20));
  }
  std::string path() {
    static const std::vector<std::string> kBegin = {"/", "", "./", "../", "~/"};
    std::string path = one_of(kBegin) + name();
    for (std::size_t i = below(4); i > 0; --i) path += "/" + name();
    return path;
  }

  // Every four letters in a row of what was given out.
  std::vector<std::string> fragments() const {
    std::vector<std::string> all;
    for (const auto& word : words_) {
      for (std::size_t i = 0; i + 4 <= word.size(); ++i) {
        all.push_back(word[i] + word[i + 1] + word[i + 2] + word[i + 3]);
      }
    }
    return all;
  }

 private:
  std::string word(const std::vector<std::string>& letters) {
    auto& letters_of = words_.emplace_back();
    std::string word;
    for (std::size_t i = 4 + below(4); i > 0; --i) word += letters_of.emplace_back(one_of(letters));
    return word;
  }

  std::mt19937 random_;
  std::vector<std::vector<std::string>> words_;
};

std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

// Everything that names a file does so, as the program's own messages do.
Report report_of(Secrets& secrets) {
  Report report = sample_report(2, true);
  const std::string data = secrets.path(), other = secrets.path(), output = secrets.path();
  const std::string file = data + "/" + secrets.name() + "/" + secrets.name() + ".JPEG";
  const std::string unknown = "/" + secrets.name() + "/" + secrets.name();
  const std::string domain = secrets.host_label() + "." + secrets.host_label();
  const std::string host = secrets.host_label();
  report.environment.hosts[0].hostname = host + (secrets.below(2) ? "." + domain : "");
  report.environment.variables["LD_LIBRARY_PATH"] = unknown + ":" + other;

  report.invocation.settings_json = "{\"data\":[" + to_json_line(data) + "," + to_json_line(other) +
                                    "],\"output\":" + to_json_line(output) + "}";
  report.invocation.command_line = "/home/" + secrets.host_label() + "/scalemark sweep --data " +
                                   quoted(data + "," + other) + " --output=" + quoted(output);
  report.invocation.origins["data"] = "config " + other + ".json";
  for (PointRecord& point : report.points) {
    point.group += "-data-" + planning::plain_value(data);
    point.id = point.group + "/r0";
    point.data = data;
    point.varying["data"] = data;
    point.skipped = {{file, file + ": the file is empty"}};
    for (auto& rank : point.ranks) rank.host = host;
  }
  report.groups[0].group = report.points[0].group;
  report.scaling[0].fixed["data"] = data;
  report.scaling[0].rows[0].in_words = "2.0x -> 1.8x on " + host + "." + domain;
  report.predictions[0].slice = report.points[0].group;
  report.sessions[0].broke_with = "data was " + other + ", now " + data;
  report.environment.hosts[0].scheduler_node = host + "-" + domain;
  report.sessions[0].hostname = host + "." + domain;
  const std::vector<std::string> said = {
      file + ": the file is empty",
      "cannot write " + output + "/report.json.tmp: No space left on device",
      "'" + data + "' is not there",
      data + " holds no image",
      "--data " + other + "; synthetic vectors are expected",
      "cannot read " + unknown + ": Permission denied",
      "nothing answered at gw." + domain + ":29500",
      "the content of --data " + data + " was 1111, now 2222",
      report.points[0].group + ": runs differ",
      secrets.name() + "/" + secrets.name({"-", "_", "."}) + ".png: neither JPEG nor PNG"};
  for (const auto& text : said) {
    report.findings.push_back({"x", "warning", report.points[0].id, text});
    ErrorRecord error = bad_data(text, text, text).record();
    error.host = host;
    report.errors.push_back(error);
    report.points.back().reason = text;
  }
  return report;
}

TEST(Redact, LetsNoFourLettersOfAnyNameThrough) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    Secrets secrets(seed);
    const Report report = report_of(secrets), clean = redacted(report);
    const std::string before = to_json(report);
    std::string all = to_json(clean);
    for (const auto name : format_names()) {
      // The HTML page holds the report as JSON; its own scripts are the same in every page.
      if (is_folder(*find_format(name))) {
        for (const auto& [file, text] : render_files(*find_format(name), {&clean, 1}))
          all += file + "\n" + text;
      } else if (name != "html" || seed % 50 == 0) {
        all += render(*find_format(name), {&clean, 1});
      }
    }
    std::size_t stood_there = 0;
    for (const auto& fragment : secrets.fragments()) {
      stood_there += before.find(fragment) != std::string::npos;
      const std::size_t at = all.find(fragment);
      ASSERT_EQ(at, std::string::npos) << "seed " << seed << ": '" << fragment << "' in ..."
                                       << all.substr(at < 80 ? 0 : at - 80, 200);
    }
    ASSERT_EQ(stood_there, secrets.fragments().size()) << "a secret that the report did not hold";
  }
}

TEST(Redact, KeepsTheNumbersAndTheReasons) {
  Secrets secrets(1);
  const Report report = report_of(secrets), clean = redacted(report);
  ASSERT_EQ(clean.points.size(), report.points.size());
  EXPECT_EQ(to_json_line(clean.points[0], "point").find("null"), std::string::npos);
  EXPECT_EQ(clean.points[0].samples_per_sec, report.points[0].samples_per_sec);
  EXPECT_EQ(clean.points[0].skipped[0].name, "<path>");
  EXPECT_EQ(clean.points[0].skipped[0].reason, "<path>: the file is empty");
  EXPECT_EQ(clean.errors.size(), report.errors.size());
}

}  // namespace
}  // namespace scalemark::reporting
