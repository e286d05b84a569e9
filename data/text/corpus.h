// Turns text and a vocabulary into tokens, for `scalemark data tokenize` and for training. The only
// header of this folder that combines reader, tokenizer and token file.
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
  int threads = 1;  // the output does not depend on it
};

struct TokenizeReport {
  std::int64_t documents = 0;
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;
  std::int64_t unknown_tokens = 0;  // [UNK]s among the tokens
  std::int64_t replaced_bytes = 0;  // bytes of the text that are invalid UTF-8, or NUL
  std::string left_out;             // left_out_text() of the input folder
  std::int64_t file_bytes = 0;
  std::string identity;  // TokenCorpus::identity()
};

// Writes the token file under a temporary name beside it and renames it when it is complete and on
// the disk. Files of other kinds in a folder with text are left out. Text and vocabulary may be
// pipes. Errors: 66 no input, 65 no text, a bad vocabulary or no token at all, 73 the output exists
// (without `overwrite`) or cannot be made, 74 writing fails.
TokenizeReport tokenize_corpus(const TokenizeOptions& options);

// Returns true when open_corpus() would have to tokenize, as the path is no token file.
bool holds_text(const std::filesystem::path& path);

// Returns "3 files of TEXT are no text and were left out: JPEG image (2), SQLite database (1)";
// empty: none.
std::string left_out_text(const std::string& corpus, const FilesLeftOut& left_out);
std::vector<std::string> left_out_notes(const std::string& corpus, const FilesLeftOut& left_out);

// Turns text into the input of open_tokens(): the bytes of a token file, and the files of its
// folder that were left out. `progress` is called after every few megabytes of text. Errors as for
// open_corpus().
std::vector<std::byte> tokenize_in_memory(const std::filesystem::path& path,
                                          const std::filesystem::path& vocab, bool cased,
                                          int threads, const Progress& progress = {});

// `bytes` come from tokenize_in_memory(), and `owner` keeps them alive. `name` is the text's.
std::unique_ptr<TokenCorpus> open_tokens(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> owner, const std::string& name,
                                         const Progress& progress = {});

// Opens a token file, or tokenizes a text file or folder into memory. Nothing is cached on the
// disk; where that takes too long, tokenize a corpus once with tokenize_corpus(). `vocab` may be
// empty for a token file. A token file of another vocabulary or casing is refused (65); text
// without a vocabulary too (78). `progress` is called while text is tokenized or a file is checked.
std::unique_ptr<TokenCorpus> open_corpus(const std::filesystem::path& path,
                                         const std::filesystem::path& vocab, bool cased,
                                         int threads = 1, const Progress& progress = {});

}  // namespace scalemark::data
