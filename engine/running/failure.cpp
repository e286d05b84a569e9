#include "engine/running/failure.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>
#include <string_view>

namespace scalemark::running {
namespace {

// c10's what() goes on with a C++ stack trace; the first line says what happened.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
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

ErrorRecord gpu_fault(std::string what) {
  return {.code = "E_GPU_FAULT",
          .exit_code = ExitCode::kGpuFault,
          .domain = ErrorDomain::kHardware,
          .what = std::move(what),
          .hint = "look for Xid messages in the kernel log (dmesg) and run `scalemark doctor`"};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// torch's CPU allocator throws a plain c10::Error: only its text tells.
bool is_cpu_allocation_failure(std::string_view text) {
  return contains(text, "DefaultCPUAllocator") || contains(text, "can't allocate memory");
}

bool is_cuda_failure(std::string_view text) {
  return contains(text, "CUDA error") || contains(text, "CUDNN_STATUS") ||
         contains(text, "CUBLAS_STATUS");
}

}  // namespace

ErrorRecord record_of(const std::exception_ptr& exception, distributed::FaultBoard* board) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    return error.record();
  } catch (const std::bad_alloc&) {
    return out_of_memory("the host has no memory left");
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(first_line(error.what_without_backtrace()));
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    if (is_cpu_allocation_failure(text)) return out_of_memory(first_line(text));
    if (board != nullptr && distributed::is_collective_failure(error)) {
      return distributed::translate_collective_error(exception, *board).record();
    }
    if (is_cuda_failure(text)) return gpu_fault(first_line(text));
    return bug(first_line(text)).record();
  } catch (const std::exception& error) {
    if (board != nullptr && distributed::is_collective_failure(error)) {
      return distributed::translate_collective_error(exception, *board).record();
    }
    return bug(first_line(error.what())).record();
  } catch (...) {
    return bug("an exception of an unknown type").record();
  }
}

}  // namespace scalemark::running
