// The characters of a text: letters of ASCII made small, bytes that are no characters of UTF-8,
// characters that a terminal, a mail program or a browser would act on, and how both are shown.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace scalemark {

// `text` with its letters of ASCII small.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Length of the UTF-8 character that `text` begins with; 0: it begins with none.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

// Appends a code point below 0x110000.
void append_utf8(char32_t code_point, std::string& out);

// A byte that no line may show, in the form "\\xe9".
std::string escaped_byte(char byte);

// Bytes that are no UTF-8 as "\xe9", for lines that people read.
std::string as_utf8(std::string_view text);

// "UTF-16" or "UTF-32" where `text` begins with the mark of its byte order; else empty.
std::string encoding_by_mark(std::string_view text);

// The same, and without a mark "UTF-16LE", "UTF-32BE" and so on where zeros stand in `text` as they
// do between Latin letters; empty: it may be UTF-8. These are names that iconv knows.
std::string wide_encoding_of(std::string_view text);

// Says how to turn a text in that encoding into UTF-8.
std::string utf8_hint(std::string_view encoding);

// Throws bad_data() (65) for a text in UTF-16 or UTF-32, as PowerShell's `>` and some editors
// write.
void refuse_wide_text(std::string_view text, const std::string& named);

// Length of the character that `text` begins with if it acts on the display instead of showing a
// sign: control characters (C0, DEL, C1), marks that turn the direction of text, separators of
// lines and paragraphs. 0: it begins with another one.
std::size_t acting_length(std::string_view text);

// `text` with a blank in the place of each such character.
std::string with_blanks(std::string_view text);

// Makes a text of several lines, of which parts may be others', fit for stdout or stderr: as
// with_blanks(), and bytes that are no UTF-8 as "\xe9". Line ends, tabs and the colours of inked()
// (terminal.h) stay.
std::string shown_text(std::string_view text);

}  // namespace scalemark
