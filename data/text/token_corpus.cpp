#include "data/text/token_corpus.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

static_assert(std::endian::native == std::endian::little, "token files are little-endian");

Digest hash_of_header(const TokenHeader& header) {
  return digest_of(std::as_bytes(std::span(&header, 1)).first(offsetof(TokenHeader, header_hash)));
}

Error damaged(const std::string& what) {
  return bad_data(what, {}, "write it again with `scalemark data tokenize`");
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

TokenHeader read_header(std::span<const std::byte> image) {
  TokenHeader header;
  if (image.size() < sizeof header) throw damaged("it is shorter than its header");
  std::memcpy(&header, image.data(), sizeof header);
  const TokenHeader expected;
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0) {
    throw damaged("it is not a token file");
  }
  if (header.version != expected.version) {
    throw damaged("it has format version " + std::to_string(header.version) + ", not 1");
  }
  if (header.header_hash != hash_of_header(header)) {
    throw damaged("its header does not match its checksum");
  }
  if (header.file_bytes != image.size()) {
    throw damaged("it has " + std::to_string(image.size()) + " bytes of " +
                  std::to_string(header.file_bytes));
  }
  return header;
}

// Checks the header's numbers, since even a file with a correct checksum may come from a faulty
// writer.
void check_header(const TokenHeader& h) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 48;  // keeps the sum below from overflowing
  if (h.token_bytes != 2 && h.token_bytes != 4) throw damaged("its tokens have an unknown width");
  if (h.documents >= kMany || h.sentences >= kMany || h.tokens >= kMany ||
      h.file_bytes !=
          sizeof h + padded(h.tokens * h.token_bytes) + 8 * (h.sentences + 1 + h.documents + 1)) {
    throw damaged("its counts do not match its size");
  }
  for (const std::int32_t id :
       {h.special.pad, h.special.unknown, h.special.classify, h.special.separate, h.special.mask}) {
    if (id < 0 || static_cast<std::uint32_t>(id) >= h.vocabulary_size) {
      throw damaged("a special token lies outside its vocabulary");
    }
  }
}

template <class T>
std::span<const T> view(std::span<const std::byte> image, std::uint64_t at, std::uint64_t count) {
  return {reinterpret_cast<const T*>(image.data() + at), static_cast<std::size_t>(count)};
}

// Offsets must begin at 0 and increase strictly up to `end`, so that nothing is empty.
void check_ascending(std::span<const std::uint64_t> begin, std::uint64_t end, const char* what) {
  const bool up =
      std::adjacent_find(begin.begin(), begin.end(), std::greater_equal<>()) == begin.end();
  if (begin.front() != 0 || begin.back() != end || !up) {
    throw damaged(std::string("its ") + what + " are not in ascending order");
  }
}

template <class T>
std::int64_t holder_of(std::span<const T> begin, std::int64_t item) {
  const auto next = std::upper_bound(begin.begin(), begin.end(), static_cast<T>(item));
  return next - begin.begin() - 1;
}

}  // namespace

TokenCorpus::TokenCorpus(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                         const std::string& name, const Progress& progress) try
    : owner_(std::move(owner)) {
  header_ = read_header(image);
  check_header(header_);
  const std::uint64_t tokens_at = sizeof header_;
  const std::uint64_t sentences_at = tokens_at + padded(header_.tokens * header_.token_bytes);
  const std::uint64_t documents_at = sentences_at + 8 * (header_.sentences + 1);
  if (header_.token_bytes == 2) narrow_ = view<std::uint16_t>(image, tokens_at, header_.tokens);
  if (header_.token_bytes == 4) wide_ = view<std::uint32_t>(image, tokens_at, header_.tokens);
  sentence_begin_ = view<std::uint64_t>(image, sentences_at, header_.sentences + 1);
  document_begin_ = view<std::uint64_t>(image, documents_at, header_.documents + 1);
  if (digest_of(image.subspan(sizeof header_), progress) != header_.payload_hash) {
    throw damaged("its contents do not match their checksum");
  }
  check_offsets();
} catch (const Error& error) {
  throw bad_data("token file " + name + ": " + error.record().what, error.record().expected,
                 error.record().hint);
}

TokenCorpus::TokenCorpus(std::shared_ptr<const MappedFile> file, const std::string& name,
                         const Progress& progress)
    : TokenCorpus(file->bytes(), file, name, progress) {
  file_ = std::move(file);
}

void TokenCorpus::check_offsets() const {
  check_ascending(sentence_begin_, header_.tokens, "sentences");
  check_ascending(document_begin_, header_.sentences, "documents");
  const auto outside = [size = header_.vocabulary_size](std::uint32_t id) { return id >= size; };
  if (std::any_of(narrow_.begin(), narrow_.end(), outside) ||
      std::any_of(wide_.begin(), wide_.end(), outside)) {
    throw damaged("a token lies outside its vocabulary");
  }
}

std::int64_t TokenCorpus::sentence_of_token(std::int64_t token) const {
  return holder_of(sentence_begin_, token);
}

std::int64_t TokenCorpus::document_of_sentence(std::int64_t sentence) const {
  return holder_of(document_begin_, sentence);
}

CorpusBuilder::CorpusBuilder(const Vocabulary& vocabulary, bool cased, Sink sink)
    : sink_(std::move(sink)) {
  header_.token_bytes = vocabulary.size() <= 65536 ? 2 : 4;
  header_.vocabulary_hash = from_hex(vocabulary.hash());
  header_.vocabulary_size = static_cast<std::uint32_t>(vocabulary.size());
  header_.cased = cased ? 1 : 0;
  header_.special = vocabulary.special();
}

void CorpusBuilder::emit(std::span<const std::byte> bytes) {
  payload_hash_.add(bytes);
  sink_(bytes);
}

void CorpusBuilder::add(const TokenizedDocument& document) {
  packed_.clear();
  for (const auto& sentence : document) {
    if (sentence.empty()) continue;
    for (const std::int32_t id : sentence) {
      const auto wide = static_cast<std::uint32_t>(id);
      const auto bytes = std::as_bytes(std::span(&wide, 1)).first(header_.token_bytes);
      packed_.insert(packed_.end(), bytes.begin(), bytes.end());
    }
    header_.tokens += sentence.size();
    sentence_begin_.push_back(header_.tokens);
    ++header_.sentences;
  }
  if (packed_.empty()) return;
  document_begin_.push_back(header_.sentences);
  ++header_.documents;
  emit(packed_);
}

TokenHeader CorpusBuilder::finish(std::int64_t replaced_bytes) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  header_.replaced_bytes = static_cast<std::uint32_t>(std::min(replaced_bytes, kMost));
  const std::uint64_t token_bytes = header_.tokens * header_.token_bytes;
  const std::byte zeros[8] = {};
  emit(std::span(zeros).first(padded(token_bytes) - token_bytes));
  emit(std::as_bytes(std::span(sentence_begin_)));
  emit(std::as_bytes(std::span(document_begin_)));
  header_.file_bytes =
      sizeof header_ + padded(token_bytes) + 8 * (sentence_begin_.size() + document_begin_.size());
  header_.payload_hash = payload_hash_.digest();
  header_.header_hash = hash_of_header(header_);
  return header_;
}

std::unique_ptr<TokenCorpus> map_token_file(const std::filesystem::path& path,
                                            const Progress& progress) {
  return std::make_unique<TokenCorpus>(std::make_shared<MappedFile>(path, "token file"),
                                       path.string(), progress);
}

bool is_token_file(const std::filesystem::path& path) {
  char start[sizeof TokenHeader::magic] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(start, sizeof start);
  return file && std::memcmp(start, TokenHeader{}.magic, sizeof start) == 0;
}

}  // namespace scalemark::data
