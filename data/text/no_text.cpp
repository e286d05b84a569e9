#include "data/text/no_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "core/base/characters.h"
#include "core/base/digest.h"
#include "data/text/utf8.h"

namespace scalemark::data {
namespace {

using namespace std::string_view_literals;

constexpr const char* kUnpack = "unpack it, or give --data the text alone";
constexpr const char* kTextAlone = "give --data the text that it was made of";
constexpr const char* kConvert = "convert it, as with iconv -f ENCODING -t UTF-8";

// NUL bytes are searched for here, as git does; further on they count as broken bytes.
constexpr std::size_t kBytesChecked = 8000;

// A few broken bytes are strays in a text, however short it is; if a third of it is broken, it is
// another encoding.
constexpr std::int64_t kStrays = 8, kPerMille = 3;

enum class Needs {
  kNothing,  // no text begins like this
  kBinary,   // a text may begin like this: the name is used where other signs show that it is none
};

struct Sign {
  std::size_t at;
  std::string_view bytes;
  const char* what;
  const char* hint = kUnpack;
  Needs needs = Needs::kNothing;
};

constexpr Sign kEncodings[] = {{0, "\x84\x31\x95\x33"sv, "text in GB 18030", kConvert},
                               {0, "+/v8"sv, "text in UTF-7", kConvert}};

constexpr Sign kPictures[] = {{0, "\xff\xd8\xff"sv, "a JPEG image"},
                              {0, "\x89PNG\r\n"sv, "a PNG image"},
                              {0, "GIF87a"sv, "a GIF image", kUnpack, Needs::kBinary},
                              {0, "GIF89a"sv, "a GIF image", kUnpack, Needs::kBinary},
                              {8, "WEBP"sv, "a WebP image", kUnpack, Needs::kBinary},
                              {0, "BM"sv, "a BMP image", kUnpack, Needs::kBinary},
                              {0, "II*\0"sv, "a TIFF image"},
                              {0, "II+\0"sv, "a TIFF image"},
                              {0, "MM\0*"sv, "a TIFF image"},
                              {0, "MM\0+"sv, "a TIFF image"},
                              {4, "ftyp"sv, "an HEIF image or a video", kUnpack, Needs::kBinary}};

constexpr Sign kArchives[] = {{0, "\x1f\x8b"sv, "compressed (gzip)"},
                              {0, "\x1f\x9d"sv, "compressed (compress)"},
                              {0, "\xfd\x37zXZ\0"sv, "compressed (xz)"},
                              {0, "\x28\xb5\x2f\xfd"sv, "compressed (zstd)"},
                              {0, "\x04\x22\x4d\x18"sv, "compressed (lz4)"},
                              {0, "LZIP\x01"sv, "compressed (lzip)"},
                              {0, "\x5d\0\0"sv, "compressed (lzma)"},
                              {0, "\xff\x06\0\0sNaPpY"sv, "compressed (snappy)"},
                              {0, "PK\x05\x06"sv, "a zip archive"},
                              {0, "PK\x07\x08"sv, "a zip archive"},
                              {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
                              {0, "Rar!\x1a\x07"sv, "a rar archive"},
                              {257, "ustar"sv, "a tar archive"},
                              {0, "MSCF\0"sv, "a cab archive"},
                              {0, "!<arch>\n"sv, "an ar archive"},
                              {0, "0707"sv, "a cpio archive", kUnpack, Needs::kBinary}};

constexpr Sign kDocuments[] = {
    {0, "%PDF-"sv, "a PDF file", kTextAlone},
    {0, "%!PS"sv, "a PostScript file", kTextAlone},
    {0, "{\\rtf"sv, "an RTF file", kTextAlone},
    {0, "<mediawiki"sv, "a MediaWiki dump", "extract its text, as with WikiExtractor"},
    {0, "<?xml"sv, "an XML file", kTextAlone},
    {0, "<!DOCTYPE"sv, "an HTML file", kTextAlone},
    {0, "<!doctype"sv, "an HTML file", kTextAlone},
    {0, "<html"sv, "an HTML file", kTextAlone},
    {0, "<HTML"sv, "an HTML file", kTextAlone},
    {0, "begin 644 "sv, "uuencoded", kUnpack},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an office file", kTextAlone},
    {0, "SQLite format 3\0"sv, "an SQLite database", kTextAlone},
    {0,
     "\x7f"
     "ELF"sv,
     "a program", kTextAlone}};

constexpr Sign kContainers[] = {
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kTextAlone},
    {512, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kTextAlone},
    {1024, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kTextAlone},
    {2048, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kTextAlone},
    {0, "PAR1"sv, "a Parquet file", kTextAlone, Needs::kBinary},
    {0, "ARROW1"sv, "an Arrow file", kTextAlone, Needs::kBinary},
    {0, "\xff\xff\xff\xff"sv, "an Arrow stream", kTextAlone, Needs::kBinary},
    {0, "FEA1"sv, "a Feather file", kTextAlone, Needs::kBinary},
    {0, "Obj\x01"sv, "an Avro file", kTextAlone},
    {0, "ORC"sv, "an ORC file", kTextAlone, Needs::kBinary},
    {0, "\x93NUMPY"sv, "a NumPy array", kTextAlone},
    {0, "\x80\x02"sv, "a Python pickle", kTextAlone},
    {0, "\x80\x03"sv, "a Python pickle", kTextAlone},
    {0, "\x80\x04"sv, "a Python pickle", kTextAlone},
    {0, "\x80\x05"sv, "a Python pickle", kTextAlone},
    {0, "(lp0\n"sv, "a Python pickle", kTextAlone},
    {0, "(dp0\n"sv, "a Python pickle", kTextAlone},
    {16, "\xde\xc0\xef\xbe"sv, "an LMDB database", kTextAlone},
    {0, "MMIDIDX\0\0"sv, "a Megatron index", kTextAlone},
    {0, "TNTIDX\0\0"sv, "a fairseq index", kTextAlone}};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

NoText made(const char* what, const char* hint) { return {what, {}, hint}; }

// bzip2 writes its level after its magic, then a block's magic or that of the end.
bool is_bzip2(std::string_view head) {
  if (!head.starts_with("BZh")) return false;
  const std::string_view rest = head.substr(std::min<std::size_t>(4, head.size()));
  return rest.starts_with("1AY&SY") || rest.starts_with("\x17\x72\x45\x38\x50\x90");
}

// The name of the first file inside shows which program wrote the archive.
std::optional<NoText> zip_of(std::string_view head) {
  constexpr std::size_t kLengthAt = 26, kNameAt = 30;
  if (!head.starts_with("PK\x03\x04")) return std::nullopt;
  if (head.size() < kNameAt) return made("a zip archive", kUnpack);
  const std::string_view name =
      head.substr(kNameAt, static_cast<std::size_t>(little_endian(head.substr(kLengthAt, 2))));
  const auto begins = [&](const char* with) { return name.starts_with(with); };
  if (begins("[Content_Types]") || begins("_rels/") || begins("word/") || begins("docProps/") ||
      name == "mimetype") {
    return made("an office file", kTextAlone);
  }
  if (name.ends_with(".npy")) return made("a file of NumPy arrays", kTextAlone);
  if (name.ends_with("/data.pkl")) return made("a PyTorch file", kTextAlone);
  return made("a zip archive", kUnpack);
}

// The file begins with the length of a header in JSON, and the header.
bool is_safetensors(std::string_view head) {
  constexpr std::uint64_t kMostHeader = 100'000'000;
  return head.size() > 10 && head.substr(8, 2) == "{\"" &&
         little_endian(head.substr(0, 8)) <= kMostHeader;
}

// The file begins with the length of a record, and that length's checksum.
bool is_tfrecord(std::string_view head) {
  return head.size() >= 12 && little_endian(head.substr(8, 4)) == masked_crc32c(head.substr(0, 8));
}

std::optional<NoText> named_by_form(std::string_view head) {
  if (is_bzip2(head)) return made("compressed (bzip2)", kUnpack);
  if (auto zip = zip_of(head)) return zip;
  if (is_safetensors(head)) return made("a safetensors file", kTextAlone);
  if (is_tfrecord(head)) return made("a TFRecord file", kTextAlone);
  return std::nullopt;
}

template <std::size_t N>
std::optional<NoText> named_by(const Sign (&signs)[N], std::string_view head, bool binary) {
  for (const Sign& sign : signs) {
    if (head.size() < sign.at || !head.substr(sign.at).starts_with(sign.bytes)) continue;
    if (sign.needs == Needs::kNothing || binary) return made(sign.what, sign.hint);
  }
  return std::nullopt;
}

std::optional<NoText> text_in(const std::string& encoding) {
  if (encoding.empty()) return std::nullopt;
  return NoText{"text in " + encoding, {}, utf8_hint(encoding)};
}

}  // namespace

std::optional<NoText> no_utf8_of(std::int64_t broken, std::int64_t bytes) {
  const bool many = broken >= kStrays && broken * 1000 > kPerMille * bytes;
  const bool most = broken * 10 > bytes * 3;
  if (!many && !most) return std::nullopt;
  return NoText{
      "no text in UTF-8",
      " (" + std::to_string(broken) + " of its " + std::to_string(bytes) + " bytes are broken)",
      "if it is text, convert it to UTF-8, as with iconv -f LATIN1 -t UTF-8"};
}

std::optional<NoText> no_text_of(std::string_view head) {
  const std::string_view looked_at = head.substr(0, kBytesChecked);
  const bool has_nul = looked_at.find('\0') != std::string_view::npos;
  auto broken = no_utf8_of(broken_bytes(head), static_cast<std::int64_t>(head.size()));
  const bool binary = has_nul || broken.has_value();
  if (auto named = text_in(encoding_by_mark(head))) return named;
  if (auto named = named_by(kEncodings, head, binary)) return named;
  if (auto named = named_by_form(head)) return named;
  if (auto named = named_by(kPictures, head, binary)) return named;
  if (auto named = named_by(kArchives, head, binary)) return named;
  if (auto named = named_by(kDocuments, head, binary)) return named;
  if (auto named = named_by(kContainers, head, binary)) return named;
  if (has_nul) {
    if (auto named = text_in(wide_encoding_of(looked_at))) return named;
    return made("binary data, or text in UTF-16 (NUL bytes)", kTextAlone);
  }
  if (looked_at.find("\x1b$") != std::string_view::npos) {
    return made("text in ISO-2022", kConvert);
  }
  return broken;
}

std::string kind_of(const NoText& no_text) {
  for (const std::string_view article : {"a ", "an "}) {
    if (no_text.what.starts_with(article)) return no_text.what.substr(article.size());
  }
  return no_text.what;
}

}  // namespace scalemark::data
