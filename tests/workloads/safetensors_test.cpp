#include "workloads/weights/safetensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"

namespace scalemark::workloads {
namespace {

class Safetensors : public ::testing::Test {
 protected:
  Safetensors() {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '-');
    path_ = std::filesystem::path(::testing::TempDir()) / ("scalemark-" + name + ".safetensors");
  }
  ~Safetensors() override { std::filesystem::remove(path_); }

  void write_raw(std::uint64_t header_bytes, const std::string& rest) const {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header_bytes), sizeof header_bytes);
    file << rest;
  }
  void write_file(const std::string& header, std::size_t data_bytes) const {
    write_raw(header.size(), header + std::string(data_bytes, '\0'));
  }

  // The refusal's text; fails the test when the file is read.
  std::string refusal() const {
    try {
      read_safetensors(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
      return error.record().what;
    }
    ADD_FAILURE() << "the file was read";
    return {};
  }

  std::filesystem::path path_;
};

TEST_F(Safetensors, EveryTypeComesBack) {
  NamedTensors written;
  for (const auto type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt,
                          at::kByte, at::kBool}) {
    written[c10::toString(type)] = at::arange(6).view({2, 3}).to(type);
  }
  written["scalar"] = at::ones({}, at::kLong);
  written["empty"] = at::ones({0, 4});
  written["transposed"] = at::arange(6.0).view({2, 3}).t();
  write_safetensors(path_, written);

  const NamedTensors read = read_safetensors(path_);
  ASSERT_EQ(read.size(), written.size());
  for (const auto& [name, tensor] : written) {
    const at::Tensor& back = read.at(name);
    EXPECT_EQ(back.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(back, tensor)) << name;
  }
}

TEST_F(Safetensors, NothingIsLeftBesideTheFile) {
  const auto folder = path_.parent_path() / "scalemark-atomic";
  std::filesystem::create_directories(folder);
  write_safetensors(folder / "a", {{"x", at::ones({3})}});
  write_safetensors(folder / "a", {{"x", at::ones({4})}});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_EQ(read_safetensors(folder / "a").at("x").numel(), 4);
  std::filesystem::remove_all(folder);
}

TEST_F(Safetensors, AMissingFileIsNoInput) {
  try {
    read_safetensors("/no/such/file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kNoInput);
  }
}

TEST_F(Safetensors, AMissingFolderCannotBeWritten) {
  try {
    write_safetensors("/no/such/folder/file", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kCannotCreateOutput);
  }
}

TEST_F(Safetensors, HostileHeaderLengths) {
  std::ofstream(path_) << "short";
  EXPECT_NE(refusal().find("shorter than 8 bytes"), std::string::npos);
  write_raw(~std::uint64_t{0}, "{}");
  EXPECT_NE(refusal().find("first bytes, ff ff ff ff ff ff ff ff, are no length of a header"),
            std::string::npos);
  write_raw(3, "{}");
  EXPECT_NE(refusal().find("header of 3 bytes"), std::string::npos);
}

TEST_F(Safetensors, AnotherFormatIsNamed) {
  const auto named = [&](std::string_view bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return refusal();
  };
  EXPECT_NE(named(std::string_view("\x80\x04\x95\x10\0\0\0\0\0\0\0", 11)).find("a pickle"),
            std::string::npos);
  const auto archive = [&](std::string entry) {
    std::string bytes = "PK\x03\x04" + std::string(26, '\0') + entry + "filling";
    bytes[26] = static_cast<char>(entry.size());
    return named(bytes);
  };
  EXPECT_NE(archive("w/data.pkl").find("torch.save"), std::string::npos);
  EXPECT_NE(archive("w/data/0").find("TorchScript"), std::string::npos);
  EXPECT_NE(archive("a.npy").find("NumPy"), std::string::npos);
  EXPECT_NE(archive("readme.txt").find("a zip archive"), std::string::npos);
  EXPECT_NE(named("PK\x03\x04").find("a zip archive"), std::string::npos);
  EXPECT_NE(named("GGUF and more").find("GGUF"), std::string::npos);
  EXPECT_NE(named("").find("is empty"), std::string::npos);
  EXPECT_NE(named("{\"architectures\": []}").find("JSON"), std::string::npos);
  EXPECT_NE(named("\n\n404: Not Found").find("it is a text, '404: Not Found'"), std::string::npos);
  EXPECT_NE(named("\x7f\x45LF of a program").find("not a valid safetensors file"),
            std::string::npos);
}

TEST_F(Safetensors, ALengthThatLooksLikeABraceIsALength) {
  std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  header.resize('{', ' ');
  write_file(header, 4);
  EXPECT_EQ(read_safetensors(path_).size(), 1U);
  EXPECT_EQ(read_safetensors_header(path_).front().end, 4U);
}

struct Hostile {
  std::string name, header, reason;
  std::size_t data_bytes;
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

class HostileHeader : public Safetensors, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileHeader, IsRefused) {
  write_file(GetParam().header, GetParam().data_bytes);
  EXPECT_NE(refusal().find(GetParam().reason), std::string::npos) << refusal();
}

std::string f32(const std::string& name, const std::string& shape, const std::string& offsets) {
  return '"' + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}";
}

INSTANTIATE_TEST_SUITE_P(
    Safetensors, HostileHeader,
    ::testing::Values(
        Hostile{"NoJson", "{", "not valid JSON", 0},
        Hostile{"NoObject", "[]", "not a JSON object", 0},
        Hostile{"NoUtf8", "{\"\xff\":1}", "not valid JSON", 0},
        Hostile{"TwiceTheName",
                "{" + f32("a", "[1]", "[0,4]") + "," + f32("a", "[1]", "[4,8]") + "}",
                "the name 'a' twice", 8},
        Hostile{"NoFields", R"({"a":{"dtype":"F32"}})", "is not {dtype", 0},
        Hostile{"UnknownType", R"({"a":{"dtype":"F31","shape":[],"data_offsets":[0,4]}})",
                "unknown dtype \"F31\"", 4},
        Hostile{"DeepType", R"({"a":{"dtype":[[[["F32"]]]],"shape":[],"data_offsets":[0,4]}})",
                "unknown dtype type array", 4},
        Hostile{
            "DeepShape",
            "{" + f32("a", std::string(200'000, '[') + std::string(200'000, ']'), "[0,4]") + "}",
            "nested too deeply", 4},
        Hostile{"PastTheEnd", "{" + f32("a", "[2]", "[0,8]") + "}", "8 bytes of data, 4 are there",
                4},
        Hostile{"BytesLeftOver", "{" + f32("a", "[1]", "[0,4]") + "}", "4 bytes of data, 5", 5},
        Hostile{"Overlap", "{" + f32("a", "[1]", "[0,4]") + "," + f32("b", "[1]", "[0,4]") + "}",
                "overlaps or leaves a gap", 4},
        Hostile{"Gap", "{" + f32("a", "[1]", "[4,8]") + "}", "overlaps or leaves a gap", 8},
        Hostile{"Backwards", "{" + f32("a", "[1]", "[4,0]") + "}", "offsets of 'a' do not fit", 4},
        Hostile{"WrongLength", "{" + f32("a", "[2]", "[0,4]") + "}", "offsets of 'a' do not fit",
                4},
        Hostile{"Negative", "{" + f32("a", "[-1]", "[0,4]") + "}", "size or offset of -1", 4},
        Hostile{"Fraction", "{" + f32("a", "[1.5]", "[0,4]") + "}", "size or offset of 1.5", 4},
        Hostile{"TooLong", "{" + f32("a", "[18446744073709551615]", "[0,4]") + "}",
                "size or offset of 18446744073709551615", 4},
        Hostile{"Overflow", "{" + f32("a", "[4611686018427387905,1]", "[0,4]") + "}", "overflows",
                4},
        Hostile{"OverflowOfNothing", "{" + f32("a", "[0,4611686018427387904]", "[0,0]") + "}",
                "overflows", 0}),
    [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace scalemark::workloads
