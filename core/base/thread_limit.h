// A process that gets no further thread or process: which limits are in force, and its error. Knows
// nothing of who asked for the thread.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>

#include "core/base/error.h"

namespace scalemark {

// Whether `error` is that of a std::thread that could not be started.
bool is_thread_shortage(const std::exception& error);

// E_SYSTEM (71), naming `ulimit -u`, pids.max of the cgroup and what else is limited here.
Error thread_shortage();

// The limits under which no 256 processes fit, for errors of programs that do not say why they
// failed: "`ulimit -u` is 6"; empty: there are none.
std::string small_thread_limits();

// Ends the process, whoever asked for the thread; returns where the process is ending already. The
// program calls the one that is set (apps/scalemark/intercepted_calls.h), a rank sets its own.
using OnThreadShortage = std::function<void(const ErrorRecord&)>;
using ThreadShortageHook = std::atomic<const OnThreadShortage*>;

}  // namespace scalemark
