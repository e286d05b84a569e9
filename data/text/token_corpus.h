// A tokenized corpus: documents of sentences of token ids, in memory or mapped from a token file.
// Knows nothing of text or samples. One byte layout for both: the header below, then the tokens
// (uint16 or uint32), zeros up to a multiple of 8, the first token of each sentence and the first
// sentence of each document (uint64, with one more for the end). Little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/hash128.h"
#include "data/long_work.h"
#include "data/mapped_file.h"
#include "data/text/vocabulary.h"

namespace scalemark::data {

struct TokenHeader {
  char magic[8] = {'S', 'M', 'T', 'O', 'K', 'E', 'N', 'S'};
  std::uint32_t version = 1;
  std::uint32_t token_bytes = 0;  // 2 or 4
  Digest vocabulary_hash = {};    // Vocabulary::hash()
  std::uint32_t vocabulary_size = 0;
  std::uint32_t cased = 0;
  SpecialTokens special;
  // Counts bytes of the text; the largest number where the count does not fit.
  std::uint32_t replaced_bytes = 0;
  std::uint64_t documents = 0;
  std::uint64_t sentences = 0;
  std::uint64_t tokens = 0;
  std::uint64_t file_bytes = 0;
  Digest payload_hash = {};  // XXH3-128 of all that follows the header
  Digest header_hash = {};   // XXH3-128 of all that precedes this field
};
static_assert(sizeof(TokenHeader) == 128);

// Counts files of a corpus folder that are no text, by kind.
using FilesLeftOut = std::map<std::string, std::int64_t>;

class TokenCorpus {
 public:
  // Views `image`, which `owner` keeps alive, after checking every byte of it. Throws (65), with
  // `name` and the reason, when anything is unlike CorpusBuilder's output.
  TokenCorpus(std::span<const std::byte> image, std::shared_ptr<const void> owner,
              const std::string& name, const Progress& progress = {});
  // Does the same for a file, which stays mapped.
  TokenCorpus(std::shared_ptr<const MappedFile> file, const std::string& name,
              const Progress& progress);

  // Throws io_error (74) when the corpus is a file that has been changed since it was opened. Data
  // read earlier may be corrupt.
  void refuse_if_changed() const {
    if (file_ != nullptr) file_->refuse_if_changed();
  }

  std::int64_t documents() const { return static_cast<std::int64_t>(header_.documents); }
  std::int64_t sentences() const { return static_cast<std::int64_t>(header_.sentences); }
  std::int64_t tokens() const { return static_cast<std::int64_t>(header_.tokens); }

  // A range ends where the next one starts, so documents() and sentences() are valid arguments.
  std::int64_t first_sentence(std::int64_t document) const {
    return static_cast<std::int64_t>(document_begin_[static_cast<std::size_t>(document)]);
  }
  std::int64_t first_token(std::int64_t sentence) const {
    return static_cast<std::int64_t>(sentence_begin_[static_cast<std::size_t>(sentence)]);
  }
  std::int32_t token(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return header_.token_bytes == 2 ? static_cast<std::int32_t>(narrow_[at])
                                    : static_cast<std::int32_t>(wide_[at]);
  }
  std::int64_t sentence_of_token(std::int64_t token) const;
  std::int64_t document_of_sentence(std::int64_t sentence) const;

  const SpecialTokens& special() const { return header_.special; }
  std::int64_t vocabulary_size() const { return header_.vocabulary_size; }
  std::string vocabulary_hash() const { return to_hex(header_.vocabulary_hash); }
  bool cased() const { return header_.cased != 0; }

  // Returns the bytes of the text that were invalid UTF-8, or NUL.
  std::int64_t replaced_bytes() const { return header_.replaced_bytes; }
  // Empty unless a folder was tokenized into memory, since a token file does not store it.
  const FilesLeftOut& left_out() const { return left_out_; }
  void set_left_out(FilesLeftOut left_out) { left_out_ = std::move(left_out); }

  // Equal for the same documents and vocabulary, whether they came from text or a token file.
  std::string identity() const { return to_hex(header_.header_hash); }

 private:
  void check_offsets() const;

  TokenHeader header_;
  FilesLeftOut left_out_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const MappedFile> file_;  // empty: the corpus is in memory
  std::span<const std::uint16_t> narrow_;   // one of the two is empty
  std::span<const std::uint32_t> wide_;
  std::span<const std::uint64_t> sentence_begin_;
  std::span<const std::uint64_t> document_begin_;
};

using TokenizedDocument = std::vector<std::vector<std::int32_t>>;  // sentences of ids

// Writes the layout as a stream: returns the bytes after the header in order, and the header last.
// Sentences without tokens and documents without sentences are left out.
class CorpusBuilder {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;
  CorpusBuilder(const Vocabulary& vocabulary, bool cased, Sink sink);

  void add(const TokenizedDocument& document);
  TokenHeader finish(std::int64_t replaced_bytes);

 private:
  void emit(std::span<const std::byte> bytes);

  TokenHeader header_;
  Sink sink_;
  Hash128 payload_hash_;
  std::vector<std::byte> packed_;
  std::vector<std::uint64_t> sentence_begin_{0};
  std::vector<std::uint64_t> document_begin_{0};
};

// Maps a token file. Errors: 66 it does not exist, 74 it cannot be read, 65 see TokenCorpus().
std::unique_ptr<TokenCorpus> map_token_file(const std::filesystem::path& path,
                                            const Progress& progress = {});

bool is_token_file(const std::filesystem::path& path);  // checks the first eight bytes

}  // namespace scalemark::data
