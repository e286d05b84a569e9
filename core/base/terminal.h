// Text on a terminal: how large it is, whether it shows colours, and how text is laid out in its
// width. Knows nothing of what a text says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark {

struct Terminal {
  bool is_terminal = false;
  int columns = 80, rows = 24;  // these hold where it is no terminal, too
  bool colour = false;
};

// A terminal has colours unless NO_COLOR (no-color.org) is set, CLICOLOR is 0 or TERM is "dumb";
// CLICOLOR_FORCE (bixense.com/clicolors), unless it is 0, gives them to pipes and files, too.
Terminal terminal_of(int fd);

enum class Ink { kBold, kRed, kDim };
// `text` in that ink, where there are colours.
std::string inked(const Terminal& terminal, Ink ink, const std::string& text);

// Columns on a terminal, near enough: one for each UTF-8 character, none for inks.
std::size_t width_of(std::string_view text);

// Columns that prose is wrapped at: those of the terminal between 60 and 200, and 80 in a pipe.
std::size_t text_width(const Terminal& terminal);

// One paragraph: `head` and the words of `text`, each line of at most `width` columns unless a word
// is longer than that; further lines begin with `indent` blanks. Ends with a line end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent,
                    const std::string& head = {});

// `text` as an item of a list: "- " before its first line. A command that ends it stands below it
// where one line does not hold both.
std::string list_item(const std::string& text, std::size_t width);

// Folds lines that are too wide for the terminal, between words. Further lines are indented by 2
// beyond their own, or, behind a name and two or more blanks, to where the text begins. Commands,
// at the beginning of a line or behind two blanks, can still be pasted: their lines end with " \",
// and what explains a command stands below it. JSON stays as it is. In a pipe nothing is changed.
std::string folded(const std::string& text, const Terminal& terminal);

// `text` in at most `width` columns: words that do not fit give way to "...".
std::string shortened(const std::string& text, std::size_t width);

// The first characters of `text`, without characters that act on a terminal, that fit in `width`.
std::string clipped(std::string_view text, std::size_t width);

}  // namespace scalemark
