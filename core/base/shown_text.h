// Text of others as people see it: a terminal, a mail program or a browser must not act on it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark {

// Length of the character that `text` begins with where that is shown by no sign of its own but
// acts: control characters (C0, DEL, C1), marks that turn the direction of text, separators of
// lines and paragraphs. 0: it begins with another one.
std::size_t acting_length(std::string_view text);

// `text` with a blank in the place of each such character.
std::string with_blanks(std::string_view text);

// A text of several lines that we made of parts of others' for stdout or stderr: as with_blanks(),
// and bytes that are no UTF-8 as "\xe9". Line ends, tabs and the colours of inked() (terminal.h)
// stay.
std::string shown_text(std::string_view text);

}  // namespace scalemark
