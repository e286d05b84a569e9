// The reason why a rank ended, written where the launcher looks for it: ours as one JSON object,
// torchrun's in the form that it prints. A rank that a signal killed cannot write one: its launcher
// does, for the ranks beside it. Knows nothing of how the ranks were started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace scalemark::launching {

struct RankError {
  ErrorRecord record;
  std::int64_t monotonic_ns = 0;  // when it was seen; comparable between processes of one host
};

// The first error of a rank is the cause, so an existing file is kept. Complete or absent, never
// half written. Throws Error (74).
void write_error_file(const std::filesystem::path& path, const ErrorRecord& record);

// A rank leaves this mark beside its error file before it ends with 1 or 2: without it, something
// else than our code ended the process. Best effort.
void write_verdict_mark(const std::filesystem::path& error_file) noexcept;
bool has_verdict_mark(const std::filesystem::path& error_file) noexcept;

// Absent when the file is missing or is no error file.
std::optional<RankError> read_error_file(const std::filesystem::path& path);

inline constexpr std::string_view kRankKilled = "E_RANK_KILLED";

// Returns the earliest error of another rank of this node that can be a cause, so never
// E_PEER_LOST: what the rank wrote before it ended, or what the launcher wrote when a signal had
// killed it. `own_file` is this rank's error file, beside which the others lie.
std::optional<ErrorRecord> cause_beside(const std::filesystem::path& own_file) noexcept;

// For TORCHELASTIC_ERROR_FILE: {"message": {"message", "errorCode", "extraInfo": {"py_callstack",
// "timestamp"}}}. Throws Error (74).
void write_torchelastic_error_file(const std::filesystem::path& path, const ErrorRecord& record);

std::int64_t monotonic_now_ns();

}  // namespace scalemark::launching
