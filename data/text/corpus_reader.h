// Text files as documents of sentences: where they lie, and what they hold. Knows nothing of
// tokens; bytes pass through unchanged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "data/text/no_text.h"

namespace scalemark::data {

struct TextDocument {
  std::vector<std::string> sentences;  // none of them blank
};

struct CorpusFiles {
  std::vector<std::filesystem::path> files;
  std::vector<std::pair<std::filesystem::path, NoText>> left_out;  // pipes, links that lead nowhere
};

// A file, or every file below a folder in the order of their sorted paths (hidden files and
// those of `excluded`, such as a vocabulary beside a corpus, are no corpus). Links are followed,
// but for those that lead back to a folder above them. Errors: 66 when there is no file,
// and those of unreadable_path().
CorpusFiles corpus_files(const std::filesystem::path& path,
                         const std::vector<std::filesystem::path>& excluded = {});

class DocumentAssembler;

// A file of a corpus: opened once and read once from front to back, so that it may be a pipe.
//
// Plain text: a blank line ends a document, a line is a sentence. Between WikiExtractor's
// `<doc ...>` and `</doc>` everything is one document, and its paragraphs are cut into sentences;
// so is the text of a line of JSON (json_lines.h), where the first line is one. Lines end with LF,
// CR or both, are blank, and lose white space at their ends, as Python's open() and str.strip()
// have it.
class TextFile {
 public:
  // Throws no_input() (66).
  explicit TextFile(const std::filesystem::path& path);

  // Says what it is, where it is no text by what it begins with.
  const std::optional<NoText>& no_text() const { return no_text_; }
  // bad_data() (65) that says so.
  Error refusal(const NoText& no_text) const;

  // Returns how many of its bytes are no UTF-8, or NUL. Throws bad_data() (65) when the file ends
  // inside a <doc>, when a line of JSON has no text, and when more than stray bytes are broken.
  std::int64_t read(const std::function<void(TextDocument)>& take);

 private:
  void add_line(std::string_view line, std::int64_t number, DocumentAssembler& assembler);
  void read_head();
  void inspect_head();
  std::string_view first_line() const;
  bool next_line(std::string& line);

  std::filesystem::path path_;
  std::ifstream in_;
  std::string head_;
  std::size_t at_ = 0;  // where in head_ the next line begins
  std::optional<NoText> no_text_;
  bool is_json_ = false;
};

// Cuts behind `.`, `!` or `?` (with the quotes and brackets that close there) where white space
// follows: "3.14" stays whole. Views of `paragraph`, trimmed, none empty.
std::vector<std::string_view> cut_sentences(std::string_view paragraph);

}  // namespace scalemark::data
