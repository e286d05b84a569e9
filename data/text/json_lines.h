// Documents as lines of JSON, each an object with a "text", as WikiExtractor writes them with
// --json. Knows nothing of files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::data {

enum class FirstLine {
  kPlain,      // text
  kJsonLine,   // an object with a text: further lines are others
  kOtherJson,  // JSON of another form
};

// Judges a file by its first line, without white space around it.
FirstLine form_of_first(std::string_view line);

// The text of a document. Absent: the line is no object in JSON, or has no "text". Reads what
// Python's json reads: of two equal keys the last one counts, NaN and Infinity are numbers, half a
// surrogate pair is a character; it becomes U+FFFD here.
std::optional<std::string> text_of_json(std::string_view line);

}  // namespace scalemark::data
