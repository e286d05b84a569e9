// Text and vocabulary to tokens: `scalemark data tokenize`, and what training opens. The one header
// of this folder that puts reader, tokenizer and token file together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "data/progress.h"
#include "data/text/token_corpus.h"

namespace scalemark::data {

struct TokenizeOptions {
  std::filesystem::path input;   // a text file or a folder of them
  std::filesystem::path vocab;   // vocab.txt
  std::filesystem::path output;  // the token file
  bool cased = false;
  bool overwrite = false;
  int threads = 1;  // the file does not depend on it
};

struct TokenizeReport {
  std::int64_t documents = 0;
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;
  std::int64_t unknown_tokens = 0;  // [UNK]s among them
  std::int64_t file_bytes = 0;
  std::string identity;  // TokenCorpus::identity()
};

// Writes the token file under a temporary name beside it and renames it when it is complete and on
// the disk. Errors: 66 no input, 65 bad text or vocabulary or no token at all, 73 the output exists
// (without `overwrite`) or cannot be made, 74 writing fails.
TokenizeReport tokenize_corpus(const TokenizeOptions& options);

// True when open_corpus() would have to tokenize: the path is no token file.
bool holds_text(const std::filesystem::path& path);

// What open_corpus() makes of text: the bytes of a token file. `progress` is called after every few
// megabytes of text. Errors as open_corpus().
std::vector<std::byte> tokenize_in_memory(const std::filesystem::path& path,
                                          const std::filesystem::path& vocab, bool cased,
                                          int threads, const Progress& progress = {});

// Opens a token file, or tokenizes a text file or folder into memory: nothing is cached on the
// disk; tokenize a corpus once with tokenize_corpus() where that takes too long. `vocab` may be
// empty for a token file. A token file of another vocabulary or casing is refused (65); text
// without a vocabulary too (78). `progress`: while text is tokenized, while a file is checked.
std::unique_ptr<TokenCorpus> open_corpus(const std::filesystem::path& path,
                                         const std::filesystem::path& vocab, bool cased,
                                         int threads = 1, const Progress& progress = {});

}  // namespace scalemark::data
