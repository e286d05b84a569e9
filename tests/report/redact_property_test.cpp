// Reports with paths from a hostile alphabet (blanks, quotes, colons, non-ASCII, one slash or
// many): of no name that a person gave to a file, folder, machine or domain do four letters in a
// row stay, in any rendering.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "report/hide/redact.h"
#include "report/record/report_fields.h"
#include "report/record/report_json.h"
#include "report/say/render/render.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_report.h"

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
    static const std::vector<std::string> kBegins = {"/", "", "./", "../", "~/"};
    std::string path = one_of(kBegins) + name();
    for (std::size_t i = below(4); i > 0; --i) path += "/" + name();
    return path;
  }

  std::string variable() { return word({kLetters.begin() + 5, kLetters.begin() + 8}) + "_SECRET"; }

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

std::string in_quotes(const std::string& text) {
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
                                   in_quotes(data + "," + other) + " --output=" + in_quotes(output);
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

// An archive (core/base/field.h) that writes secrets into every text that may hold one.
class Planter {
 public:
  template <class T>
  using Field = T;

  explicit Planter(Secrets& secrets) : secrets_(secrets) {
    const std::string domain = secrets.host_label() + "." + secrets.host_label();
    hosts_ = {secrets.host_label() + "." + domain, secrets.host_label(), secrets.host_label()};
    paths_ = {secrets.path(), "/" + secrets.name() + "/" + secrets.name(), secrets.name()};
    options_ = {"data", "init_from", "rendezvous", "env.NCCL_TOPO_FILE",
                "env." + secrets.variable()};
    const std::string token = secrets.name({"-", "_", "+"}), unknown = "/" + secrets.name();
    values_ = {paths_[0], paths_[1], hosts_[1] + ":29500", paths_[1], token};
    texts_ = {hosts_[0] + " left " + hosts_[1] + ", " + hosts_[2] + ":29500.",
              "gw." + domain + ":29500 is not there",
              "cannot open " + paths_[0] + "/" + secrets.name() + ": Permission denied",
              "cannot open " + unknown + ": " + secrets.name() + ": No such file",
              "first line\n  at " + unknown + "\n  of " + paths_[1],
              secrets.name() + "/" + secrets.name() + ".png: neither JPEG nor PNG",
              paths_[1].substr(paths_[1].rfind('/') + 1) + " holds no image; '" + paths_[2] +
                  "' is not there",
              "see s3://" + secrets.name() + " or file:" + paths_[1],
              "ask " + secrets.host_label() + "@" + secrets.host_label() + ".example",
              "cannot use ~" + secrets.host_label(),
              options_[4].substr(4) + "=" + token + " and NCCL_TOPO_FILE=" + paths_[1]};
  }

  void record(const char*, const char*) {}
  bool measured(const auto&, auto) { return true; }
  void constant(const char*, const char*, const About&) {}
  void time(const char*, std::string&, const About&) {}
  void time_if_any(const char*, std::string&, const About&) {}
  void word(const char*, std::string&, std::initializer_list<const char*>, const About&) {}
  void choice(const char*, auto&, const About&) {}
  void pair(const char*, auto&, auto&, const About&) {}
  void pair(const char*, auto&, const About&) {}
  void part(auto&, auto body) { body(*this); }
  void object(const char*, auto body, const About&) { body(*this); }
  void text(const char* key, std::string& text, const About& about) { (*this)(key, text, about); }
  void list(const char* key, auto& list, const About& about) { (*this)(key, list, about); }
  void embedded(const char*, std::string& text, const About&) {
    text = "{\"nested\":{\"data\":" + to_json_line(values_[0]) +
           "},\"output\":" + to_json_line(paths_[2]) + ",\"master_addr\":[" +
           to_json_line(hosts_[0]) + "," + to_json_line(hosts_[2]) + "]";
    for (std::size_t i = 0; i < options_.size(); ++i) {
      text += ',' + to_json_line(options_[i]) + ":[" + to_json_line(values_[i]) + ",\"1\"]";
    }
    text += "}";
  }

  void operator()(const char* key, std::string& text, const About& about) {
    const std::size_t any = secrets_.below(options_.size());
    switch (about.unit.holds) {
      case Holds::kHost:
        text = secrets_.one_of(hosts_);
        break;
      case Holds::kSerial:
        text = secrets_.name({"-"});
        break;
      case Holds::kPath:
        text = paths_[std::string_view(key) == "data" ? 0 : 2];
        break;
      case Holds::kOption:
        text = options_[option_ = any];
        break;
      case Holds::kValue:
        text = values_[option_];
        break;
      case Holds::kText:
        text = secrets_.one_of(texts_);
        break;
      case Holds::kCommand:
        text = in_quotes(paths_[1] + "/scalemark") + " sweep " + in_quotes(paths_[2]);
        for (std::size_t i = 0; i < 3; ++i) {
          std::string flag = options_[i] == "init_from" ? "init-from" : options_[i];
          text += " --" + flag + (any % 2 ? "=" : " ") + in_quotes(values_[i]);
          text += " --set " + in_quotes(options_[i] + "=" + values_[i]);
        }
        text += " --env " + in_quotes(options_[4].substr(4) + "=" + values_[4]);
        break;
      default:
        break;
    }
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value, const About& about) {
    if (value) (*this)(key, *value, about);
  }
  template <class T>
  void operator()(const char* key, std::vector<T>& values, const About& about) {
    for (T& value : values) (*this)(key, value, about);
  }
  void operator()(const char* key, std::map<std::string, std::string>& map, const About& about) {
    const Holds holds = about.unit.holds;
    for (auto& [name, text] : map) {
      if (holds == Holds::kText) (*this)(key, text, about);
    }
    for (std::size_t i = 0; i < options_.size(); ++i) {
      const bool is_variable = options_[i].starts_with("env.");
      if (holds == Holds::kOptions) map[options_[i]] = values_[i];
      if (holds == Holds::kOrigins) map[options_[i]] = "config " + values_[i];
      if (holds == Holds::kVariables && is_variable) map[options_[i].substr(4)] = values_[i];
    }
  }
  template <class T>
  void operator()(const char*, T& value, const About&) {
    if constexpr (kIsRecord<T>) fields(*this, value);
  }

 private:
  Secrets& secrets_;
  std::vector<std::string> hosts_, paths_, options_, values_, texts_;
  std::size_t option_ = 0;
};

void expect_none(const Secrets& secrets, const std::string& text, const std::string& where) {
  for (const auto& fragment : secrets.fragments()) {
    const std::size_t at = text.find(fragment);
    ASSERT_EQ(at, std::string::npos)
        << where << ": '" << fragment << "' in ..." << text.substr(at < 80 ? 0 : at - 80, 200);
  }
}

TEST(Redact, LetsNoFourLettersThroughFromAnyField) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Secrets secrets(seed);
    Report report = seed % 4 == 0 ? sample_collectives() : sample_report(2, true);
    Planter planter(secrets);
    fields(planter, report);
    for (PointRecord& point : report.points) {
      for (const auto& [option, value] : point.varying) {
        if (option != "rendezvous") point.group += planning::name_part(option, value);
      }
      point.id = point.group + "/r0";
    }
    const Report clean = redacted(report);
    const std::string where = "seed " + std::to_string(seed);
    for (const auto name : format_names()) {
      if (is_folder(*find_format(name)) || (name == "html" && seed % 10 != 0)) continue;
      expect_none(secrets, render(*find_format(name), {&clean, 1}),
                  where + ", " + std::string(name));
    }
    expect_none(secrets, render_console({&clean, 1}), where + ", details");
    EXPECT_EQ(to_json(redacted(clean)), to_json(clean)) << where;
    EXPECT_EQ(report_from_json(to_json(clean), "it").verdict.has_value(),
              report.verdict.has_value());
    ASSERT_EQ(clean.findings.size(), report.findings.size());
    for (std::size_t i = 0; i < clean.findings.size(); ++i) {
      EXPECT_EQ(clean.findings[i].code, report.findings[i].code);
      EXPECT_EQ(clean.findings[i].values, report.findings[i].values);
    }
  }
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
    expect_none(secrets, all, "seed " + std::to_string(seed));
    std::size_t stood_there = 0;
    for (const auto& fragment : secrets.fragments()) {
      stood_there += before.find(fragment) != std::string::npos;
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
