// The formats of images beside decode.cpp, which recognises them: a decoder for each, and RGB
// pixels as a JPEG or PNG file in memory. Knows no paths.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "data/images/decode.h"

namespace scalemark::data {

// The decoders as decode.cpp knows them: others call its open_image().

std::unique_ptr<ImageDecoder> open_jpeg(std::span<const std::uint8_t> bytes, std::string name,
                                        DecoderMemory* memory);
std::unique_ptr<ImageDecoder> open_png(std::span<const std::uint8_t> bytes, std::string name);
std::unique_ptr<ImageDecoder> open_webp(std::span<const std::uint8_t> bytes, std::string name);
std::unique_ptr<ImageDecoder> open_bmp(std::span<const std::uint8_t> bytes, std::string name);
// For bytes of which is_netpbm() is true.
std::unique_ptr<ImageDecoder> open_netpbm(std::span<const std::uint8_t> bytes, std::string name);
bool is_netpbm(std::span<const std::uint8_t> bytes);

// E_BAD_SAMPLE, 65. Without a hint: how to leave such files out.
Error bad_sample(const std::string& name, const std::string& reason, const std::string& hint = "");

void refuse_odd_size(const std::string& name, std::int64_t width, std::int64_t height);

// Baseline, 4:2:0; the same bytes on every machine with the same libjpeg-turbo.
std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality);

std::vector<std::uint8_t> encode_png(const Pixels& pixels);

}  // namespace scalemark::data
