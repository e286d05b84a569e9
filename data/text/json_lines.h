// Documents as lines of JSON, each an object with a "text", like WikiExtractor's output with
// --json. Knows nothing of files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::data {

enum class FirstLine {
  kPlain,      // text
  kJsonLine,   // an object with a text; each further line is another one
  kOtherJson,  // JSON of another form
};

// Judges a file by its first line, without white space around it.
FirstLine form_of_first(std::string_view line);

// Returns the text of a document. Absent: the line is no JSON object, or has no "text". Accepts
// what Python's json accepts: of two equal keys the last one counts, NaN and Infinity are numbers,
// half a surrogate pair is a character; it becomes U+FFFD here.
std::optional<std::string> text_of_json(std::string_view line);

}  // namespace scalemark::data
