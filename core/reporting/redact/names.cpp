#include "core/reporting/redact/names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "core/reporting/record/finding_kinds.h"
#include "core/settings/option.h"

namespace scalemark::reporting {
namespace {

using std::string;
using std::string_view;

constexpr std::size_t kLongestText = 16'384;  // longer ones are no message of ours
constexpr string_view kBetweenWords = " \t\r\"'`()[]{}<>,;=|";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || (c & 0x80); }
bool is_of_word(char c) { return is_digit(c) || is_letter(c); }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// The longest parts of `text` of whose characters `belongs` holds.
template <class Belongs>
std::vector<string_view> runs_of(string_view text, Belongs belongs) {
  std::vector<string_view> runs;
  for (auto begin = text.begin(); begin != text.end();) {
    const auto end = std::find_if_not(begin, text.end(), belongs);
    if (end != begin) runs.emplace_back(begin, end);
    begin = end == text.end() ? end : end + 1;
  }
  return runs;
}
std::vector<string_view> words_in(string_view text) {
  return runs_of(text, [](char c) { return is_of_word(c) || c == '_'; });
}

// An address of IP or Ethernet, or twelve digits that tell a device or file from all others.
bool looks_like_address(string_view word) {
  const string text(word.substr(0, word.find('%')));
  in6_addr ignored{};
  if (inet_pton(AF_INET, text.substr(0, text.find(':')).c_str(), &ignored) == 1) return true;
  if (std::ranges::any_of(text, is_digit) && inet_pton(AF_INET6, text.c_str(), &ignored) == 1)
    return true;
  const auto bytes = parts_of(text, ":-");
  const auto is_byte = [](string_view b) {
    return b.size() == 2 && std::ranges::all_of(b, is_hex);
  };
  if (bytes.size() == 6 && std::ranges::all_of(bytes, is_byte)) return true;
  // Linux names a network card by its address: "enx001517123456".
  if (text.starts_with("enx") && text.size() == 15 && std::ranges::all_of(text.substr(3), is_hex))
    return true;
  return std::ranges::any_of(runs_of(text, is_hex), [](string_view run) {
    return run.size() >= 12 && std::ranges::any_of(run, is_digit) &&
           std::ranges::any_of(run, is_letter);
  });
}

bool looks_like_place(string_view word) {
  while (!word.empty() && string_view(".:!?").find(word.back()) != string_view::npos)
    word.remove_suffix(1);
  if (word.size() < 2) return false;
  if (word[0] == '/' || (word[0] == '~' && !is_digit(word[1]))) return true;
  for (const char* mark : {"\\", "://", "./"}) {
    if (word.find(mark) != string_view::npos) return true;
  }
  if (word.find('@', 1) < word.size() - 1) return true;
  if (std::ranges::any_of(parts_of(word, "/"), looks_like_address)) return true;
  // A port has a number behind the adapter's: "mlx5_0/1".
  const auto sides = parts_of(word, "/");
  if (sides.size() == 2 && is_digit(sides[0].back()) && sides[1].size() < 3 &&
      std::ranges::all_of(sides[1], is_digit))
    return false;
  const auto labels = parts_of(word, ".");  // of a machine and its domain, or of a file
  const bool has_ending =
      labels.size() > 1 && labels.back().size() > 1 && is_letter(labels.back()[0]);
  if (has_ending && labels.size() > 2) return true;
  return (has_ending || word.find('/') != string_view::npos) && !tells_nothing(word);
}

}  // namespace

string small(string_view text) {
  string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
  return result;
}

std::vector<string_view> parts_of(string_view text, string_view separators) {
  return runs_of(text, [&](char c) { return separators.find(c) == string_view::npos; });
}

bool tells_nothing(string_view text) {
  static const auto kWords = [] {
    std::set<string> all;
    const auto add = [&all](string_view said) {
      for (const string_view word : words_in(said)) all.insert(small(word));
    };
    for (const auto& row : settings::all_rows()) {
      add(row.name);
      add(row.help);
      std::ranges::for_each(row.choices, add);
    }
    for (const auto& kind : all_finding_kinds()) {
      add(kind.text);
      add(kind.said_when);
    }
    return all;
  }();
  return std::ranges::all_of(words_in(text), [](string_view word) {
    return std::ranges::all_of(word.substr(is_letter(word[0])), is_digit) ||
           kWords.contains(small(word));
  });
}

void Names::add(string_view name, const string& instead) {
  if (name.size() > 1) all_.insert_or_assign(small(name), instead);
}

// In `*probe`, which is the same otherwise, "<path>" and the like are letters of no language, so
// that what is tied to them by "/" or "." looks like a place. Other names are numbers, in as many
// lines.
string Names::replaced(const string& text, string* probe) const {
  const string key = small(text);
  string result;
  for (std::size_t at = 0; at < text.size();) {
    const Entry* const found = name_at(key, at);
    result += found ? found->second : text.substr(at, 1);
    if (probe && found) {
      *probe += found->second.starts_with('<') ? "\xFF\xFF" : "0";
      for (const char c : found->second) *probe += c == '\n' ? "\n0" : "";
    } else if (probe) {
      *probe += text[at];
    }
    at += found ? found->first.size() : 1;
  }
  return result;
}

// The longest one that is a word of its own at `at`; behind "<host>" a number may follow.
const Names::Entry* Names::name_at(const string& key, std::size_t at) const {
  if (at > 0 && is_of_word(key[at - 1]) && is_of_word(key[at])) return nullptr;
  const string_view rest = string_view(key).substr(at);
  for (auto next = all_.upper_bound(rest); next != all_.begin();) {
    const auto& [name, instead] = *--next;
    auto same = static_cast<std::size_t>(std::ranges::mismatch(name, rest).in1 - name.begin());
    if (same == name.size()) {
      const char after = same < rest.size() ? rest[same] : ' ';
      const bool is_numbered = instead == kSomeHost && is_digit(after);
      if (!is_of_word(name.back()) || !is_of_word(after) || is_numbered) return &*next;
      --same;
    }
    if (same == 0) return nullptr;
    next = all_.upper_bound(rest.substr(0, same));  // a shorter one may stand there
  }
  return nullptr;
}

string Names::cleaned(const string& text, const char* left_out) const {
  if (text.size() > kLongestText) return left_out;
  string probe, line, probe_line, result;
  std::istringstream lines(replaced(text, &probe)), probes(probe);
  while (std::getline(lines, line) && std::getline(probes, probe_line)) {
    const bool is_place =
        std::ranges::any_of(parts_of(probe_line, kBetweenWords), looks_like_place);
    result += (is_place ? left_out : line) + (lines.eof() ? "" : "\n");
  }
  return result;
}

}  // namespace scalemark::reporting
