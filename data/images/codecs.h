// Decoders for each image format that decode.cpp recognises, and encoders of RGB pixels as JPEG or
// PNG files in memory. Knows no paths.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "data/images/decode.h"

namespace scalemark::data {

// --- The decoders, for decode.cpp only; others call its open_image().

std::unique_ptr<ImageDecoder> open_jpeg(std::span<const std::uint8_t> bytes, std::string name,
                                        DecoderMemory* memory);
std::unique_ptr<ImageDecoder> open_png(std::span<const std::uint8_t> bytes, std::string name);
std::unique_ptr<ImageDecoder> open_webp(std::span<const std::uint8_t> bytes, std::string name);
std::unique_ptr<ImageDecoder> open_bmp(std::span<const std::uint8_t> bytes, std::string name);
// `bytes` must satisfy is_netpbm().
std::unique_ptr<ImageDecoder> open_netpbm(std::span<const std::uint8_t> bytes, std::string name);
bool is_netpbm(std::span<const std::uint8_t> bytes);

// E_BAD_SAMPLE, 65. The default hint says how to leave such files out.
Error bad_sample(const std::string& name, const std::string& reason, const std::string& hint = "");

void refuse_odd_size(const std::string& name, std::int64_t width, std::int64_t height);

// Encodes as baseline JPEG, 4:2:0; the bytes are the same on every machine with the same
// libjpeg-turbo.
std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality);

std::vector<std::uint8_t> encode_png(const Pixels& pixels);

}  // namespace scalemark::data
