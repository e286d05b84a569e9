// Reads small text files such as those of /proc and /sys, once or again and again, and lists their
// folders.
#pragma once

#include <fcntl.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/number_words.h"

namespace scalemark::monitoring {

// Empty when the file is absent or cannot be read: on another kernel that is normal.
std::optional<std::string> read_text(const std::filesystem::path& file);

// The first line, without the end of line and surrounding blanks.
std::optional<std::string> read_line(const std::filesystem::path& file);

// Returns what follows `key` in the first line of `text` that begins with it, without blanks around
// it. Absent: no line begins so.
std::optional<std::string_view> behind_key(std::string_view text, std::string_view key);

// The number that the file begins with.
template <class Number>
std::optional<Number> number_in(const std::filesystem::path& file) {
  return leading_number<Number>(read_line(file).value_or(""));
}

// Lists the folder's entries, sorted; empty when it is absent or cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// A small file of /proc or /sys that stays open: reading it again is one system call.
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

  // The first number of the file.
  std::optional<double> number() { return leading_number<double>(text()); }

 private:
  Descriptor descriptor_;
  std::array<char, 8192> text_;
};

// The first two numbers of a file; absent where there are fewer.
std::optional<std::array<double, 2>> first_numbers(KeptFile& file);

}  // namespace scalemark::monitoring
