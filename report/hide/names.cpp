#include "report/hide/names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "core/settings/option.h"
#include "report/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

using std::string;
using std::string_view;

constexpr std::size_t kLongestText = 16'384;  // a longer text is no message of ours
constexpr string_view kBetweenWords = " \t\r\"'`()[]{}<>,;=|";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || (c & 0x80); }
bool is_of_word(char c) { return is_digit(c) || is_letter(c); }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Returns the longest parts of `text` whose characters all satisfy `belongs`.
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

// Returns the lengths of the parts of `run` between separators, empty parts included.
std::vector<std::size_t> lengths_between(string_view run, char separator) {
  std::vector<std::size_t> lengths(1);
  for (const char c : run) {
    if (c == separator) {
      lengths.push_back(0);
    } else {
      ++lengths.back();
    }
  }
  return lengths;
}

bool holds(const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& wanted) {
  return !std::ranges::search(lengths, wanted).empty();
}

// Whether a run like "10.91.0.7" is an address of IPv4: four numbers of at most three digits.
bool is_ipv4(string_view run) {
  const auto lengths = lengths_between(run, '.');
  int numbers = 0;
  for (const std::size_t length : lengths) {
    numbers = length > 0 && length < 4 ? numbers + 1 : 0;
    if (numbers == 4) return true;
  }
  return false;
}

// Whether an address of IPv6 stands in `line` from `at` to `end`. A scope of C++ ("c10d::Work") is
// none: letters follow it.
bool is_ipv6(string_view line, std::size_t at, std::size_t end) {
  string_view run = line.substr(at, end - at);
  if (at > 0 && is_of_word(line[at - 1])) run.remove_prefix(std::min(run.find(':'), run.size()));
  if (end < line.size() && is_letter(line[end])) return false;
  while (run.ends_with('.')) run.remove_suffix(1);
  if (run.ends_with(':') && !run.ends_with("::")) run.remove_suffix(1);
  if (run.starts_with(':') && !run.starts_with("::")) run.remove_prefix(1);
  in6_addr ignored{};
  return std::ranges::any_of(run, is_digit) &&
         inet_pton(AF_INET6, string(run).c_str(), &ignored) == 1;
}

// Whether `line` contains an address of IP, Ethernet, InfiniBand or PCI, or a UUID.
bool holds_address(string_view line) {
  for (const string_view run : runs_of(line, [](char c) { return is_digit(c) || c == '.'; }))
    if (is_ipv4(run)) return true;
  const std::vector<std::size_t> ethernet(6, 2), guid(4, 4);
  for (const string_view run : runs_of(line, [](char c) { return is_hex(c) || c == '-'; })) {
    const auto lengths = lengths_between(run, '-');
    if (holds(lengths, ethernet) || holds(lengths, {8, 4, 4, 4, 12})) return true;
  }
  for (const string_view run :
       runs_of(line, [](char c) { return is_hex(c) || c == ':' || c == '.'; })) {
    const auto at = static_cast<std::size_t>(run.begin() - line.begin());
    if (is_ipv6(line, at, at + run.size())) return true;
    const auto lengths = lengths_between(run.substr(0, run.find('.')), ':');
    if (holds(lengths, ethernet) || holds(lengths, guid) || holds(lengths, {4, 2, 2}) ||
        holds(lengths, {8, 2, 2}))
      return true;
  }
  return false;
}

// Twelve digits or more are enough to identify a device or file.
bool looks_like_identity(string_view text) {
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
  if (std::ranges::any_of(parts_of(word, "/"), looks_like_identity)) return true;
  // The name of an adapter's port ends with a number: "mlx5_0/1".
  const auto sides = parts_of(word, "/");
  if (sides.size() == 2 && is_digit(sides[0].back()) && sides[1].size() < 3 &&
      std::ranges::all_of(sides[1], is_digit))
    return false;
  // The name of a machine has labels before its domain; that of a file has an ending.
  const auto labels = parts_of(word, ".");
  const bool has_ending =
      labels.size() > 1 && labels.back().size() > 1 && is_letter(labels.back()[0]);
  if (has_ending && labels.size() > 2) return true;
  return (has_ending || word.find('/') != string_view::npos) && !is_uninformative(word);
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

namespace {

// The words of our options and findings, in small letters.
const std::set<string>& words_of_ours() {
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
  return kWords;
}

}  // namespace

bool is_uninformative(string_view text) {
  return std::ranges::all_of(words_in(text), [](string_view word) {
    return std::ranges::all_of(word.substr(is_letter(word[0])), is_digit) ||
           words_of_ours().contains(small(word));
  });
}

bool begins_word_of_ours(string_view text) {
  const auto next = words_of_ours().lower_bound(small(text));
  return next != words_of_ours().end() && next->starts_with(small(text));
}

void Names::add(string_view name, const string& instead) {
  if (name.size() > 1) all_.insert_or_assign(small(name), instead);
}

// The probe gets the same text, for cleaned() to search for places: there "<path>" and the like are
// letters of no language, so that anything joined to them by "/" or "." looks like a place, and
// other replaced names are numbers. It has as many lines as the result.
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

// Finds the longest name that is a word of its own at `at`. A number may follow "<host>".
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
    next = all_.upper_bound(rest.substr(0, same));  // a shorter name may fit
  }
  return nullptr;
}

string Names::cleaned(const string& text, const char* left_out) const {
  if (text.size() > kLongestText) return left_out;
  string probe, line, probe_line, result;
  std::istringstream lines(replaced(text, &probe)), probes(probe);
  while (std::getline(lines, line) && std::getline(probes, probe_line)) {
    const bool is_place =
        holds_address(probe_line) ||
        std::ranges::any_of(parts_of(probe_line, kBetweenWords), looks_like_place);
    result += (is_place ? left_out : line) + (lines.eof() ? "" : "\n");
  }
  return result;
}

}  // namespace scalemark::reporting
