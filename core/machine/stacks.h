// Tells what the threads of a process do: the stacks of this one's, which each thread takes itself
// at a signal, and the state of any process by /proc. Knows nothing of ranks.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace scalemark::monitoring {

struct ProcessStanding {
  ProcessState state = ProcessState::kUnknown;
  // The kernel's function in which a thread sleeps and takes no signal ("nfs_wait_bit_killable").
  std::string asleep_in;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<ProcessStanding>& p) {
  a.values(p.state, p.asleep_in);
}

// Looks twice, 50 ms apart, where a thread seems to be asleep in the kernel, since each thread is
// so for a moment now and then.
ProcessStanding standing_of(int pid, const std::filesystem::path& proc = "/proc");

struct Frame {
  std::string function;  // demangled; empty: it has no name that a library exports
  std::string place;     // library and offset in it: "libtorch_cpu.so+0x1a2b"
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Frame>& f) {
  a.values(f.function, f.place);
}

struct ThreadStack {
  int id = 0;
  std::string name;
  bool answered = false;      // a thread that blocks the signal, or sleeps in the kernel, does not
  ProcessStanding standing;   // set for one that did not answer
  std::vector<Frame> frames;  // the innermost first
};
template <class A>
constexpr void fields(A& a, typename A::template Field<ThreadStack>& t) {
  a.values(t.id, t.name, t.answered, t.standing, t.frames);
}

struct Stacks {
  std::string untaken;                           // why there are none; empty: they were taken
  std::vector<ThreadStack> threads;              // the main thread first, then by id
  int left_out = 0;                              // threads that did not fit
  std::map<std::string, std::string> build_ids;  // by library, all in `frames`
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Stacks>& s) {
  a.values(s.untaken, s.threads, s.left_out, s.build_ids);
}

// Makes this process ready: call it before its second thread starts, since new threads must not
// inherit a mask that blocks the signal.
void prepare_stacks();

// Takes the stacks of all threads of this process, of each that answers within `limit`. No library
// call of theirs is disturbed but those that the system never resumes (signal(7)). Finding names
// may wait for the loader's lock: call it where a limit ends the wait.
Stacks take_stacks(std::chrono::milliseconds limit);

}  // namespace scalemark::monitoring
