#include "data/text/corpus.h"

#include <gtest/gtest.h>

#include <cstring>

#include "data/text/corpus_reader.h"
#include "data/text/generate.h"
#include "data/text/wordpiece.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kVocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##b\nc\n.\n";

std::vector<Strings> documents_of(const std::filesystem::path& file) {
  std::vector<Strings> documents;
  TextFile text(file);
  if (text.no_text()) throw text.refusal(*text.no_text());
  text.read([&](TextDocument d) { documents.push_back(std::move(d.sentences)); });
  return documents;
}

TEST(Vocabulary, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  const auto refusal = [&](const char* text) {
    return error_of([&] { Vocabulary::read(folder.write("v.txt", text)); });
  };
  EXPECT_EQ(refusal("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n").exit_code, ExitCode::kBadData);
  EXPECT_NE(refusal("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n").what.find("[MASK]"), std::string::npos);
  EXPECT_NE(refusal("[PAD]\na\na\n").what.find("line 3 repeats"), std::string::npos);
  EXPECT_NE(refusal("[PAD]\n\xff\n").what.find("line 2 is not UTF-8"), std::string::npos);
  EXPECT_EQ(error_of([&] { Vocabulary::read(folder / "none"); }).exit_code, ExitCode::kNoInput);
}

TEST(WordPiece, LongestPiecesFirstAndAHundredCharacters) {
  const TemporaryFolder folder;
  const WordPiece tokenizer(
      std::make_shared<Vocabulary>(Vocabulary::read(folder.write("v.txt", kVocab))), false);
  std::vector<std::int32_t> ids;
  tokenizer.encode("ABB ac \xC3\xA1." + std::string(101, 'b') + "[MASK]b", ids);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{5, 7, 7, 1, 5, 9, 1, 4, 6}));
  ids.clear();
  tokenizer.encode(std::string(100, 'b'), ids);
  EXPECT_EQ(ids.size(), 100u);
}

TEST(CorpusReader, CutsParagraphsBehindMarksThatWhiteSpaceFollows) {
  const auto cut =
      cut_sentences("  Pi is 3.14. \"Is it?\" Yes (really!) \xE2\x80\x9CYes.\xE2\x80\x9D End");
  EXPECT_EQ(Strings(cut.begin(), cut.end()), (Strings{"Pi is 3.14.", "\"Is it?\"", "Yes (really!)",
                                                      "\xE2\x80\x9CYes.\xE2\x80\x9D", "End"}));
  EXPECT_TRUE(cut_sentences(" \t").empty());
  const auto wide = cut_sentences("A.\u00A0B.\u3000C.\u2028D.E.");
  EXPECT_EQ(Strings(wide.begin(), wide.end()), (Strings{"A.", "B.", "C.", "D.E."}));
}

TEST(CorpusReader, BlankLinesSeparateDocumentsAndDocTagsHoldThem) {
  const TemporaryFolder folder;
  EXPECT_EQ(documents_of(folder.write("plain", "\n a. b \r\nc\n \t\r\n\n\nd")),
            (std::vector<Strings>{{"a. b", "c"}, {"d"}}));
  EXPECT_EQ(documents_of(folder.write(
                "wiki", "<doc id=\"1\">\nTitle\n\nOne. Two.\n</doc>\n<doc id=\"2\">\nX\n</doc>\n")),
            (std::vector<Strings>{{"Title", "One.", "Two."}, {"X"}}));
  const auto refused =
      error_of([&] { documents_of(folder.write("cut", "<doc id=\"1\">\nText\n")); });
  EXPECT_EQ(refused.exit_code, ExitCode::kBadData);
}

TEST(CorpusReader, PhotosAndArchivesAreNoText) {
  const TemporaryFolder folder;
  const auto refusal = [&](std::string bytes) {
    return error_of([&] { documents_of(folder.write("c", bytes)); });
  };
  EXPECT_EQ(refusal("\xff\xd8\xff\xe0 JFIF").exit_code, ExitCode::kBadData);
  EXPECT_NE(refusal("\x1f\x8b\x08 ...").what.find("compressed (gzip)"), std::string::npos);
  EXPECT_NE(refusal("PK\x03\x04").what.find("a zip archive"), std::string::npos);
  // Broken UTF-8, and what only begins like an archive, is text.
  const auto kept = documents_of(folder.write("c", "\xff\xd8 x\nPK BZh9\n"));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0], (Strings{"\xff\xd8 x", "PK BZh9"}));
}

TEST(CorpusReader, FoldersAreSortedAndHiddenFilesLeftOut) {
  const TemporaryFolder folder;
  for (const char* name : {"b/wiki_00", "a/wiki_01", "a/wiki_00", ".git/x", "a/.y", "vocab.txt"}) {
    folder.write(name, "text");
  }
  EXPECT_EQ(corpus_files(folder.path(), {folder / "vocab.txt"}).files,
            (std::vector<std::filesystem::path>{folder / "a/wiki_00", folder / "a/wiki_01",
                                                folder / "b/wiki_00"}));
  EXPECT_EQ(error_of([&] { corpus_files(folder / "none"); }).exit_code, ExitCode::kNoInput);
}

class TokenFile : public ::testing::Test {
 protected:
  TokenFile() { tokenize_corpus({.input = text, .vocab = vocab, .output = file}); }
  ErrorRecord refusal_of(const std::string& bytes) const {
    return error_of([&] { map_token_file(folder.write("changed", bytes)); });
  }

  TemporaryFolder folder;
  std::filesystem::path vocab = folder.write("vocab.txt", kVocab);
  std::filesystem::path text = folder.write("text", "a b c\nabb.\n\n\x01\n\nc c\n");
  std::filesystem::path file = folder / "out.tokens";
};

TEST_F(TokenFile, HoldsTheDocumentsSentencesAndTokens) {
  const auto corpus = map_token_file(file);
  ASSERT_EQ(corpus->documents(), 2);  // the one without tokens is left out
  ASSERT_EQ(corpus->sentences(), 3);
  std::vector<std::int32_t> tokens;
  for (std::int64_t i = 0; i < corpus->tokens(); ++i) tokens.push_back(corpus->token(i));
  EXPECT_EQ(tokens, (std::vector<std::int32_t>{5, 6, 8, 5, 7, 7, 9, 8, 8}));
  EXPECT_EQ(corpus->first_token(1), 3);
  EXPECT_EQ(corpus->first_token(3), 9);
  EXPECT_EQ(corpus->first_sentence(1), 2);
  EXPECT_EQ(corpus->sentence_of_token(6), 1);
  EXPECT_EQ(corpus->document_of_sentence(2), 1);
}

TEST_F(TokenFile, IsTheSameFromTextAndForAnyNumberOfThreads) {
  const auto report =
      tokenize_corpus({.input = text, .vocab = vocab, .output = folder / "two", .threads = 3});
  EXPECT_EQ(read_file(folder / "two"), read_file(file));
  EXPECT_EQ(report.tokens, 9);
  EXPECT_EQ(report.file_bytes, static_cast<std::int64_t>(read_file(file).size()));
  EXPECT_EQ(open_corpus(text, vocab, false)->identity(),
            open_corpus(file, vocab, false)->identity());
  EXPECT_EQ(report.identity, open_corpus(file, {}, false)->identity());
}

TEST_F(TokenFile, EveryTruncationAndEveryChangedByteIsRefused) {
  const std::string whole = read_file(file);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(refusal_of(whole.substr(0, length)).exit_code, ExitCode::kBadData) << length;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_EQ(refusal_of(changed).exit_code, ExitCode::kBadData) << at;
  }
  EXPECT_EQ(refusal_of(whole + '\0').exit_code, ExitCode::kBadData);
  const auto cut = refusal_of(whole.substr(0, 140));
  EXPECT_NE(cut.what.find("140 bytes of"), std::string::npos) << cut.what;
}

// Right checksums over wrong contents: each kind must be found by its own check.
TEST_F(TokenFile, ContentsThatContradictThemselvesAreRefused) {
  const auto with = [&](auto change) {
    std::string bytes = read_file(file);
    TokenHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header, bytes);
    Hash128 payload;
    payload.add(std::string_view(bytes).substr(sizeof header));
    header.payload_hash = payload.digest();
    Hash128 head;
    head.add(std::string_view(reinterpret_cast<const char*>(&header), sizeof header - 16));
    header.header_hash = head.digest();
    std::memcpy(bytes.data(), &header, sizeof header);
    return refusal_of(bytes).what;
  };
  const auto says = [](const std::string& what, const char* reason) {
    EXPECT_NE(what.find(reason), std::string::npos) << what;
  };
  EXPECT_EQ(with([](TokenHeader&, std::string&) {}), "");  // the repaired file is accepted
  says(with([](TokenHeader& h, std::string&) { h.tokens = std::uint64_t{1} << 63; }), "counts");
  says(with([](TokenHeader& h, std::string&) { h.vocabulary_size = 6; }), "token lies outside");
  says(with([](TokenHeader& h, std::string&) { h.special.mask = 10; }), "special token");
  says(with([](TokenHeader& h, std::string&) { h.version = 2; }), "version 2");
  says(with([](TokenHeader& h, std::string&) { h.token_bytes = 3; }), "width");
  says(with([](TokenHeader&, std::string& b) { b[128] = 99; }), "token lies outside");
  says(with([](TokenHeader&, std::string& b) { b[128 + 24 + 8] = 9; }), "sentences");
  says(with([](TokenHeader&, std::string& b) { b[128 + 24 + 32 + 8] = 0; }), "documents");
}

TEST_F(TokenFile, AnotherVocabularyOrCasingIsRefused) {
  const auto other = folder.write("other.txt", std::string(kVocab) + "more\n");
  EXPECT_EQ(error_of([&] { open_corpus(file, other, false); }).exit_code, ExitCode::kBadData);
  EXPECT_EQ(error_of([&] { open_corpus(file, vocab, true); }).exit_code, ExitCode::kBadData);
  EXPECT_EQ(error_of([&] { open_corpus(text, {}, false); }).exit_code, ExitCode::kConfiguration);
  EXPECT_EQ(error_of([&] { open_corpus(folder / "none", vocab, false); }).exit_code,
            ExitCode::kNoInput);
}

TEST_F(TokenFile, NothingIsLeftWhenWritingFails) {
  const TemporaryFolder empty;
  const auto blank = empty.write("blank", "\n \n");
  EXPECT_EQ(error_of([&] {
              tokenize_corpus({.input = blank, .vocab = vocab, .output = empty / "out"});
            }).exit_code,
            ExitCode::kBadData);
  EXPECT_EQ(corpus_files(empty.path()).files, (std::vector<std::filesystem::path>{blank}));
  EXPECT_EQ(
      error_of([&] { tokenize_corpus({.input = text, .vocab = vocab, .output = file}); }).exit_code,
      ExitCode::kCannotCreateOutput);
  EXPECT_EQ(error_of([&] {
              tokenize_corpus({.input = text, .vocab = vocab, .output = empty / "no/out"});
            }).exit_code,
            ExitCode::kCannotCreateOutput);
}

// A folder may hold its own vocabulary and, from the last time, its own token file.
TEST_F(TokenFile, AFolderCanBeTokenizedIntoItself) {
  const TemporaryFolder inside;
  inside.write("corpus.txt", "a b\nc\n");
  const TokenizeOptions options{.input = inside.path(),
                                .vocab = inside.write("vocab.txt", kVocab),
                                .output = inside / "out.tokens",
                                .overwrite = true};
  const auto first = tokenize_corpus(options);
  EXPECT_EQ(first.tokens, 3);
  EXPECT_EQ(tokenize_corpus(options).identity, first.identity);
}

TEST(TokenFileWidth, LargeVocabulariesTakeFourBytes) {
  const TemporaryFolder folder;
  std::string vocab = kVocab;
  for (int i = 0; i < 70000; ++i) vocab.append("w").append(std::to_string(i)).append("\n");
  const auto text = folder.write("text", "w69999 a\nw65540\n");
  tokenize_corpus({.input = text, .vocab = folder.write("v", vocab), .output = folder / "out"});
  const auto corpus = map_token_file(folder / "out");
  EXPECT_EQ(corpus->token(0), 70009);
  EXPECT_EQ(corpus->token(2), 65550);
}

TEST(GenerateText, TheSameOptionsGiveTheSameBytesAndEveryWordIsKnown) {
  const TemporaryFolder a, b, c;
  const auto made = generate_text({.dir = a.path(), .samples = 50});
  generate_text({.dir = b.path(), .samples = 50});
  generate_text({.dir = c.path(), .samples = 50, .seed = 1});
  EXPECT_EQ(read_file(a / "corpus.txt"), read_file(b / "corpus.txt"));
  EXPECT_EQ(read_file(a / "vocab.txt"), read_file(b / "vocab.txt"));
  EXPECT_NE(read_file(a / "corpus.txt"), read_file(c / "corpus.txt"));
  EXPECT_EQ(error_of([&] { generate_text({.dir = a.path(), .samples = 50}); }).exit_code,
            ExitCode::kCannotCreateOutput);
  generate_text({.dir = c.path(), .samples = 50, .overwrite = true});
  EXPECT_EQ(read_file(a / "corpus.txt"), read_file(c / "corpus.txt"));
  EXPECT_EQ(error_of([&] { generate_text({.dir = a / "x", .samples = 3}); }).exit_code,
            ExitCode::kConfiguration);
  const auto report =
      tokenize_corpus({.input = made.corpus, .vocab = made.vocab, .output = a / "out"});
  EXPECT_EQ(report.documents, 50);
  EXPECT_EQ(report.sentences, made.sentences);
  EXPECT_EQ(report.unknown_tokens, 0);
  EXPECT_EQ(Vocabulary::read(made.vocab).size(), made.vocabulary);
}

TEST_F(TokenFile, TokenizingAndCheckingGiveSignsOfLife) {
  int signs = 0;
  open_corpus(text, vocab, false, 1, [&] { ++signs; });
  EXPECT_GE(signs, 2);
  signs = 0;
  open_corpus(file, {}, false, 1, [&] { ++signs; });
  EXPECT_GE(signs, 1);
}

}  // namespace
}  // namespace scalemark::data
