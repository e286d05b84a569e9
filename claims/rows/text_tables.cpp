#include "claims/rows/text_tables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>

#include "core/base/characters.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

// A pipe behind a backslash is part of the cell.
Cells pipe_cells(std::string_view line) {
  std::string text = trimmed(line);
  if (text.starts_with('|')) text.erase(0, 1);
  if (text.ends_with('|') && !text.ends_with("\\|")) text.pop_back();
  Cells cells{""};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '|') {
      cells.back() += text[++i];
    } else if (text[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += text[i];
    }
  }
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

// Whether the line is the rule below the headers: "|---|:--:|", or psql's "----+----".
bool is_rule(std::string_view line) {
  const std::string text = trimmed(line);
  return text.find_first_of("|+") != std::string::npos &&
         text.find_first_of("-=") != std::string::npos &&
         text.find_first_not_of("|-=+: \t") == std::string::npos;
}

bool is_heading(std::string_view line) { return line.starts_with('#'); }

std::string text_of_heading(std::string_view line) {
  return trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size())));
}

std::string place_of(std::size_t line) { return "line " + std::to_string(line); }

// Takes one record of CSV off the front of `text`. Quotes may hold separators and line ends.
Cells take_record(std::string_view& text, char separator) {
  Cells cells{""};
  bool quoted = false;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (quoted) {
      if (c != '"') {
        cells.back() += c;
      } else if (text.starts_with('"')) {
        cells.back() += c;
        text.remove_prefix(1);
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == separator) {
      cells.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

// How often the separator stands outside of quotes.
std::size_t count_outside_quotes(std::string_view line, char separator) {
  std::size_t count = 0;
  bool quoted = false;
  for (const char c : line) {
    quoted = quoted != (c == '"');
    count += !quoted && c == separator ? 1 : 0;
  }
  return count;
}

// A separator, and how often it stands in most lines.
struct Separated {
  char sign = ',';
  std::size_t count = 0, lines = 0;
};

Separated separated_by(const std::vector<std::string_view>& lines, char sign) {
  constexpr std::size_t kLinesThatShow = 200;
  std::map<std::size_t, std::size_t> lines_by_count;
  for (std::size_t i = 0; i < std::min(lines.size(), kLinesThatShow); ++i) {
    if (const std::size_t n = count_outside_quotes(lines[i], sign)) lines_by_count[n]++;
  }
  Separated most{.sign = sign};
  for (const auto& [count, of_lines] : lines_by_count) {
    if (of_lines >= most.lines) most = {sign, count, of_lines};
  }
  return most;
}

Separated separator_of(const std::vector<std::string_view>& lines, bool tabs) {
  Separated found = separated_by(lines, '\t');
  if (tabs) return found;
  for (const char sign : {';', ','}) {
    const Separated other = separated_by(lines, sign);
    if (other.lines > found.lines) found = other;
  }
  return found;
}

}  // namespace

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

bool is_digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
}

bool groups_digits(std::string_view text, std::size_t comma) {
  return text[comma] == ',' && comma > 0 && is_digit_at(text, comma - 1) &&
         is_digit_at(text, comma + 1) && is_digit_at(text, comma + 2) &&
         is_digit_at(text, comma + 3) && !is_digit_at(text, comma + 4);
}

const std::string& cell_of(const TextTable& table, std::size_t row, std::size_t column) {
  static const std::string kNone;
  const bool there = row < table.rows.size() && column < table.rows[row].size();
  return there ? table.rows[row][column] : kNone;
}

Cell number_of(const TextTable& table, std::size_t row, std::size_t column) {
  return read_cell(cell_of(table, row, column), table.decimal);
}

std::vector<TextTable> pipe_tables(std::string_view text) {
  const auto lines = lines_of(text);
  std::vector<TextTable> tables;
  std::string heading, above;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool begins = i + 1 < lines.size() && lines[i].find('|') != std::string_view::npos &&
                        is_rule(lines[i + 1]);
    if (!begins) {
      if (is_heading(lines[i])) heading = text_of_heading(lines[i]);
      const std::string line = trimmed(lines[i]);
      if (!line.empty()) above = is_heading(lines[i]) ? "" : line;
      continue;
    }
    TextTable table{.name = heading,
                    .caption = above,
                    .header = pipe_cells(lines[i]),
                    .rows = {},
                    .places = {}};
    for (i += 2; i < lines.size() && lines[i].find_first_of("|+") != std::string_view::npos; ++i) {
      // A grid has a rule below each row.
      if (is_rule(lines[i])) continue;
      if (lines[i].find('|') == std::string_view::npos) break;
      table.rows.push_back(pipe_cells(lines[i]));
      table.places.push_back(place_of(i + 1));
    }
    --i;
    above.clear();
    tables.push_back(std::move(table));
  }
  return tables;
}

TextTable csv_table(std::string_view text, bool tabs) {
  TextTable table;
  const auto lines = lines_of(text);
  Separated separator = separator_of(lines, tabs);
  std::size_t line = 1;
  // Lines before the first that has the separators of most are a preamble, but for headers right
  // above a number.
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string one = trimmed(lines[i]);
    const std::string next = i + 1 < lines.size() ? trimmed(lines[i + 1]) : "";
    const bool told = one.starts_with("sep=") && one.size() <= 5;
    if (told) separator = separated_by(lines, one.size() == 5 ? one[4] : '\t');
    const std::size_t count = count_outside_quotes(lines[i], separator.sign);
    const bool remark = one.starts_with('#') && !is_digit_at(next, 0);
    const bool heads = count == separator.count || (count > 0 && is_digit_at(next, 0));
    if (!told && !remark && heads && (count > 0 || !one.empty())) break;
    if (!told && !one.empty()) table.caption = one;
    text.remove_prefix(std::min(lines[i].size() + 1, text.size()));
    line++;
  }
  std::string_view before = text;
  table.header = take_record(text, separator.sign);
  while (!text.empty()) {
    // A quoted field may hold line ends.
    line += static_cast<std::size_t>(
        std::ranges::count(before.substr(0, before.size() - text.size()), '\n'));
    before = text;
    Cells cells = take_record(text, separator.sign);
    if (cells.size() == 1 && (cells.front().empty() || cells.front().starts_with('#'))) continue;
    while (cells.size() > table.header.size() && cells.back().empty()) cells.pop_back();
    // "8,20,000" has a cell too many, and nobody knows which: none of them is read.
    if (cells.size() > table.header.size()) cells.assign(table.header.size(), joined(cells, ", "));
    table.rows.push_back(std::move(cells));
    table.places.push_back(place_of(line));
  }
  // A comma cannot separate fields here, since it is the decimal sign.
  table.decimal.sure = separator.sign != ';';
  return table;
}

namespace {

char in_lower_case(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Writes a code point as UTF-8. Signs that tables use instead of plain ones become the plain ones.
std::string utf8(unsigned long code) {
  const bool is_blank = code == 0xA0 || code == 0x2009 || code == 0x202F;
  if (is_blank || code < 0x20 || code >= 0x110000) return " ";
  std::string text;
  append_utf8(static_cast<char32_t>(code), text);
  return text;
}

}  // namespace

std::pair<std::string, std::size_t> entity_at(std::string_view text) {
  static constexpr std::pair<std::string_view, unsigned long> kNames[] = {
      {"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},
      {"apos", '\''},    {"nbsp", ' '},     {"times", 0xD7},   {"thinsp", 0x2009},
      {"ndash", 0x2013}, {"mdash", 0x2014}, {"minus", 0x2212}, {"asymp", 0x2248},
      {"plusmn", 0xB1},  {"deg", 0xB0},     {"rarr", 0x2192}};
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == std::string_view::npos || end < 2) return {"&", 1};
  const std::string_view name = text.substr(1, end - 1);
  if (name.front() == '#') {
    const bool hex = name.size() > 2 && in_lower_case(name[1]) == 'x';
    const std::string_view digits = name.substr(hex ? 2 : 1);
    unsigned long code = 0;
    const auto read =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
    const bool all = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    return all ? std::pair(utf8(code), end + 1) : std::pair(std::string("&"), std::size_t{1});
  }
  const auto found = std::ranges::find(kNames, name, [](const auto& one) { return one.first; });
  return found == std::end(kNames) ? std::pair(std::string("&"), std::size_t{1})
                                   : std::pair(utf8(found->second), end + 1);
}

std::optional<Tag> tag_at(std::string_view text) {
  const std::size_t end = text.find_first_of("<>", 1);
  if (end == std::string_view::npos || text[end] == '<') return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  Tag tag{.name = {}, .attributes = {}, .length = end + 1};
  std::size_t i = 0;
  while (i < inside.size() && i < 12 &&
         (std::isalnum(static_cast<unsigned char>(inside[i])) || (i == 0 && inside[i] == '/')))
    tag.name += in_lower_case(inside[i++]);
  if (tag.name.empty() || tag.name == "/" || std::isdigit(static_cast<unsigned char>(tag.name[0])))
    return std::nullopt;
  tag.attributes = inside.substr(i);
  return tag;
}

std::size_t span_of(std::string_view attributes, std::string_view name) {
  const std::string text = lower_case(attributes.substr(0, 300));
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return 1;
  const std::size_t digits =
      std::min(text.find_first_not_of(" =\"'", at + name.size()), text.size());
  std::size_t span = 1;
  std::from_chars(text.data() + digits, text.data() + text.size(), span);
  return std::clamp<std::size_t>(span, 1, kMostRows);
}

}  // namespace scalemark::tables
