// Bytes that one process of a machine has made and the others read in place, without a file that
// could be left behind. Knows nothing of what they mean.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"

namespace scalemark::process {

struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps them alive

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

SharedBytes held(std::string text);
SharedBytes held(std::vector<std::byte> bytes);

// A copy in anonymous memory that nobody can change any more. Other processes of this user on this
// machine may take it while this object lives; what they have taken stays theirs.
class OfferedBytes {
 public:
  // Empty when the system has no such memory, or not enough of it.
  static std::optional<OfferedBytes> of(std::span<const std::byte> bytes);

  const std::string& ticket() const { return ticket_; }

 private:
  OfferedBytes(Descriptor memory, std::string ticket);

  Descriptor memory_;
  std::string ticket_;
};

// Empty when the ticket's bytes cannot be reached from here (another machine, another container),
// or are not those that were offered.
std::optional<SharedBytes> take_offered(const std::string& ticket);

}  // namespace scalemark::process
