#include "core/reporting/redact/paths.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <vector>

#include "core/base/shell_words.h"
#include "core/reporting/redact/names.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kShortestPart = 4;  // bytes; shorter ones occur in other words
constexpr char kMark = '\x1A';            // marks a covered path during the search for others
constexpr const char* kSynthetic = "synthetic";

// Names of folders and files that reveal nothing, and words of ours that look like such names.
const std::set<std::string> kCommon = {
    "data",     "image",     "images",  "text",        "texts",     "train",        "training",
    "val",      "test",      "valid",   "eval",        "output",    "outputs",      "results",
    "result",   "runs",      "report",  "reports",     "home",      "root",         "users",
    "mnt",      "media",     "scratch", "work",        "share",     "shared",       "local",
    "vocab",    "tokens",    "json",    "report.json", "file",      "files",        "folder",
    "path",     "synthetic", "sweep",   "step",        "steps",     "rank",         "ranks",
    "resnet50", "bert",      "linear",  "host",        "torch",     "python",       "none",
    "auto",     "sample",    "samples", "token",       "batch",     "model",        "cache",
    "memory",   "device",    "error",   "warnings",    "vocab.txt", "journal.jsonl"};

bool tells_nothing(std::string word) {
  if (word.size() < kShortestPart || word.find_first_not_of("0123456789.-_:") == std::string::npos)
    return true;
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
  });
  return kCommon.contains(word);
}

std::string option_name(std::string word) {
  word.erase(0, word.find_first_not_of('-'));
  std::ranges::replace(word, '-', '_');
  return word;
}

// Up to the last ": " behind `begin`, where the system's reason follows a path; else all.
std::size_t end_of_path(const std::string& text, std::size_t begin) {
  const std::size_t colon = text.rfind(": ");
  return colon == std::string::npos || colon < begin ? text.size() : colon;
}

void cover(std::string& text, std::size_t begin, std::size_t end) {
  text.replace(begin, end - begin, 1, kMark);
}

// Covers files below a covered folder.
void cover_below_marks(std::string& text) {
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos; ++at) {
    if (at + 1 < text.size() && text[at + 1] == '/') cover(text, at, end_of_path(text, at));
  }
}

// Covers paths from the root, from home or from here: not "samples/s", not "1 - real / synthetic".
void cover_rooted(std::string& text) {
  static const std::regex kStart(R"((^|[\s"'=:,;(\[{<>|])((?:~[\w.-]*|\.{1,2})?/)(?=\S))");
  std::smatch found;
  while (std::regex_search(text, found, kStart)) {
    const auto begin = static_cast<std::size_t>(found.position(2));
    cover(text, begin, end_of_path(text, begin));
  }
}

// Messages name image files: everything before ".jpg" may belong to the name, blanks and colons
// too.
void cover_images(std::string& text) {
  static const std::regex kImage(R"(\.(?:jpe?g|png)(?![A-Za-z0-9]))", std::regex::icase);
  std::size_t end = 0;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kImage);
       it != std::sregex_iterator(); ++it) {
    end = static_cast<std::size_t>(it->position() + it->length());
  }
  if (end > 0) cover(text, 0, end);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.,%[]()") == std::string::npos;
}

// "samples/s", "3/12", "group/r0" are no paths.
bool is_harmless(const std::string& word) {
  static const std::regex kUnit(R"(^[\w.^%()-]*(?:/(?:s|sec|step|rank|r\d+))+[\]).,:;]*$)");
  const std::size_t slash = word.find('/');
  return std::regex_match(word, kUnit) ||
         (is_number(word.substr(0, slash)) && is_number(word.substr(slash + 1)));
}

void cover_words_with_slashes(std::string& text) {
  static const std::regex kWord(R"([^\s"'=,;(){}\x1A]*/[^\s"',;(){}\x1A]+)");
  std::string result;
  auto rest = text.cbegin();
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kWord);
       it != std::sregex_iterator(); ++it) {
    result.append(rest, (*it)[0].first);
    const std::string word = it->str();
    const bool ends_sentence = word.ends_with(':') || word.ends_with('.');
    if (is_harmless(word)) {
      result += word;
    } else {
      result += kMark + (ends_sentence ? word.substr(word.size() - 1) : "");
    }
    rest = (*it)[0].second;
  }
  text = result.append(rest, text.cend());
}

// "--data photos", and what --resume-anyway says of a setting: "data was photos, now pictures".
void cover_values(std::string& text) {
  static const std::regex kOption(
      R"((--(?:data|vocab|output|init[-_]from|save|torch|trace|tensorboard|config|rendezvous|topology|master[-_]addr)(?:=|\s+))(?!synthetic\b)(?:"[^"]*"|'[^']*'|[^\s\x1A]+))");
  text = std::regex_replace(text, kOption, std::string("$1") + kMark);
  static const std::regex kWas(
      R"(\b(?:data|vocab|output|init_from|save|torch|trace|tensorboard|config|rendezvous|topology) was )");
  static const std::regex kCovered(
      R"(^(?:\x1A|synthetic|not set), now (?:\x1A|synthetic|not set)(?:; |$))");
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kWas); it != std::sregex_iterator();
       ++it) {
    const auto begin = static_cast<std::size_t>(it->position() + it->length());
    if (std::regex_search(text.substr(begin), kCovered)) continue;
    return cover(text, begin, text.size());  // the end of the values is unknown
  }
}

std::string without_marks(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kMark) {
      result += text[i];
    } else if (i == 0 || text[i - 1] != kMark) {
      result += kCoveredPath;
    }
  }
  return result;
}

std::string without_end_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

bool is_place(const std::string& name) {
  static const std::set<std::string> kPlaces = {
      "data",  "vocab",     "output",        "init_from",  "save",
      "torch", "config",    "rendezvous",    "topology",   "master_addr",
      "trace", "run_token", "metrics_token", "tensorboard"};
  return kPlaces.contains(name);
}

void KnownPaths::add(const std::string& path) {
  if (path.empty() || path == kSynthetic) return;
  for (std::string part : {path, std::filesystem::path(path).lexically_normal().string()}) {
    // The folders that contain it, too.
    for (part = without_end_slash(part); part.size() >= kShortestPart;
         part = std::filesystem::path(part).parent_path().string()) {
      const bool is_word = part.find_first_of("/ ") == std::string::npos;
      if (!is_word || !tells_nothing(part)) (is_word ? words_ : literals_).insert(part);
      if (part == "/" || part.find('/') == std::string::npos) break;
    }
  }
  for (const auto& part : std::filesystem::path(path)) {
    const std::string name = part.string();
    if (!tells_nothing(name)) words_.insert(name);
  }
}

void KnownPaths::add_data(const std::string& path) {
  if (path.empty() || path == kSynthetic) return;
  data_.try_emplace(path, "data-" + std::to_string(data_.size() + 1));
  add(path);
}

std::string KnownPaths::instead_of(const std::string& path) const {
  if (path.empty() || path == kSynthetic) return path;
  const auto data = data_.find(path);
  return data == data_.end() ? kCoveredPath : data->second;
}

std::string KnownPaths::covered(std::string text) const {
  std::erase(text, kMark);
  for (const auto& path : literals_) {
    for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos; ++at) {
      cover(text, at, at + path.size());
    }
  }
  for (const auto& word : words_) text = with_word(std::move(text), word, {kMark});
  cover_below_marks(text);
  cover_values(text);
  cover_rooted(text);
  cover_images(text);
  cover_words_with_slashes(text);
  return without_marks(text);
}

std::string KnownPaths::command_line(const std::string& line) const {
  const std::vector<std::string> words = shell_words(line);
  if (words.empty()) return line.empty() ? "" : kCoveredPath;
  std::string result;
  std::string option;  // whose value comes next
  for (const std::string& word : words) {
    if (!result.empty()) result += ' ';
    result += option.empty() ? shell_word(word) : value_of(option, word);
    const std::string name = option_name(word);
    const bool takes_value = word.starts_with("--") && (is_place(name) || name == "set");
    option = option.empty() && takes_value ? name : "";
  }
  return result;
}

std::string KnownPaths::shell_word(const std::string& word) const {
  const std::size_t equals = word.find('=');
  const std::string name = option_name(word.substr(0, equals));
  if (word.starts_with("--") && equals != std::string::npos && (is_place(name) || name == "set")) {
    return word.substr(0, equals + 1) + value_of(name, word.substr(equals + 1));
  }
  const std::string clean = covered(word);
  if (clean == word) return scalemark::shell_word(word);
  // The sign for a path is no file to read from or write to, and stays as it is.
  const bool plain = clean.find_first_of(" \t\n'\"\\$`;&|(){}*?[]#~!") == std::string::npos;
  return plain ? clean : kCoveredPath;
}

std::string KnownPaths::value_of(const std::string& option, const std::string& value) const {
  if (option != "set") return instead_of(value);
  const std::size_t equals = std::min(value.find('='), value.size());
  const std::string name = option_name(value.substr(0, equals));
  if (!is_place(name)) return shell_word(value);
  return name + "=" + instead_of(value.substr(std::min(equals + 1, value.size())));
}

}  // namespace scalemark::reporting
