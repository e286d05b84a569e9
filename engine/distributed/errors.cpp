#include "engine/distributed/errors.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <string_view>
#include <utility>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "engine/distributed/clock.h"

namespace scalemark::distributed {

Error rendezvous_error(std::string what, std::string expected, std::string hint) {
  return make_error("E_RENDEZVOUS", ExitCode::kPeerLost, ErrorDomain::kLaunch, std::move(what),
                    std::move(expected), std::move(hint));
}

// The peers of a rank that did not run for so long have ended without it.
Error peer_lost(std::string what, std::string expected, std::string hint) {
  constexpr std::chrono::seconds kNoticed{8};
  if (const auto stop = longest_stop(); stop >= kNoticed) {
    what += "; this process itself had been stopped for " + in_seconds(stop);
    hint = "look why it was stopped (SIGSTOP, scontrol suspend): the others did not wait for it";
  }
  return make_error(std::string(kPeerLostCode), ExitCode::kPeerLost, ErrorDomain::kNetwork,
                    std::move(what), std::move(expected), std::move(hint));
}

Error ranks_disagree(std::string what, std::string expected, std::string hint) {
  return make_error("E_RANKS_DISAGREE", ExitCode::kRanksDisagree, ErrorDomain::kLaunch,
                    std::move(what), std::move(expected), std::move(hint));
}

std::string in_seconds(std::chrono::milliseconds duration) {
  return seconds_text(static_cast<double>(duration.count()) / 1e3);
}

std::string name_ranks(const std::vector<int>& ranks, const std::string& noun) {
  constexpr std::size_t kMostNamed = 16;
  std::vector<std::vector<int>> parts;
  for (const auto& run : runs_of(ranks, kNextNumber)) {
    parts.emplace_back(run.begin(), run.end());
    if (run.size() != 2) continue;
    parts.back().pop_back();  // "1 and 2" is no longer than "1-2"
    parts.push_back({run.back()});
  }
  std::string text = noun + (ranks.size() == 1 ? " " : "s ");
  std::size_t left = ranks.size();
  for (std::size_t i = 0; left > 0; ++i) {
    const bool is_rest = i == kMostNamed && left > 1;
    const auto part = is_rest ? std::to_string(left) + " more" : number_ranges(parts[i]);
    left -= is_rest ? left : parts[i].size();
    text += (i == 0 ? "" : left == 0 ? " and " : ", ") + part;
  }
  return text;
}

namespace {

// Removes the run's secret (32 or 64 hexadecimal digits), which each key contains, as c10d's
// messages quote keys.
std::string without_secrets(const std::string& text) {
  constexpr std::size_t kShortest = 32;
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end - at >= kShortest) {
      safe += "...";
    } else {
      end = std::max(end, at + 1);
      safe += text.substr(at, end - at);
    }
    at = end;
  }
  return safe;
}

// Drops the stack trace behind c10's message, whose symbols could match any of the texts below.
std::string text_of(const std::exception& exception) {
  const auto* error = dynamic_cast<const c10::Error*>(&exception);
  const std::string text = error != nullptr ? error->what_without_backtrace() : exception.what();
  return without_secrets(text.substr(0, text.find("Exception raised from ")));
}

bool is_out_of_memory(std::string_view text) {
  return has_any(lower_case(text), {"out of memory", "defaultcpuallocator", "can't allocate memory",
                                    "cannot allocate memory", "status_alloc_failed",
                                    "allocation_failed", "cudaerrormemoryallocation"});
}

bool is_gpu_fault(std::string_view text) {
  return has_any(text, {"CUDA error", "CUDNN_STATUS", "CUBLAS_STATUS"});
}

bool is_peer_loss(std::string_view line) {
  return has_any(line, {"gloo", "Connection closed by peer", "Connection reset by peer",
                        "Broken pipe", "Connection refused", "Socket closed", "NCCL",
                        "Timed out waiting", "Connection was likely closed"});
}

ErrorRecord out_of_memory(std::string what) {
  return {
      .code = "E_OUT_OF_MEMORY",
      .exit_code = ExitCode::kOutOfMemory,
      .domain = ErrorDomain::kHardware,
      .what = std::move(what),
      .expected = "the point must fit into the device's memory",
      .hint =
          "lower --batch-size (and raise --gradient-accumulation-steps to keep the global batch)"};
}

// Takes the last line, in which NCCL says what happened.
std::string memory_text(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception)) return "the host is out of memory";
  const std::string text = text_of(exception), first = one_line(exception);
  if (is_out_of_memory(first)) return first;
  for (std::size_t at = first.size(); at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at + 1), text.size());
    const std::string line = text.substr(at + 1, end - at - 1);
    if (is_out_of_memory(line)) return line + " (" + first + ")";
    at = end;
  }
  return first;
}

ErrorRecord gpu_fault(std::string what) {
  return {.code = "E_GPU_FAULT",
          .exit_code = ExitCode::kGpuFault,
          .domain = ErrorDomain::kHardware,
          .what = std::move(what),
          .hint = "look for Xid messages in the kernel log (dmesg) and run `scalemark doctor`"};
}

}  // namespace

Meaning meaning_of(const std::exception& exception) {
  if (dynamic_cast<const Error*>(&exception)) return Meaning::kOther;
  const bool by_type = dynamic_cast<const std::bad_alloc*>(&exception) ||
                       dynamic_cast<const c10::OutOfMemoryError*>(&exception);
  const std::string text = text_of(exception);
  if (by_type || is_out_of_memory(text)) return Meaning::kOutOfMemory;
  if (is_gpu_fault(text)) return Meaning::kGpuFault;
  const bool is_distributed = dynamic_cast<const c10::DistError*>(&exception);
  if (is_distributed || is_peer_loss(one_line(exception))) return Meaning::kPeerLost;
  return Meaning::kOther;
}

ErrorRecord record_of(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return error->record();
  switch (meaning_of(exception)) {
    case Meaning::kOutOfMemory:
      return out_of_memory(memory_text(exception));
    case Meaning::kGpuFault:
      return gpu_fault(one_line(exception));
    case Meaning::kPeerLost:
      return peer_lost("a peer rank was lost (" + one_line(exception) + ")").record();
    case Meaning::kOther:
      break;
  }
  if (const auto* of_path = dynamic_cast<const std::filesystem::filesystem_error*>(&exception)) {
    return unreadable_path(*of_path).record();
  }
  if (is_thread_shortage(exception)) return thread_shortage().record();
  return bug(one_line(exception)).record();
}

std::string one_line(const std::exception& exception) {
  const std::string text = text_of(exception);
  return text.substr(0, text.find('\n'));
}

}  // namespace scalemark::distributed
