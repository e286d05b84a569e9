// Files that are made to cost much: they must be refused, or read, at the price of an ordinary one.
#include <gtest/gtest.h>
#include <png.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/jpeg/libjpeg.h"
#include "data/packed/record.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A band of each coefficient by itself, or all of a component's in one.
std::vector<jpeg_scan_info> scans_of(int components, bool each_coefficient) {
  std::vector<jpeg_scan_info> scans(1);
  scans[0].comps_in_scan = components;
  for (int c = 0; c < components; ++c) scans[0].component_index[c] = c;
  for (int c = 0; c < components; ++c) {
    for (int k = 1; k < 64; k += each_coefficient ? 1 : 63) {
      scans.push_back(
          {.comps_in_scan = 1, .component_index = {c}, .Ss = k, .Se = each_coefficient ? k : 63});
    }
  }
  return scans;
}

Bytes progressive_jpeg(int components, const std::vector<jpeg_scan_info>& scans) {
  constexpr int kSize = 32;
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  unsigned char* target = nullptr;
  unsigned long bytes = 0;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &target, &bytes);
  info.image_width = info.image_height = kSize;
  info.input_components = components;
  info.in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  info.num_scans = static_cast<int>(scans.size());
  info.scan_info = scans.data();
  jpeg_start_compress(&info, TRUE);
  Bytes row(static_cast<std::size_t>(kSize * components));
  while (info.next_scanline < info.image_height) {
    for (std::size_t x = 0; x < row.size(); ++x) {
      row[x] = static_cast<std::uint8_t>(7 * x + 5 * info.next_scanline);
    }
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::unique_ptr<unsigned char, void (*)(void*)> owner(target, std::free);
  return {target, target + bytes};
}

Bytes pixels_of(const Bytes& file) {
  const Pixels pixels = open_image(file, "it")->decode_whole();
  return {pixels.row(0), pixels.row(0) + pixels.stride() * static_cast<std::size_t>(pixels.height)};
}

TEST(HostileJpeg, AHundredScansAreReadAndMoreAreNot) {
  const Bytes plain = progressive_jpeg(1, scans_of(1, false));
  const Bytes many = progressive_jpeg(1, scans_of(1, true));  // 64 scans
  EXPECT_EQ(pixels_of(many), pixels_of(plain));

  const Bytes bomb = progressive_jpeg(3, scans_of(3, true));  // 190 scans
  const auto refused = error_of([&] { open_image(bomb, "a/b.jpg")->decode_whole(); });
  EXPECT_EQ(refused.code, "E_BAD_SAMPLE");
  EXPECT_EQ(refused.what, "a/b.jpg: more than 100 scans");
}

// The same scan over and over, as an attacker writes it: thousands of passes over a large picture.
TEST(HostileJpeg, ThousandsOfScansCostNoTime) {
  const Bytes small = progressive_jpeg(1, scans_of(1, false));
  std::size_t last_scan = 0;
  for (std::size_t i = 0; i + 1 < small.size(); ++i) {
    if (small[i] == 0xff && small[i + 1] == 0xda) last_scan = i;
  }
  Bytes bomb(small.begin(), small.end() - 2);
  for (int i = 0; i < 20'000; ++i) {
    bomb.insert(bomb.end(), small.begin() + static_cast<std::ptrdiff_t>(last_scan),
                small.end() - 2);
  }
  const std::clock_t start = std::clock();  // CPU time: what else runs here costs none
  EXPECT_EQ(error_of([&] { open_image(bomb, "bomb")->decode_whole(); }).what,
            "bomb: more than 100 scans");
  // Packing stores it as it is.
  const auto record = packed::make_record(packed::Form::kJpeg, bomb, "bomb");
  EXPECT_EQ(record.encoding, packed::Encoding::kFile);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
}

// `texts` compressed chunks, each of `unpacked` bytes once it is read.
Bytes png_with_texts(int texts, std::size_t unpacked) {
  Bytes file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp writer, png_bytep bytes, png_size_t count) {
        auto* all = static_cast<Bytes*>(png_get_io_ptr(writer));
        all->insert(all->end(), bytes, bytes + count);
      },
      nullptr);
  png_set_IHDR(png, info, 2, 2, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  std::string text(unpacked, 'x');
  char key[] = "Comment";
  png_text entry{};
  entry.compression = PNG_TEXT_COMPRESSION_zTXt;
  entry.key = key;
  entry.text = text.data();
  entry.text_length = text.size();
  for (int i = 0; i < texts; ++i) png_set_text(png, info, &entry, 1);
  Bytes row = {1, 2, 3, 4, 5, 6};
  Bytes other = {7, 8, 9, 10, 11, 12};
  png_bytep rows[] = {row.data(), other.data()};
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

// Bytes that `act` had in use at most, above what there was before.
long peak_growth_KiB(const std::function<void()>& act) {
  const auto peak = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak();
  act();
  return peak() - before;
}

TEST(HostilePng, TextsAreNotUnpacked) {
  constexpr std::size_t kUnpacked = 7'000'000;  // libpng's own limit is 8 MB each
  // One chunk, repeated by hand: the writer would hold all of them unpacked itself.
  const Bytes with_one = png_with_texts(1, kUnpacked);
  const Bytes without = png_with_texts(0, 0);
  const auto begin = with_one.begin() + 33;  // signature and IHDR end here
  const auto text_bytes = static_cast<std::ptrdiff_t>(with_one.size() - without.size());
  Bytes bomb(with_one.begin(), begin + text_bytes);
  for (int i = 1; i < 200; ++i) bomb.insert(bomb.end(), begin, begin + text_bytes);
  bomb.insert(bomb.end(), begin + text_bytes, with_one.end());

  const long KiB = peak_growth_KiB([&] {
    EXPECT_EQ(pixels_of(bomb), (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  });
  EXPECT_LT(KiB, 64 << 10) << "of the 1.4 GB that the texts are";
}

TEST(HostileFiles, AFileAboveAGibibyteIsRefusedUnread) {
  const TemporaryFolder folder;
  const auto path = folder.write("huge.jpg", "\xff\xd8\xff");
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40), 0);  // sparse
  const auto refused = error_of([&] { read_image_file(path.string()); });
  EXPECT_EQ(refused.code, "E_BAD_SAMPLE");
  EXPECT_EQ(refused.what, path.string() + ": a file of 1 TiB (at most 1 GiB)");
}

TEST(HostileFiles, APipeIsNotWaitedFor) {
  const TemporaryFolder folder;
  const auto path = (folder / "pipe.jpg").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { read_image_file(path); }).what, path + ": it is no regular file");
}

// A fault of one file makes it a bad sample; a fault of the disk or of the process does not.
TEST(UnreadableFiles, AreBadSamplesOnlyWhenTheyAreNotThere) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.jpg", "x");
  EXPECT_EQ(error_of([&] { read_image_file((folder / "none.jpg").string()); }).code,
            "E_BAD_SAMPLE");
  EXPECT_EQ(error_of([&] { read_image_file((folder / "a.jpg/b.jpg").string()); }).code,
            "E_BAD_SAMPLE");

  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const auto refused = error_of([&] { read_image_file(path.string()); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(refused.code, "E_IO");
  EXPECT_EQ(refused.exit_code, ExitCode::kIo);
  EXPECT_NE(refused.what.find(path.string() + ": Too many open files"), std::string::npos);
  EXPECT_NE(refused.hint.find("ulimit -n"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::data
