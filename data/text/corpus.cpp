#include "data/text/corpus.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "data/long_work.h"
#include "data/text/corpus_reader.h"
#include "data/text/wordpiece.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

TokenizedDocument tokenized(const WordPiece& tokenizer, const TextDocument& document) {
  TokenizedDocument sentences(document.sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    tokenizer.encode(document.sentences[i], sentences[i]);
  }
  return sentences;
}

std::vector<TokenizedDocument> tokenized_by_threads(const WordPiece& tokenizer,
                                                    const std::vector<TextDocument>& documents,
                                                    int threads) {
  std::vector<TokenizedDocument> results(documents.size());
  in_threads(documents.size(), threads,
             [&](std::size_t i) { results[i] = tokenized(tokenizer, documents[i]); });
  return results;
}

// Collects documents until there is enough work for all threads, and keeps their order.
class TokenizingStream {
 public:
  TokenizingStream(const WordPiece& tokenizer, CorpusBuilder& builder, int threads,
                   const Progress& progress)
      : tokenizer_(tokenizer), builder_(builder), threads_(threads), progress_(progress) {}

  void add(TextDocument document) {
    for (const auto& sentence : document.sentences) bytes_ += sentence.size();
    documents_.push_back(std::move(document));
    if (bytes_ >= kChunkBytes * static_cast<std::size_t>(threads_)) flush();
  }

  void flush() {
    for (const auto& document : tokenized_by_threads(tokenizer_, documents_, threads_)) {
      for (const auto& sentence : document) {
        unknown_ +=
            std::count(sentence.begin(), sentence.end(), tokenizer_.vocabulary().special().unknown);
      }
      builder_.add(document);
    }
    documents_.clear();
    bytes_ = 0;
    still_alive(progress_);
  }

  std::int64_t unknown() const { return unknown_; }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;

  const WordPiece& tokenizer_;
  CorpusBuilder& builder_;
  int threads_;
  const Progress& progress_;
  std::vector<TextDocument> documents_;
  std::size_t bytes_ = 0;
  std::int64_t unknown_ = 0;
};

struct Built {
  TokenHeader header;
  std::int64_t unknown_tokens;
  FilesLeftOut left_out;
};

struct Source {
  fs::path input;
  CorpusFiles files;
  fs::path vocab;
  bool cased;
  int threads;
  Progress progress = {};
};

// Refuses a text and a vocabulary that are the same pipe, since each would get a part of it.
void refuse_one_pipe(const fs::path& input, const fs::path& vocab) {
  const std::string special = special_kind(input);
  if (special.empty()) return;
  struct stat one = {}, other = {};  // std::filesystem does not compare pipes
  if (::stat(input.c_str(), &one) != 0 || ::stat(vocab.c_str(), &other) != 0) return;
  if (one.st_dev != other.st_dev || one.st_ino != other.st_ino) return;
  throw no_input("the text " + input.string() + " and its vocabulary are the same: " + special,
                 "two files", "write the vocabulary to a file first");
}

// The error for a folder without any text.
Error refused_folder(const fs::path& folder, const FilesLeftOut& left_out) {
  return bad_data("corpus " + folder.string() + " holds no text: " + listed_counts(left_out),
                  "plain text, or WikiExtractor's files, is expected",
                  "give --data the text alone");
}

class CorpusReading {
 public:
  CorpusReading(const Source& source, TokenizingStream& stream)
      : source_(source), stream_(stream), is_folder_(fs::is_directory(source.input)) {
    for (const auto& [path, what] : source.files.left_out) ++left_out_[kind_of(what)];
  }

  void read_all() {
    for (const fs::path& path : source_.files.files) {
      read(path);
      still_alive(source_.progress);
    }
    stream_.flush();
  }

  const FilesLeftOut& left_out() const { return left_out_; }
  std::int64_t replaced_bytes() const { return replaced_bytes_; }

 private:
  void read(const fs::path& path) {
    TextFile file(path);
    if (const auto& no_text = file.no_text()) {
      if (!is_folder_) throw file.refusal(*no_text);
      ++left_out_[kind_of(*no_text)];
      return;
    }
    replaced_bytes_ += file.read([&](TextDocument document) { stream_.add(std::move(document)); });
  }

  const Source& source_;
  TokenizingStream& stream_;
  bool is_folder_;
  FilesLeftOut left_out_;
  std::int64_t replaced_bytes_ = 0;
};

Built build(const Source& source, CorpusBuilder::Sink sink) {
  const auto& [input, files, vocab, cased, threads, progress] = source;
  if (threads < 1) throw configuration("threads is " + std::to_string(threads), "1 or more");
  refuse_one_pipe(input, vocab);
  const WordPiece tokenizer(std::make_shared<Vocabulary>(Vocabulary::read(vocab)), cased);
  CorpusBuilder builder(tokenizer.vocabulary(), cased, std::move(sink));
  TokenizingStream stream(tokenizer, builder, threads, progress);
  CorpusReading reading(source, stream);
  reading.read_all();
  const TokenHeader header = builder.finish(reading.replaced_bytes());
  if (header.tokens == 0) {
    if (!reading.left_out().empty()) throw refused_folder(input, reading.left_out());
    throw bad_data("corpus " + input.string() + " holds no text");
  }
  return {header, stream.unknown(), reading.left_out()};
}

void refuse_mismatch(const TokenCorpus& corpus, const fs::path& path, const fs::path& vocab,
                     bool cased) {
  const std::string file = "token file " + path.string();
  const std::string again = "tokenize the corpus again, or give the vocabulary it was made with";
  if (const std::string hash = Vocabulary::read(vocab).hash(); hash != corpus.vocabulary_hash()) {
    throw bad_data(file + " was made with another vocabulary (" + corpus.vocabulary_hash() + ")",
                   vocab.string() + " is " + hash, again);
  }
  if (corpus.cased() != cased) {
    const auto word = [](bool is_cased) { return is_cased ? "cased" : "uncased"; };
    throw bad_data(file + " is " + word(corpus.cased()),
                   std::string(word(cased)) + " was asked for",
                   "give or leave out --cased, or tokenize the corpus again");
  }
}

// An earlier token file inside the input folder is no text, so it may be the output.
void refuse_input_as_output(const TokenizeOptions& options) {
  std::error_code unknown;
  if (!fs::is_regular_file(options.output, unknown)) return;
  const bool holds_tokens = fs::is_directory(options.input) && is_token_file(options.output);
  std::vector<fs::path> inputs{options.vocab};
  if (!holds_tokens)
    std::ranges::copy(corpus_files(options.input).files, std::back_inserter(inputs));
  const auto same = std::ranges::find_if(
      inputs, [&](const fs::path& input) { return is_same_file(input, options.output); });
  if (same == inputs.end()) return;
  throw configuration("--output '" + options.output.string() + "' is an input of this command: '" +
                          same->string() + "'",
                      "another file is expected");
}

}  // namespace

std::string left_out_text(const std::string& corpus, const FilesLeftOut& left_out) {
  std::int64_t files = 0;
  for (const auto& [kind, count] : left_out) files += count;
  if (files == 0) return "";
  return counted(files, "file") + " of " + corpus +
         (files == 1 ? " is no text and was" : " are no text and were") +
         " left out: " + listed_counts(left_out);
}

std::vector<std::string> left_out_notes(const std::string& corpus, const FilesLeftOut& left_out) {
  return std::vector<std::string>(left_out.empty() ? 0 : 1, left_out_text(corpus, left_out));
}

TokenizeReport tokenize_corpus(const TokenizeOptions& options) {
  refuse_input_as_output(options);
  std::error_code unknown;
  const bool replaces =
      !output_place(options.output).is_stream && fs::exists(options.output, unknown);
  if (fs::is_directory(options.output, unknown)) {
    throw cannot_create("token file " + options.output.string() + " is a folder",
                        "a file is expected");
  }
  if (!options.overwrite && replaces) {
    throw cannot_create("token file " + options.output.string() + " exists already", {},
                        "choose another name, or give --overwrite");
  }
  const Source source{.input = options.input,
                      .files = corpus_files(options.input, {options.vocab, options.output}),
                      .vocab = options.vocab,
                      .cased = options.cased,
                      .threads = options.threads};
  AtomicFile file(options.output);
  std::int64_t at = sizeof(TokenHeader);
  const Built built = build(source, [&](std::span<const std::byte> bytes) {
    file.write(bytes, at);
    at += static_cast<std::int64_t>(bytes.size());
  });
  file.write(std::as_bytes(std::span(&built.header, 1)), 0);
  file.commit();
  return {.documents = static_cast<std::int64_t>(built.header.documents),
          .sentences = static_cast<std::int64_t>(built.header.sentences),
          .tokens = static_cast<std::int64_t>(built.header.tokens),
          .unknown_tokens = built.unknown_tokens,
          .replaced_bytes = std::int64_t{built.header.replaced_bytes},
          .left_out = left_out_text(options.input.string(), built.left_out),
          .file_bytes = at,
          .identity = to_hex(built.header.header_hash)};
}

bool holds_text(const fs::path& path) { return !fs::is_regular_file(path) || !is_token_file(path); }

std::vector<std::byte> tokenize_in_memory(const fs::path& path, const fs::path& vocab, bool cased,
                                          int threads, const Progress& progress) {
  if (vocab.empty()) {
    throw configuration("no vocabulary for the text " + path.string(), "a vocab.txt",
                        "give it with --vocab");
  }
  std::vector<std::byte> image(sizeof(TokenHeader));
  const Source source{.input = path,
                      .files = corpus_files(path, {vocab}),
                      .vocab = vocab,
                      .cased = cased,
                      .threads = threads,
                      .progress = progress};
  const Built built = build(source, [&](std::span<const std::byte> bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
  });
  std::memcpy(image.data(), &built.header, sizeof built.header);
  const std::uint64_t image_bytes = image.size();
  std::string behind;
  WireWriter wire(behind);
  wire.value(built.left_out);
  wire.value(image_bytes);
  const auto bytes = std::as_bytes(std::span(behind));
  image.insert(image.end(), bytes.begin(), bytes.end());
  return image;
}

std::unique_ptr<TokenCorpus> open_tokens(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> owner, const std::string& name,
                                         const Progress& progress) {
  std::uint64_t image_bytes = 0;
  const std::size_t length_at = bytes.size() - sizeof image_bytes;
  std::memcpy(&image_bytes, bytes.data() + length_at, sizeof image_bytes);
  const auto behind = bytes.subspan(image_bytes, length_at - image_bytes);
  FilesLeftOut left_out;
  WireReader wire({reinterpret_cast<const char*>(behind.data()), behind.size()});
  wire.value(left_out);
  auto corpus =
      std::make_unique<TokenCorpus>(bytes.first(image_bytes), std::move(owner), name, progress);
  corpus->set_left_out(std::move(left_out));
  return corpus;
}

std::unique_ptr<TokenCorpus> open_corpus(const fs::path& path, const fs::path& vocab, bool cased,
                                         int threads, const Progress& progress) {
  if (holds_text(path)) {
    auto bytes = std::make_shared<std::vector<std::byte>>(
        tokenize_in_memory(path, vocab, cased, threads, progress));
    return open_tokens(*bytes, bytes, path.string(), progress);
  }
  auto corpus = map_token_file(path, progress);
  if (!vocab.empty()) refuse_mismatch(*corpus, path, vocab, cased);
  return corpus;
}

}  // namespace scalemark::data
