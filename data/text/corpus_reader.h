// Text files as documents of sentences. Knows nothing of tokens; bytes pass through unchanged.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::data {

struct TextDocument {
  std::vector<std::string> sentences;  // none of them blank
};

// A file, or every file below a folder in the order of their sorted paths (hidden files and
// those of `left_out`, such as a vocabulary beside a corpus, are no corpus). Errors: 66 when there
// is none, 74 when reading fails.
std::vector<std::filesystem::path> corpus_files(
    const std::filesystem::path& path, const std::vector<std::filesystem::path>& left_out = {});

// Plain text: a blank line ends a document, a line is a sentence. Between WikiExtractor's
// `<doc ...>` and `</doc>` everything is one document, and its paragraphs are cut into sentences.
// Throws (65) when the file ends inside a <doc>.
void read_documents(const std::filesystem::path& file,
                    const std::function<void(TextDocument)>& take);

// Cuts behind `.`, `!` or `?` (with the quotes and brackets that close there) where white space
// follows: "3.14" stays whole. Views of `paragraph`, trimmed, none empty.
std::vector<std::string_view> cut_sentences(std::string_view paragraph);

}  // namespace scalemark::data
