// Text files as documents of sentences: finds and reads them. Knows nothing of tokens; bytes pass
// through unchanged.
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
  // Pipes, and links that lead nowhere.
  std::vector<std::pair<std::filesystem::path, NoText>> left_out;
};

// Returns a file, or every file below a folder in the order of their sorted paths, without hidden
// files and those of `excluded` (such as a vocabulary beside a corpus). Links are followed, except
// those that lead back to a folder above them. Errors: 66 when there is no file, and those of
// unreadable_path().
CorpusFiles corpus_files(const std::filesystem::path& path,
                         const std::vector<std::filesystem::path>& excluded = {});

class DocumentAssembler;

// A file of a corpus. It is opened once and read once from front to back, so that it may be a pipe.
//
// In plain text a blank line ends a document, and a line is a sentence. Between WikiExtractor's
// `<doc ...>` and `</doc>` everything is one document, and its paragraphs are cut into sentences;
// so is the text in a line of JSON (json_lines.h), if the first line is JSON. Line ends (LF, CR or
// both), blank lines and white space to strip are those of Python's open() and str.strip().
class TextFile {
 public:
  // Throws no_input() (66).
  explicit TextFile(const std::filesystem::path& path);

  // Returns what the file is where its first bytes show that it is no text.
  const std::optional<NoText>& no_text() const { return no_text_; }
  // Returns the bad_data() (65) for it.
  Error refusal(const NoText& no_text) const;

  // Returns how many of its bytes are invalid UTF-8, or NUL. Throws bad_data() (65) when the file
  // ends inside a <doc>, when a line of JSON has no text, and when too many bytes are broken.
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
  std::size_t at_ = 0;  // start of the next line in head_
  std::optional<NoText> no_text_;
  bool is_json_ = false;
};

// Cuts after `.`, `!` or `?` (with closing quotes and brackets) where white space follows: "3.14"
// stays whole. Returns trimmed, non-empty views of `paragraph`.
std::vector<std::string_view> cut_sentences(std::string_view paragraph);

}  // namespace scalemark::data
