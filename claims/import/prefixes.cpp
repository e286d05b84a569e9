// Takes off a line what was written before it on its way into the file: time stamps, levels of
// loggers, mpirun's and srun's tags, the ranks of torchrun, names of hosts, pods and containers,
// and colours. Some of them cannot be mistaken for a program's own words; the others are taken off
// where most lines have them.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "claims/import/log_text.h"
#include "claims/rows/text_tables.h"

namespace scalemark::importing {
namespace {

using tables::is_digit_at;

// The last four are prefixes only where most lines share them.
enum class Kind { kTime, kLevel, kLauncher, kRank, kPod, kBracketed, kNumber, kContainer, kHost };
constexpr std::size_t kFirstUnsure = static_cast<std::size_t>(Kind::kBracketed);
constexpr std::size_t kMostPieces = 6, kMostLabels = 4096, kLongestTag = 200;

// One of the pieces that a prefix is made of. In a shape 0 stands for a digit, 9 for digits, "a"
// for a letter, "l" for letters that may be missing, "w" for a name, "L" for the level of a logger,
// "_" for blanks that may be missing, "$" for a blank or the end, and another character for itself.
struct Shape {
  Kind kind;
  std::string_view shape;
};
constexpr auto kShapes = std::to_array<Shape>({{Kind::kTime, "a0000 00:00:00.9_9_w:9]$"},
                                               {Kind::kTime, "a00000000 00:00:00.9_9_w:9]$"},
                                               {Kind::kLevel, "- L -$"},
                                               {Kind::kLevel, "- w - L -$"},
                                               {Kind::kLevel, "w - L -$"},
                                               {Kind::kLevel, "L:w:"},
                                               {Kind::kLevel, "stdout a$"},
                                               {Kind::kLevel, "stderr a$"},
                                               {Kind::kLauncher, "[9,w:9,w]<w>:"},
                                               {Kind::kLauncher, "[w,9]<w>:"},
                                               {Kind::kLauncher, "[w,9]<w>"},
                                               {Kind::kLauncher, "[w,9][w:9]<w>:"},
                                               {Kind::kRank, "[l9]:"},
                                               {Kind::kPod, "[pod/w/w]"},
                                               {Kind::kBracketed, "[9]$"},
                                               {Kind::kNumber, "9:$"},
                                               {Kind::kContainer, "w_|$"},
                                               {Kind::kHost, "[w]$"},
                                               {Kind::kHost, "w:$"}});

struct Piece {
  Kind kind;
  std::size_t length = 0;
  std::string_view label;  // who printed the line
};

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Drops the escape sequences of terminals: ESC [ ... letter, and titles, ESC ] ... BEL.
std::string without_colours(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b' || i + 1 >= line.size()) {
      plain += line[i];
    } else if (line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && !std::isalpha(static_cast<unsigned char>(line[i]))) ++i;
    } else if (line[i + 1] == ']') {
      while (i < line.size() && line[i] != '\a' && line[i] != '\\') ++i;
    }
  }
  return plain;
}

bool is_letter_at(std::string_view text, std::size_t at) {
  return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at]));
}

bool is_of_name(std::string_view text, std::size_t at) {
  return is_letter_at(text, at) || is_digit_at(text, at) ||
         (at < text.size() &&
          (text[at] == '-' || text[at] == '.' || text[at] == '_' || text[at] == '@'));
}

// Returns the length of what `sign` of a shape stands for at a place; nothing: the text differs.
std::optional<std::size_t> length_of_sign(std::string_view text, std::size_t at, char sign) {
  const auto while_it = [&](const auto& is) {
    std::size_t n = 0;
    while (n < kLongestTag && is(text, at + n)) ++n;
    return n;
  };
  const auto some = [](std::size_t n) { return n > 0 ? std::optional(n) : std::nullopt; };
  const bool is_blank = at < text.size() && (text[at] == ' ' || text[at] == '\t');
  if (sign == '0') return some(is_digit_at(text, at) ? 1 : 0);
  if (sign == 'a') return some(is_letter_at(text, at) ? 1 : 0);
  if (sign == '9') return some(while_it(is_digit_at));
  if (sign == 'w') return some(while_it(is_of_name));
  if (sign == 'l') return while_it(is_letter_at);
  if (sign == 'L') {
    for (const std::string_view level : {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}) {
      if (text.substr(std::min(at, text.size())).starts_with(level)) return level.size();
    }
    return std::nullopt;
  }
  if (sign == '_')
    return while_it([](std::string_view t, std::size_t i) { return i < t.size() && t[i] == ' '; });
  if (sign == '$')
    return at == text.size() || is_blank ? std::optional<std::size_t>(0) : std::nullopt;
  return some(at < text.size() && text[at] == sign ? 1 : 0);
}

// Returns the length of the first shape that `text` begins with, else 0.
std::size_t length_of(std::string_view text, std::initializer_list<std::string_view> shapes) {
  for (const std::string_view shape : shapes) {
    std::size_t n = 0;
    const bool fits = std::ranges::all_of(shape, [&](char sign) {
      const auto length = length_of_sign(text, n, sign);
      n += length.value_or(0);
      return length.has_value();
    });
    if (fits) return n;
  }
  return 0;
}

// "2026-03-01T10:11:12.5Z", "[2026/03/01 10:11:12]", "Mon Mar  2 10:11:12 2026", "10:11:12,123",
// and with the journal's sender "Mar  2 10:11:12 node7 python[4711]:".
std::size_t time_length(std::string_view text) {
  const bool bracket = text.starts_with('[');
  std::size_t n = bracket ? 1 : 0;
  const auto skip = [&](std::initializer_list<std::string_view> shapes) {
    const std::size_t length = length_of(text.substr(n), shapes);
    n += length;
    return length > 0;
  };
  const bool words = is_letter_at(text, n);
  skip({"0000-00-00T", "0000-00-00 ", "0000/00/00 ", "aaa aaa 00 ", "aaa aaa  0 ", "aaa 00 ",
        "aaa  0 "});
  if (!skip({"00:00:00"})) return 0;
  skip({".9", ",9"});
  skip({"Z", "+00:00", "-00:00", "+0000", "-0000"});
  if (words) skip({" 0000[", " 0000$", " w w[9]:"});
  if (words && text.substr(0, n).ends_with('[')) --n;
  if (bracket && !skip({"]"})) return 0;
  return n == text.size() || std::string_view(" \t:[").find(text[n]) != text.npos ? n : 0;
}

// A host's name cannot be told from a word, unless it has more than letters.
bool can_name(Kind kind, std::string_view label) {
  if (kind == Kind::kNumber) return label.size() <= 6;
  if (kind != Kind::kHost && kind != Kind::kContainer) return true;
  return is_letter_at(label, 0) && (kind == Kind::kContainer || label == "localhost" ||
                                    label.find_first_of("0123456789-.") != label.npos);
}

std::optional<Piece> piece_at(std::string_view text) {
  if (const std::size_t n = time_length(text)) return Piece{Kind::kTime, n, {}};
  for (const auto& [kind, shape] : kShapes) {
    const std::size_t n = length_of(text, {shape});
    const bool bracket = text.starts_with('['), names = kind > Kind::kLevel;
    std::string_view label = names ? text.substr(bracket ? 1 : 0) : "";
    label = label.substr(0, label.find_first_of(bracket ? "]" : ": |"));
    if (n > 0 && can_name(kind, label)) return Piece{kind, n, label};
  }
  return std::nullopt;
}

// mpirun also tags the rest of a line that a program has written in pieces.
std::string without_tags(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t tag =
        line[i] == '[' ? length_of(line.substr(i), {"[w,9]<w>:", "[w,9]<w>", "[9,w:9,w]<w>:"}) : 0;
    if (tag == 0) plain += line[i];
    i += std::max<std::size_t>(tag, 1);
  }
  return plain;
}

// Returns the last number in a label, by which ranks are ordered: 3 of "[1,3]".
std::int64_t number_in(std::string_view label) {
  const std::size_t last = label.find_last_of("0123456789");
  if (last == label.npos) return -1;
  std::size_t first = last;
  while (first > 0 && last - first < 8 && is_digit_at(label, first - 1)) --first;
  return static_cast<std::int64_t>(number_at(label.substr(first, last - first + 1)).value_or(-1));
}

// Lines that share a piece of one kind.
struct Sharing {
  std::size_t lines = 0;
  std::set<std::string, std::less<>> labels;

  void add(std::string_view label) {
    ++lines;
    if (labels.size() < kMostLabels && !labels.contains(label)) labels.emplace(label);
  }
  // A number that each line has once counts them, and names nobody.
  bool is_prefix(std::size_t all) const {
    return 2 * lines > all && (labels.size() == 1 || 2 * labels.size() <= lines);
  }
};

// Calls `take` with each line, or state of a progress bar, that is not empty, and its number.
template <class Take>
void split_lines(std::string_view text, const Take& take) {
  std::string buffer;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty()) {
      const std::size_t stop = std::min(line.find('\r'), line.size());
      std::string_view part = line.substr(0, stop);
      line.remove_prefix(std::min(stop + 1, line.size()));
      if (part.find('\x1b') != part.npos) part = buffer = without_colours(part);
      part = without_blanks(part);
      if (!part.empty()) take(part, number);
    }
  }
}

}  // namespace

LogText::LogText(std::string_view text) : text_(text) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  std::array<Sharing, std::tuple_size_v<decltype(shared_)>> sharing;
  std::size_t lines = 0;
  split_lines(text_, [&](std::string_view line, std::size_t) {
    ++lines;
    unsigned seen = 0;
    for (std::size_t i = 0; i < kMostPieces; ++i) {
      const auto piece = piece_at(line);
      if (!piece) break;
      const auto kind = static_cast<std::size_t>(piece->kind);
      if (!((seen >> kind) & 1U)) sharing[kind].add(piece->label);
      seen |= 1U << kind;
      line = without_blanks(line.substr(piece->length));
    }
  });
  for (std::size_t kind = 0; kind < sharing.size(); ++kind) {
    shared_[kind] = kind < kFirstUnsure || sharing[kind].is_prefix(lines);
    has_sources_ = has_sources_ || (shared_[kind] && sharing[kind].labels.size() > 1);
  }
}

void LogText::strip(Line& line) const {
  for (std::size_t i = 0; i < kMostPieces; ++i) {
    const auto piece = piece_at(line.text);
    if (!piece || !shared_[static_cast<std::size_t>(piece->kind)]) return;
    // A launcher's rank says more than the host or container that it prints in.
    if (!piece->label.empty()) {
      line.source = piece->label;
      line.rank = number_in(piece->label);
    }
    line.text = without_blanks(line.text.substr(piece->length));
  }
}

void LogText::for_each_line(const std::function<void(const Line&)>& take) const {
  split_lines(text_, [&](std::string_view text, std::size_t number) {
    Line line{.text = text, .number = number, .source = {}};
    strip(line);
    std::string plain;
    if (line.text.find("]<std") != line.text.npos) line.text = plain = without_tags(line.text);
    if (!line.text.empty()) take(line);
  });
}

}  // namespace scalemark::importing
