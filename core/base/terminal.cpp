#include "core/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/base/characters.h"

namespace scalemark {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Terminal terminal_of(int fd) {
  Terminal terminal;
  terminal.is_terminal = isatty(fd) == 1;
  const bool unwanted = !variable("NO_COLOR").empty() || variable("CLICOLOR") == "0";
  const bool forced = !variable("CLICOLOR_FORCE").empty() && variable("CLICOLOR_FORCE") != "0";
  terminal.colour = variable("NO_COLOR").empty() && forced;
  if (!terminal.is_terminal) return terminal;
  constexpr int kSmallest = 20;
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= kSmallest) {
    terminal.columns = size.ws_col;
    if (size.ws_row > 0) terminal.rows = size.ws_row;
  }
  terminal.colour = terminal.colour || (!unwanted && variable("TERM") != "dumb");
  return terminal;
}

std::string inked(const Terminal& terminal, Ink ink, const std::string& text) {
  if (!terminal.colour || text.empty()) return text;
  const char* code = ink == Ink::kBold ? "1" : ink == Ink::kRed ? "31" : "2";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

struct Breaking {
  std::size_t width, indent = 0;
  bool is_command = false;  // a blank between quotes ends no word, and " \\" ends a line
};

std::size_t end_of_shell_word(std::string_view text, std::size_t begin) {
  char open = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (open != '\'' && text[i] == '\\') {
      ++i;  // it takes the meaning of a quote
    } else if (open == 0 && (text[i] == '\'' || text[i] == '"')) {
      open = text[i];
    } else if (text[i] == open) {
      open = 0;
    } else if (open == 0 && text[i] == ' ') {
      return i;
    }
  }
  return text.size();
}

bool is_unit(std::string_view word) {
  constexpr std::string_view kUnitWords[] = {"%",  "B",  "KiB", "MiB", "GiB", "TiB", "GB/s", "Gb/s",
                                             "us", "ms", "s",   "min", "h",   "W",   "px",   "MHz"};
  while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return std::ranges::find(kUnitWords, word) != std::end(kUnitWords);
}

// A number stays on one line with its unit.
std::size_t end_of_prose_word(std::string_view text, std::size_t begin) {
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  if (end <= begin || end == text.size() || text[end - 1] < '0' || text[end - 1] > '9') return end;
  const std::size_t next = std::min(text.find(' ', end + 1), text.size());
  return is_unit(text.substr(end + 1, next - end - 1)) ? next : end;
}

// An option of a command stays on one line with its value, where a line can hold both.
std::size_t end_of_word(std::string_view text, std::size_t begin, const Breaking& how) {
  if (!how.is_command) return end_of_prose_word(text, begin);
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

bool is_plain_word(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

// Whether what begins as a command continues as a sentence: it ends with a point, or two plain
// words follow each other behind those that name the command.
bool holds_prose(std::string_view text) {
  bool after_plain = false, after_option = false;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = end_of_shell_word(text, begin);
    const std::string_view word = text.substr(begin, end - begin);
    if (after_option && after_plain && is_plain_word(word)) return true;
    after_option = after_option || word.starts_with('-');
    after_plain = is_plain_word(word);
  }
  return text.ends_with('.');
}

// Where the command in a line begins, and where what explains it does.
struct CommandPlace {
  std::size_t begin = std::string::npos, end = std::string::npos;
};

std::size_t end_of_command(std::string_view line, std::size_t begin) {
  for (std::size_t end = begin;;) {
    end = end_of_shell_word(line, end);
    const std::string_view rest = line.substr(end);
    if (rest.empty() || rest.starts_with("  ")) return end;
    ++end;
  }
}

// A command begins the line, or stands behind a gap. Another word follows our name, and an option
// follows a launcher's: in prose about them neither does.
bool begins_command(std::string_view line, std::size_t at) {
  if (at > 0 && line.find_first_not_of(' ') != at && !line.substr(0, at).ends_with("  "))
    return false;
  const std::string_view text = line.substr(at);
  if (text.starts_with("scalemark ")) return text.size() > 10 && text[10] >= 'a' && text[10] <= 'z';
  return text.starts_with("torchrun -") || text.starts_with("srun -");
}

CommandPlace command_in(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (begins_command(line, at)) return {at, end_of_command(line, at)};
  }
  return {};
}

std::string folded_command(std::string_view line, CommandPlace place, std::size_t width) {
  const std::size_t indent = std::min(place.begin, width / 4) + 4;
  const std::string before(line.substr(0, place.begin));
  std::string_view command = line.substr(place.begin, place.end - place.begin);
  const bool is_continued = command.ends_with(" \\");
  if (is_continued) command.remove_suffix(2);
  std::string text =
      broken(before, command, {.width = width, .indent = indent, .is_command = true});
  if (is_continued) text.insert(text.size() - 1, " \\");
  const std::size_t about = line.find_first_not_of(' ', place.end);
  if (about == line.npos) return text;
  const std::string head(indent, ' ');
  std::istringstream lines(broken("", line.substr(about), {.width = width - head.size()}));
  for (std::string one; std::getline(lines, one);) text += head + one + "\n";
  return text;
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

// "[1] " before what a rank says and "[3/12] " before a run are no JSON.
bool is_json(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789/", 1);
  const bool is_mark = end > 1 && end != text.npos && text.substr(end).starts_with("] ");
  return std::string_view("{}[]\"").find(text.front()) != text.npos && !is_mark;
}

// Finds the command that ends a sentence: "go on: scalemark train --resume". npos: there is none.
std::size_t command_behind_sentence(std::string_view text) {
  const std::size_t at = text.rfind(": scalemark ");
  return at == text.npos || holds_prose(text.substr(at + 2)) ? text.npos : at + 2;
}

// Sets the command below its sentence, from which it is pasted.
std::string command_below(std::string_view text, std::size_t begin, std::size_t indent,
                          std::size_t width) {
  const std::string command = std::string(indent, ' ') + with_blanks(text.substr(begin));
  return folded_command(command, {indent, command.size()}, width);
}

std::string folded_line(const std::string& line, std::size_t width) {
  if (width_of(line) <= width) return line + "\n";
  const CommandPlace place = command_in(line);
  if (place.begin != line.npos) return folded_command(line, place, width);
  const std::size_t leading = line.find_first_not_of(' ');
  if (leading == line.npos) return "\n";
  if (is_json(std::string_view(line).substr(leading))) return line + "\n";
  const std::size_t indent = hanging_indent(line, width);
  const std::size_t command = std::min(command_behind_sentence(line), line.size());
  const std::string text =
      broken(line.substr(0, leading), std::string_view(line).substr(leading, command - leading),
             {.width = width, .indent = indent});
  return command == line.size() ? text : text + command_below(line, command, indent, width);
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
  const std::size_t command = command_behind_sentence(text);
  if (command == text.npos || width_of(text) + 2 <= width) return wrapped(text, width, 2, "- ");
  return wrapped(text.substr(0, command - 1), width, 2, "- ") +
         command_below(text, command, 2, width);
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
