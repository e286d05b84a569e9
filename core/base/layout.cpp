#include "core/base/layout.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/base/shown_text.h"

namespace scalemark {
namespace {

constexpr std::string_view kCommand = "scalemark ";

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

struct Breaking {
  std::size_t width, indent;
  bool is_command = false;  // a blank between quotes ends no word, and " \\" ends a line
};

std::size_t end_of_shell_word(std::string_view text, std::size_t begin) {
  char open = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (open == 0 && (text[i] == '\'' || text[i] == '"')) {
      open = text[i];
    } else if (text[i] == open) {
      open = 0;
    } else if (open == 0 && text[i] == ' ') {
      return i;
    }
  }
  return text.size();
}

// An option of a command stands with its value, where a line can hold both.
std::size_t end_of_word(std::string_view text, std::size_t begin, const Breaking& how) {
  if (!how.is_command) return std::min(text.find(' ', begin), text.size());
  const std::size_t end = end_of_shell_word(text, begin);
  if (text[begin] != '-' || end + 1 >= text.size() || text[end + 1] == '-') return end;
  const std::size_t both = end_of_shell_word(text, end + 1);
  const bool fits = how.indent + width_of(text.substr(begin, both - begin)) + 2 <= how.width;
  return fits ? both : end;
}

std::string broken(std::string line, std::string_view text, const Breaking& how) {
  const std::string more = how.is_command ? " \\" : "";
  std::string result;
  bool is_fresh = true;  // the line holds no word
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = end_of_word(text, begin, how);
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t needed = width_of(line) + 1 + width_of(word) + more.size();
    if (!is_fresh && needed > how.width) {
      line.erase(line.find_last_not_of(' ') + 1);
      result += line + more + "\n";
      line.assign(how.indent, ' ');
      is_fresh = true;
    }
    if (is_fresh && word.empty() && !result.empty()) continue;  // no line begins with a gap
    if (!is_fresh) line += ' ';
    line += word;
    is_fresh = false;
  }
  end_line(line);
  return result + line;
}

// Where the command in a line begins, and where what explains it does.
struct CommandPlace {
  std::size_t begin = std::string::npos, end = std::string::npos;
};

CommandPlace command_in(std::string_view line) {
  CommandPlace place;
  for (std::size_t at = line.find(kCommand); at != line.npos; at = line.find(kCommand, at + 1)) {
    const bool is_first = line.find_first_not_of(' ') == at;
    if (!is_first && !line.substr(0, at).ends_with("  ")) continue;
    const std::size_t word = at + kCommand.size();
    if (word == line.size() || line[word] < 'a' || line[word] > 'z') continue;  // a version
    place.begin = at;
    place.end = std::min({line.size(), line.find("  ", at), line.find(" # ", at)});
    break;
  }
  return place;
}

std::string folded_command(std::string_view line, CommandPlace place, std::size_t width) {
  const std::size_t indent = std::min(place.begin, width / 4) + 4;
  const std::string before(line.substr(0, place.begin));
  std::string_view command = line.substr(place.begin, place.end - place.begin);
  const bool goes_on = command.ends_with(" \\");
  if (goes_on) command.remove_suffix(2);
  std::string text =
      broken(before, command, {.width = width, .indent = indent, .is_command = true});
  if (goes_on) text.insert(text.size() - 1, " \\");
  const std::size_t about = line.find_first_not_of(' ', place.end);
  if (about == line.npos) return text;
  const std::string head(indent, ' ');
  return text + broken(head, line.substr(about), {.width = width, .indent = indent});
}

// The column where the words of a line begin behind its name or mark, if there is one.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t leading = line.find_first_not_of(' ');
  for (const std::string_view mark : {"- ", "! ", "!! "}) {
    if (line.substr(leading).starts_with(mark)) return leading + mark.size();
  }
  const std::size_t gap = line.find("  ", leading);
  const std::size_t text = gap == line.npos ? gap : line.find_first_not_of(' ', gap);
  return text != line.npos && text <= width / 2 ? text : leading + 2;
}

std::string folded_line(const std::string& line, std::size_t width) {
  if (width_of(line) <= width) return line + "\n";
  const CommandPlace place = command_in(line);
  if (place.begin != line.npos) return folded_command(line, place, width);
  const std::size_t leading = line.find_first_not_of(' ');
  if (leading == line.npos) return "\n";
  return broken(line.substr(0, leading), std::string_view(line).substr(leading),
                {.width = width, .indent = hanging_indent(line, width)});
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\x1b[") {
      i = std::min(text.find('m', i), text.size());
    } else {
      width += begins_character(text[i]) ? 1 : 0;
    }
  }
  return width;
}

std::size_t text_width(const Terminal& terminal) {
  return static_cast<std::size_t>(terminal.is_terminal ? std::clamp(terminal.columns, 60, 200)
                                                       : terminal.columns);
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent,
                    const std::string& head) {
  return broken(head, with_blanks(text), {.width = width, .indent = indent});
}

std::string list_item(const std::string& text, std::size_t width) {
  return wrapped(text, width, 2, "- ");
}

std::string folded(const std::string& text, const Terminal& terminal) {
  if (!terminal.is_terminal) return text;
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    result += folded_line(line, text_width(terminal));
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

std::string shortened(const std::string& text, std::size_t width) {
  constexpr std::string_view kDots = " ...";
  std::size_t characters = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = begins_character(text[i]);
    if (begins && text[i] == ' ' && characters + kDots.size() <= width) cut = i;
    characters += begins ? 1 : 0;
  }
  return characters <= width ? text : text.substr(0, cut) + std::string(kDots);
}

std::string clipped(std::string_view given, std::size_t width) {
  const std::string text = with_blanks(given);
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && ++characters > width) return text.substr(0, i);
  }
  return text;
}

}  // namespace scalemark
