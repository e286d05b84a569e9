// A small file of /proc or /sys that stays open: reading it again is one system call.
#pragma once

#include <fcntl.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/base/number_words.h"

namespace scalemark::monitoring {

class KeptFile {
 public:
  explicit KeptFile(const std::filesystem::path& file)
      : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

  bool is_open() const { return descriptor_.open(); }

  // Returns what the file holds now, up to 8 KiB; empty when it cannot be read. Valid until the
  // next call.
  std::string_view text() {
    const ssize_t size = ::pread(descriptor_.get(), text_.data(), text_.size(), 0);
    return {text_.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }

  // Its first number.
  std::optional<double> number() { return leading_number<double>(text()); }

 private:
  Descriptor descriptor_;
  std::array<char, 8192> text_;
};

}  // namespace scalemark::monitoring
