#include "core/machine/stacks.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "core/base/digest.h"
#include "core/base/elf_notes.h"
#include "core/base/number_words.h"
#include "core/base/threads.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

ProcessState state_in(const fs::path& stat) {
  const auto text = read_text(stat);
  if (!text) return ProcessState::kGone;
  const std::size_t name_end = text->rfind(')');
  if (name_end == text->npos || name_end + 2 >= text->size()) return ProcessState::kUnknown;
  switch ((*text)[name_end + 2]) {
    case 'R':
      return ProcessState::kRuns;
    case 'S':
    case 'I':
      return ProcessState::kSleeps;
    case 'D':
      return ProcessState::kInKernel;
    case 'T':
    case 't':
      return ProcessState::kStopped;
    case 'Z':
    case 'X':
    case 'x':
      return ProcessState::kGone;
    default:
      return ProcessState::kUnknown;
  }
}

// Looks at the task's state, and where in the kernel it sleeps. The kernel shows no function ("0")
// to a process that may not look into that one.
ProcessStanding standing_in(const fs::path& task) {
  ProcessStanding standing{.state = state_in(task / "stat"), .asleep_in = {}};
  if (standing.state != ProcessState::kInKernel) return standing;
  standing.asleep_in = read_line(task / "wchan").value_or("");
  if (standing.asleep_in == "0") standing.asleep_in.clear();
  return standing;
}

constexpr std::size_t kMostThreads = 256, kMostFrames = 64;

// A request to one thread: it may write into the slot only while the ticket says so, so that one
// that answers late does not disturb the next request.
enum Phase : std::uint32_t { kSlotFree, kAsked, kWriting, kDone };
struct Slot {
  std::atomic<std::uint32_t> ticket{kSlotFree};
  int count = 0;
  std::array<void*, kMostFrames> frames{};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
constexpr std::uint32_t ticket_of(std::uint32_t request, Phase phase) {
  return request << 2 | phase;
}

// A signal handler may only use static objects. It is never freed: a thread may answer late.
std::atomic<Slot*> all_slots{nullptr};

// Allocates nothing and takes no lock: backtrace() was called before.
void take_own_stack(int, siginfo_t* info, void*) {
  const int error = errno;
  Slot* const slots = all_slots.load(std::memory_order_acquire);
  if (slots != nullptr && info->si_code == SI_QUEUE && info->si_pid == ::getpid()) {
    const auto request = static_cast<std::uint32_t>(info->si_value.sival_int);
    Slot& slot = slots[request % kMostThreads];
    std::uint32_t asked = ticket_of(request, kAsked);
    if (slot.ticket.compare_exchange_strong(asked, ticket_of(request, kWriting))) {
      slot.count = ::backtrace(slot.frames.data(), static_cast<int>(slot.frames.size()));
      slot.ticket.store(ticket_of(request, kDone), std::memory_order_release);
    }
  }
  errno = error;
}

bool ask_thread(int thread, std::uint32_t request) {
  siginfo_t info{};
  info.si_signo = stack_signal();
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = static_cast<int>(request);
  return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread, stack_signal(), &info) == 0;
}

// From 2.35 on the unwinder finds its tables without the loader's lock.
bool unwinds_without_lock() {
  constexpr int kMajor = 2, kMinor = 35;
  const std::string version = ::gnu_get_libc_version();
  const int major = std::atoi(version.c_str());
  const std::size_t dot = version.find('.');
  const int minor = dot == version.npos ? 0 : std::atoi(version.c_str() + dot + 1);
  return major > kMajor || (major == kMajor && minor >= kMinor);
}

// Whether the loader's lock can be had now. The thread that asks is left behind where it cannot.
bool loader_is_free() {
  constexpr std::chrono::milliseconds kLimit{200};
  auto done = std::make_shared<std::promise<void>>();
  auto free = done->get_future();
  std::thread([done] {
    ::dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return 1; }, nullptr);
    done->set_value();
  }).detach();
  return free.wait_for(kLimit) == std::future_status::ready;
}

std::vector<int> thread_ids() {
  std::vector<int> ids;
  for (const fs::path& task : entries_of("/proc/self/task")) {
    if (const auto id = leading_number<int>(task.filename().string())) ids.push_back(*id);
  }
  std::ranges::sort(ids);  // the main thread has the number of the process, the smallest
  const auto main = std::ranges::find(ids, ::getpid());
  if (main != ids.end()) std::rotate(ids.begin(), main, main + 1);
  return ids;
}

std::string base_name(const char* path) { return fs::path(path).filename().string(); }

// Names of templates of templates fill pages, and their ends tell least: they are cut off.
std::string demangled(const char* symbol) {
  constexpr std::size_t kMost = 140;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> found(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  std::string name = status == 0 && found ? found.get() : symbol;
  if (name.size() > kMost) name.replace(kMost - 3, name.npos, "...");
  return name;
}

Frame frame_at(void* address, bool innermost) {
  // All others are where a call returns to, which may be the begin of the next function.
  const auto at = reinterpret_cast<std::uintptr_t>(address) - (innermost ? 0 : 1);
  Dl_info found{};
  Frame frame;
  std::uintptr_t offset = at;
  if (::dladdr(reinterpret_cast<void*>(at), &found) != 0 && found.dli_fname != nullptr) {
    offset -= reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    frame.place = base_name(found.dli_fname);
    if (found.dli_sname != nullptr) frame.function = demangled(found.dli_sname);
  }
  std::array<char, 24> digits{};
  std::snprintf(digits.data(), digits.size(), "+0x%zx", static_cast<std::size_t>(offset));
  frame.place += digits.data();
  return frame;
}

struct IdsOf {
  const std::set<std::string>& libraries;
  std::map<std::string, std::string> ids;
};

int note_build_id(dl_phdr_info* library, std::size_t, void* to) {
  auto& found = *static_cast<IdsOf*>(to);
  const bool is_program = library->dlpi_name == nullptr || *library->dlpi_name == '\0';
  std::error_code unknown;
  const std::string name = is_program
                               ? fs::read_symlink("/proc/self/exe", unknown).filename().string()
                               : base_name(library->dlpi_name);
  if (!found.libraries.contains(name)) return 0;
  for (const ElfW(Phdr) & segment : std::span(library->dlpi_phdr, library->dlpi_phnum)) {
    if (segment.p_type != PT_NOTE) continue;
    const auto* begin = reinterpret_cast<const std::byte*>(library->dlpi_addr + segment.p_vaddr);
    const auto id = note_in({begin, segment.p_memsz}, {.owner = "GNU", .type = NT_GNU_BUILD_ID});
    if (id) found.ids[name] = hexadecimal(std::as_bytes(std::span(*id)));
  }
  return 0;
}

std::map<std::string, std::string> build_ids_of(const std::vector<ThreadStack>& threads) {
  std::set<std::string> libraries;
  for (const ThreadStack& thread : threads) {
    for (const Frame& frame : thread.frames)
      libraries.insert(frame.place.substr(0, frame.place.rfind('+')));
  }
  IdsOf found{.libraries = libraries, .ids = {}};
  ::dl_iterate_phdr(note_build_id, &found);
  return std::move(found.ids);
}

// A thread that was asked for its stack.
struct Asked {
  int id = 0;
  std::uint32_t request = 0;
  bool is_pending = false;
};

bool is_done(const Asked& one, const Slot* slots) {
  return slots[one.request % kMostThreads].ticket.load(std::memory_order_acquire) ==
         ticket_of(one.request, kDone);
}

// Reads the slots of those that answered, and the state of the others.
std::vector<ThreadStack> answers_in(Slot* slots, const std::vector<Asked>& asked) {
  std::vector<ThreadStack> threads;
  std::map<std::pair<void*, bool>, Frame> names;  // threads share most of their frames
  for (const Asked& one : asked) {
    const fs::path task = fs::path("/proc/self/task") / std::to_string(one.id);
    ThreadStack thread{.id = one.id,
                       .name = read_line(task / "comm").value_or(""),
                       .answered = one.is_pending && is_done(one, slots),
                       .standing = {},
                       .frames = {}};
    Slot& slot = slots[one.request % kMostThreads];
    if (thread.answered) {
      // The first two are the handler and the frame through which the system called it.
      for (int i = 2; i < slot.count; ++i) {
        void* const address = slot.frames[static_cast<std::size_t>(i)];
        const auto [name, is_new] = names.try_emplace({address, i == 2});
        if (is_new) name->second = frame_at(address, i == 2);
        thread.frames.push_back(name->second);
      }
    } else {
      // A thread that answers from now on writes nothing.
      std::uint32_t ticket = ticket_of(one.request, kAsked);
      slot.ticket.compare_exchange_strong(ticket, kSlotFree);
      thread.standing = standing_in(task);
      if (thread.standing.state == ProcessState::kGone) continue;
    }
    threads.push_back(std::move(thread));
  }
  return threads;
}

}  // namespace

ProcessStanding standing_of(int pid, const fs::path& proc) {
  constexpr std::chrono::milliseconds kBetween{50};
  const fs::path process = proc / std::to_string(pid);
  const ProcessState state = state_in(process / "stat");
  if (state == ProcessState::kStopped || state == ProcessState::kGone) return {state, {}};
  std::vector<fs::path> asleep;
  for (const fs::path& task : entries_of(process / "task")) {
    if (state_in(task / "stat") == ProcessState::kInKernel) asleep.push_back(task);
  }
  if (asleep.empty()) return {state, {}};
  std::this_thread::sleep_for(kBetween);
  for (const fs::path& task : asleep) {
    auto standing = standing_in(task);
    if (standing.state == ProcessState::kInKernel) return standing;
  }
  return {state == ProcessState::kInKernel ? ProcessState::kSleeps : state, {}};
}

void prepare_stacks() {
  if (all_slots.load() == nullptr) all_slots.store(new Slot[kMostThreads]);
  std::array<void*, 2> frames{};
  ::backtrace(frames.data(), static_cast<int>(frames.size()));  // it loads libgcc_s the first time
  struct sigaction action {};
  action.sa_sigaction = take_own_stack;
  action.sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(stack_signal(), &action, nullptr);
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, stack_signal());
  ::pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);
}

Stacks take_stacks(std::chrono::milliseconds limit) {
  static std::mutex one_at_a_time;
  static std::uint32_t requests = 0;
  const std::lock_guard lock(one_at_a_time);
  Stacks stacks;
  Slot* const slots = all_slots.load();
  if (slots == nullptr) {
    stacks.untaken = "this process was not made ready for it";
    return stacks;
  }
  if (!unwinds_without_lock() && !loader_is_free()) {
    stacks.untaken = "a thread may hold the loader's lock, and glibc is older than 2.35";
    return stacks;
  }
  const std::vector<int> ids = thread_ids();
  std::vector<Asked> asked;
  constexpr std::uint32_t kMostRequests = 1u << 29;  // a request and its phase fit into a ticket
  for (const int id : ids) {
    if (asked.size() == kMostThreads) break;
    requests = (requests + 1) % kMostRequests;
    Slot& slot = slots[requests % kMostThreads];
    const bool is_free = (slot.ticket.load(std::memory_order_acquire) & 3) != kWriting;
    if (is_free) slot.ticket.store(ticket_of(requests, kAsked), std::memory_order_release);
    asked.push_back({id, requests, is_free && ask_thread(id, requests)});
  }
  stacks.left_out = static_cast<int>(ids.size() - asked.size());
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::ranges::any_of(asked,
                             [&](const Asked& a) { return a.is_pending && !is_done(a, slots); }) &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));

  stacks.threads = answers_in(slots, asked);
  stacks.build_ids = build_ids_of(stacks.threads);
  return stacks;
}

}  // namespace scalemark::monitoring
