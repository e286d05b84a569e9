// Texts as people give them: other encodings, files of other programs, pipes, links, and the forms
// in which text comes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "data/text/corpus.h"
#include "data/text/corpus_reader.h"
#include "data/text/json_lines.h"
#include "data/text/utf8.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;

constexpr const char* kWords = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n.\n";

std::string what_is(const std::string& head) {
  const auto no_text = no_text_of(head);
  return no_text ? no_text->what : "text";
}

std::string in_utf16(const std::string& ascii, bool big) {
  std::string wide;
  for (const char c : ascii) wide += big ? "\0"s + c : c + "\0"s;
  return wide;
}

std::string in_utf32(const std::string& ascii) {
  std::string wide;
  for (const char c : ascii) wide += c + "\0\0\0"s;
  return wide;
}

const std::string kSentences = "The cat sat.\r\nThe dog ran home.\r\n\r\nOne mat, two dogs.\r\n";

TEST(NoText, OtherEncodingsAreNamedWithAMarkAndWithout) {
  EXPECT_EQ(what_is("\xff\xfe" + in_utf16(kSentences, false)), "text in UTF-16");
  EXPECT_EQ(what_is("\xfe\xff" + in_utf16(kSentences, true)), "text in UTF-16");
  EXPECT_EQ(what_is("\xff\xfe\0\0"s + in_utf32(kSentences)), "text in UTF-32");
  EXPECT_EQ(what_is(in_utf16(kSentences, false)), "text in UTF-16LE");
  EXPECT_EQ(what_is(in_utf16(kSentences, true)), "text in UTF-16BE");
  EXPECT_EQ(what_is(in_utf32(kSentences)), "text in UTF-32LE");
  EXPECT_EQ(what_is("\0\0\0"s + in_utf32(kSentences)), "text in UTF-32BE");
  EXPECT_EQ(what_is("\x1b$B$3$s\x1b(B\n"), "text in ISO-2022");
  std::string latin1;
  for (int i = 0; i < 8; ++i) latin1 += "un caf\xe9 et un th\xe9. ";
  EXPECT_EQ(what_is(latin1), "no text in UTF-8");
  EXPECT_EQ(what_is("\xcf\xf0\xe8\xe2\xe5\xf2\n"), "no text in UTF-8");  // six letters in CP1251
}

TEST(NoText, FilesOfOtherProgramsAreNamed) {
  const std::string rest = "\0\x01\x02\xff more"s;
  const std::pair<std::string, const char*> files[] = {
      {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
      {std::string(512, '\0') + "\x89HDF\r\n\x1a\n", "an HDF5 file"},
      {"PAR1", "a Parquet file"},
      {"ARROW1\0\0"s, "an Arrow file"},
      {"\x93NUMPY\x01", "a NumPy array"},
      {"\x80\x04\x95", "a Python pickle"},
      {"(lp0\nS'a'\n", "a Python pickle"},
      {std::string(16, '\0') + "\xde\xc0\xef\xbe", "an LMDB database"},
      {"\x40\0\0\0\0\0\0\0{\"a\":{}}"s, "a safetensors file"},
      {"MMIDIDX\0\0"s, "a Megatron index"},
      {"\x1f\x8b\x08", "compressed (gzip)"},
      {"\xfd"
       "7zXZ\0"s,
       "compressed (xz)"},
      {"\x28\xb5\x2f\xfd", "compressed (zstd)"},
      {"BZh91AY&SY", "compressed (bzip2)"},
      {"PK\x03\x04\x14", "a zip archive"},
      {"PK\x03\x04"s + std::string(22, '\0') + "\x05\0\0\0x.npy"s, "a file of NumPy arrays"},
      {"PK\x03\x04"s + std::string(22, '\0') + "\x13\0\0\0[Content_Types].xml"s, "an office file"},
      {"7z\xbc\xaf\x27\x1c", "a 7z archive"},
      {"Rar!\x1a\x07", "a rar archive"},
      {"a.txt" + std::string(252, '\0') + "ustar", "a tar archive"},
      {"\xff\xd8\xff", "a JPEG image"},
      {"\x89PNG\r\n", "a PNG image"},
      {"GIF89a", "a GIF image"},
      {"RIFF\x10\0\0\0WEBP"s, "a WebP image"},
      {"BM\x10\0"s, "a BMP image"},
      {"II*\0"s, "a TIFF image"},
      {"MM\0*"s, "a TIFF image"},
      {"%PDF-1.7\n", "a PDF file"},
      {"<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\">", "a MediaWiki dump"},
      {"<!DOCTYPE html>", "an HTML file"},
      {"{\\rtf1", "an RTF file"},
      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office file"},
      {"SQLite format 3\0"s, "an SQLite database"},
      {"ids\0of\0none", "binary data, or text in UTF-16 (NUL bytes)"}};
  for (const auto& [begin, what] : files) EXPECT_EQ(what_is(begin + rest), what);
  EXPECT_EQ(kind_of({"an HDF5 file", {}, {}}), "HDF5 file");
  // The length of a record of 3 bytes, and its CRC-32C as TensorFlow masks it.
  EXPECT_EQ(what_is("\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e"s + "abc"), "a TFRecord file");
}

TEST(NoText, TextMayBeginLikeAFileAndHoldAFewStrays) {
  for (const char* text : {"BMW builds cars.", "GIF89a is a format.", "ORC and ID3.", "MM, II, PK.",
                           "RIFF....WEBP", "[1] See below.", "BZh9", "", "\xEF\xBB\xBFtext",
                           "caf\xe9\n", "{\\bf bold}", "\xE6\xBC\xA2\xE5\xAD\x97"}) {
    EXPECT_EQ(what_is(text), "text") << text;
  }
  std::string page(100'000, 'a');
  for (std::size_t i = 0; i < 200; ++i) page[i * 500] = '\xe9';
  EXPECT_EQ(what_is(page), "text");  // two per mille
  page[9000] = '\0';
  EXPECT_EQ(what_is(page), "text");
  page[7000] = '\0';
  EXPECT_EQ(what_is(page), "binary data, or text in UTF-16 (NUL bytes)");
}

TEST(WhiteSpace, IsThatOfPythonAndOfRust) {
  EXPECT_EQ(stripped("\u00A0\u3000\x1c a\u2028b \x85x\u2028\u0085\x1f\t"), "a\u2028b \x85x");
  EXPECT_EQ(stripped("\u200A\u1680\u205F\u202F"), "");
  EXPECT_EQ(stripped("\uFEFF\u200B"), "\uFEFF\u200B");
  EXPECT_EQ(trimmed_end(" a\x1c\u00A0\r"), " a\x1c");
}

std::vector<std::vector<std::string>> read_from(const fs::path& path) {
  std::vector<std::vector<std::string>> documents;
  TextFile text(path);
  if (text.no_text()) throw text.refusal(*text.no_text());
  text.read([&](TextDocument d) { documents.push_back(std::move(d.sentences)); });
  return documents;
}

using Documents = std::vector<std::vector<std::string>>;

TEST(TextFile, AMarkAndUnicodeBlanksMeanWhatTheyMeanInPython) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_from(folder.write("mark",
                                   "\xEF\xBB\xBF<doc id=\"1\">\nA. B.\n</doc>\n"
                                   "\xEF\xBB\xBF<doc id=\"2\">\nC.\n</doc>\n")),
            (Documents{{"A.", "B."}, {"C."}}));
  EXPECT_EQ(read_from(folder.write("blank", "\xEF\xBB\xBF\u00A0\na\n\u3000\nb\n\x1c\u2028\nc")),
            (Documents{{"a"}, {"b"}, {"c"}}));
}

TEST(TextFile, LinesEndAsInPython) {
  const TemporaryFolder folder;
  const auto with = [](std::string text, const std::string& end) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += end.size()) {
      text.replace(at, 1, end);
    }
    return text;
  };
  for (const char* end : {"\n", "\r\n", "\r"}) {
    EXPECT_EQ(read_from(folder.write("plain", with("a\nb\n\nc", end))),
              (Documents{{"a", "b"}, {"c"}}));
    EXPECT_EQ(read_from(folder.write("wiki", with("<doc id=\"1\">\nA. B.\n\nC.\n</doc>\n", end))),
              (Documents{{"A.", "B.", "C."}}));
    EXPECT_EQ(read_from(folder.write("json", with("{\"text\": \"a\"}\n{\"text\": \"b\"}\n", end))),
              (Documents{{"a"}, {"b"}}));
  }
  EXPECT_EQ(read_from(folder.write("mixed", "a\rb\r\n\rc\r\r\nd\n")),
            (Documents{{"a", "b"}, {"c"}, {"d"}}));
}

TEST(TextFile, DocTagsMayShareALineAndHoldNoOther) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_from(folder.write("w", "<doc>\nA. B.\n</doc><doc id=\"2\">\nC.\n</doc>\n")),
            (Documents{{"A.", "B."}, {"C."}}));
  const auto lost = error_of(
      [&] { read_from(folder.write("l", "<doc id=\"1\">\nA.\n<doc id=\"2\">\nB.\n</doc>\n")); });
  EXPECT_EQ(lost.exit_code, ExitCode::kBadData);
  EXPECT_TRUE(lost.what.starts_with("line 3 of corpus file ")) << lost.what;
}

TEST(TextFile, LinesOfJsonAreDocuments) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_from(folder.write(
                "wiki",
                "\xEF\xBB\xBF{\"id\": \"1\", \"url\": \"u\", \"title\": \"T\", "
                "\"text\": \"T\\n\\nOne. Two \\\"\\u00e9\\\".\"}\r\n\r\n"
                "{\"text\": \"\\ud83d\\ude00 \\ud800!\", \"score\": NaN}\n"
                "{\"text\": \"\"}\n\xEF\xBB\xBF{\"text\": \"x\", \"text\": \"last \xff\"}")),
            (Documents{{"T", "One.", "Two \"\u00e9\"."}, {"\U0001F600 \uFFFD!"}, {"last \uFFFD"}}));
  EXPECT_EQ(read_from(folder.write("large", "{\"a\": 1e999, \"b\": -" + std::string(401, '7') +
                                                ", \"text\": \"1e999\"}\n")),
            (Documents{{"1e999"}}));
  const auto refusal = [&](const std::string& bytes) {
    return error_of([&] { read_from(folder.write("j", bytes)); });
  };
  const auto damaged = refusal("{\"text\": \"a\"}\n\n{\"text\": \"b\n");
  EXPECT_EQ(damaged.exit_code, ExitCode::kBadData);
  EXPECT_TRUE(damaged.what.starts_with("line 3 of corpus file ")) << damaged.what;
  for (const char* other :
       {"{\"content\": \"a\"}\n", "{\n  \"text\": \"a\"\n}\n", "[\n{\"text\": \"a\"}\n]\n",
        "[{\"text\": \"a\"}]", "[\"a\", \"b\"]\n", "{\"text\": \"cut off", "{\"text\": 3}"}) {
    EXPECT_NE(refusal(other).what.find("is JSON without"), std::string::npos) << other;
  }
  EXPECT_EQ(read_from(folder.write("plain", "[1] {a}\n{b}\n")), (Documents{{"[1] {a}", "{b}"}}));
}

// Longer than what is read first, and with the first document beyond it.
TEST(TextFile, OneLongLineStaysWhole) {
  const TemporaryFolder folder;
  std::string line;
  while (line.size() < (std::size_t{5} << 19)) line += "word ";
  EXPECT_EQ(read_from(folder.write("plain", line + "end\n\nb")),
            (Documents{{line + "end"}, {"b"}}));
  const auto json =
      read_from(folder.write("json", "{\"text\": \"" + line + "end\"}\n{\"text\": \"b\"}\n"));
  EXPECT_EQ(json, (Documents{{line + "end"}, {"b"}}));
}

class Corpora : public ::testing::Test {
 protected:
  TokenizeReport tokenize(const fs::path& input, const fs::path& words) {
    return tokenize_corpus({.input = input, .vocab = words, .output = out, .overwrite = true});
  }
  ErrorRecord refusal(const fs::path& input) {
    return error_of([&] { tokenize(input, vocab); });
  }

  TemporaryFolder folder;
  fs::path vocab = folder.write("vocab.txt", kWords);
  fs::path out = folder / "out.tokens";
};

TEST_F(Corpora, WhatIsNoTextIsRefusedAloneAndLeftOutBesideText) {
  const auto hdf5 = folder.write("c/a.hdf5", "\x89HDF\r\n\x1a\n\0\0"s);
  EXPECT_EQ(refusal(hdf5).exit_code, ExitCode::kBadData);
  EXPECT_NE(refusal(hdf5).what.find("a.hdf5 is an HDF5 file"), std::string::npos);
  folder.write("c/b.jpg", "\xff\xd8\xff\xe0");
  folder.write("c/c.jpg", "\xff\xd8\xff\xe0");
  const auto none = refusal(folder / "c");
  EXPECT_EQ(none.exit_code, ExitCode::kBadData);
  EXPECT_NE(none.what.find("holds no text: HDF5 file (1), JPEG image (2)"), std::string::npos);

  folder.write("c/text", "a b.\n\nc.\n");
  EXPECT_EQ(tokenize(folder / "c", vocab).tokens, 5);
  EXPECT_EQ(tokenize(folder / "c", vocab).left_out,
            "3 files of " + (folder / "c").string() +
                " are no text and were left out: HDF5 file (1), JPEG image (2)");
  EXPECT_EQ(open_corpus(folder / "c", vocab, false)->left_out(),
            (FilesLeftOut{{"HDF5 file", 1}, {"JPEG image", 2}}));
}

TEST_F(Corpora, LinksAreFollowedAndLoopsEnd) {
  folder.write("c/text", "a.\n");
  folder.write("elsewhere/deep/more", "b.\n");
  folder.write("file", "c.\n");
  fs::create_symlink(folder / "elsewhere", folder / "c/folder");
  fs::create_symlink(folder / "file", folder / "c/file");
  fs::create_symlink(folder / "c", folder / "elsewhere/back");
  fs::create_symlink("nowhere", folder / "c/dangling");
  ASSERT_EQ(::mkfifo((folder / "c/pipe").c_str(), 0600), 0);
  EXPECT_EQ(tokenize(folder / "c", vocab).documents, 3);
  EXPECT_EQ(open_corpus(folder / "c", vocab, false)->left_out(),
            (FilesLeftOut{
                {"link that leads nowhere", 1}, {"link to a folder above it", 1}, {"pipe", 1}}));
}

TEST_F(Corpora, ReplacedBytesAreCountedInTheFileToo) {
  const auto text = folder.write("text", "caf\xe9 a.\n\nb \xed\xa0\x80 c.\n");
  EXPECT_EQ(tokenize(text, vocab).replaced_bytes, 4);
  EXPECT_EQ(open_corpus(out, vocab, false)->replaced_bytes(), 4);
  EXPECT_EQ(open_corpus(text, vocab, false)->replaced_bytes(), 4);
  EXPECT_EQ(open_corpus(text, vocab, false)->identity(),
            open_corpus(out, vocab, false)->identity());
  EXPECT_EQ(tokenize(folder.write("clean", "a \u00e9.\n"), vocab).replaced_bytes, 0);
}

// More than a stream's buffer, and than what is read first.
TEST_F(Corpora, PipesAreReadOnceAndWhole) {
  std::string text;
  while (text.size() < (std::size_t{3} << 20)) text += "a b c.\n\n";
  const auto through = [&](const char* name, const std::string& bytes) {
    const fs::path pipe = folder / name;
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    return std::pair(pipe, std::jthread([pipe, bytes] { std::ofstream(pipe) << bytes; }));
  };
  const auto whole = tokenize(folder.write("text", text), vocab);
  {
    const auto [pipe, writer] = through("pipe", text);
    const auto [words, word_writer] = through("words", kWords);
    EXPECT_EQ(tokenize(pipe, words).identity, whole.identity);
  }
  {
    const auto [pipe, writer] = through("zip", "PK\x03\x04 and more");
    EXPECT_NE(refusal(pipe).what.find("a zip archive"), std::string::npos);
  }
  const fs::path both = folder / "pipe";
  EXPECT_EQ(error_of([&] { tokenize(both, both); }).exit_code, ExitCode::kNoInput);
}

TEST(Vocabulary, RepeatedPlacesAndBlankLinesAreAsHuggingFaceHasThem) {
  const TemporaryFolder folder;
  const auto words = [&](const std::string& text) {
    return Vocabulary::read(folder.write("v", text));
  };
  const std::string plain = kWords;
  const auto as_it_is = words(plain);
  for (const char* end : {"\n", "\n\n\n", " \r\n\t\n", "\u00A0\n\u3000\n", "\n\n "}) {
    EXPECT_EQ(words(plain + end).hash(), as_it_is.hash());
  }
  EXPECT_EQ(words(plain.substr(0, plain.size() - 1)).hash(), as_it_is.hash());
  const auto repeated = words("[unused0]\n\n" + plain + "\n[unused0]\nd\u00A0\n");
  EXPECT_EQ(repeated.size(), 14);
  EXPECT_EQ(repeated.find("[unused0]"), 12);
  EXPECT_EQ(repeated.find("a"), 7);
  EXPECT_EQ(repeated.find("d"), 13);
  const auto refusal = [&](const std::string& text) { return error_of([&] { words(text); }).what; };
  EXPECT_NE(refusal("\xEF\xBB\xBF" + plain).find("byte order mark (BOM)"), std::string::npos);
  EXPECT_NE(refusal("\xff\xfe" + in_utf16(plain, false)).find("UTF-16"), std::string::npos);
  EXPECT_NE(refusal(plain + "a\n").find("line 10 repeats the token 'a'"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::data
