// Text and vocabulary to tokens: `scalemark data tokenize`, and what training opens. The one header
// of this folder that puts reader, tokenizer and token file together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/long_work.h"
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
  std::int64_t replaced_bytes = 0;  // bytes of the text that are no UTF-8, or NUL
  std::string left_out;             // left_out_text() of its folder
  std::int64_t file_bytes = 0;
  std::string identity;  // TokenCorpus::identity()
};

// Writes the token file under a temporary name beside it and renames it when it is complete and on
// the disk. A file that is no text is left out of a folder that holds text, too. Text and
// vocabulary may be pipes. Errors: 66 no input, 65 no text, a bad vocabulary or no token at all, 73
// the output exists (without `overwrite`) or cannot be made, 74 writing fails.
TokenizeReport tokenize_corpus(const TokenizeOptions& options);

// True when open_corpus() would have to tokenize: the path is no token file.
bool holds_text(const std::filesystem::path& path);

// "3 files of TEXT are no text and were left out: JPEG image (2), SQLite database (1)"; empty:
// none.
std::string left_out_text(const std::string& corpus, const FilesLeftOut& left_out);
std::vector<std::string> left_out_notes(const std::string& corpus, const FilesLeftOut& left_out);

// Makes of text what open_tokens() opens: the bytes of a token file, and what was left out of its
// folder. `progress` is called after every few megabytes of text. Errors as
// open_corpus().
std::vector<std::byte> tokenize_in_memory(const std::filesystem::path& path,
                                          const std::filesystem::path& vocab, bool cased,
                                          int threads, const Progress& progress = {});

// `bytes`, which `owner` keeps alive, are those of tokenize_in_memory(). `name`: of the text.
std::unique_ptr<TokenCorpus> open_tokens(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> owner, const std::string& name,
                                         const Progress& progress = {});

// Opens a token file, or tokenizes a text file or folder into memory: nothing is cached on the
// disk; tokenize a corpus once with tokenize_corpus() where that takes too long. `vocab` may be
// empty for a token file. A token file of another vocabulary or casing is refused (65); text
// without a vocabulary too (78). `progress`: while text is tokenized, while a file is checked.
std::unique_ptr<TokenCorpus> open_corpus(const std::filesystem::path& path,
                                         const std::filesystem::path& vocab, bool cased,
                                         int threads = 1, const Progress& progress = {});

}  // namespace scalemark::data
