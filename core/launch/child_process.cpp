#include "core/launch/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/threads.h"

namespace scalemark::launching {
namespace {

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw system_error(std::string("cannot open a pipe: ") + std::strerror(errno), {},
                       "raise `ulimit -n`");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (auto& text : strings) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// All that the child needs between fork and exec, made before: it must not allocate there.
struct Prepared {
  const char* program;
  char** arguments;
  char** environment;
  int inherited_fd;  // -1: none
  int out, err, failure;
  pid_t parent;
};

void default_signals() {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (!stays_ignored(signal)) sigaction(signal, &by_default, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Prepared& prepared) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != prepared.parent) _exit(127);  // the parent ended before prctl
  default_signals();
  const int null = open("/dev/null", O_RDONLY);
  bool ready = null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
               dup2(prepared.out, STDOUT_FILENO) >= 0 && dup2(prepared.err, STDERR_FILENO) >= 0;
  if (null > STDERR_FILENO) close(null);
  if (prepared.inherited_fd >= 0) ready = ready && fcntl(prepared.inherited_fd, F_SETFD, 0) == 0;
  if (ready) execve(prepared.program, prepared.arguments, prepared.environment);
  const int reason = errno;
  [[maybe_unused]] const auto written = write(prepared.failure, &reason, sizeof reason);
  _exit(127);
}

Error cannot(const std::string& what, int reason) {
  return system_error("cannot " + what + ": " + std::strerror(reason));
}

// The pipe closes when exec succeeds; otherwise errno arrives first.
void throw_if_not_started(const ChildSpec& spec, const Pipe& failure, pid_t pid) {
  int reason = 0;
  ssize_t got = 0;
  do {
    got = read(failure.read.get(), &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof reason) return;
  waitpid(pid, nullptr, 0);
  throw reason == EAGAIN ? thread_shortage() : cannot("start " + spec.program, reason);
}

}  // namespace

OutputPipes make_output_pipes() {
  Pipe out = make_pipe(), err = make_pipe();
  fcntl(out.read.get(), F_SETFL, O_NONBLOCK);
  fcntl(err.read.get(), F_SETFL, O_NONBLOCK);
  return {std::move(out.read), std::move(err.read), std::move(out.write), std::move(err.write)};
}

ChildProcess start_child(const ChildSpec& spec) {
  auto arguments = spec.arguments;
  std::vector<std::string> environment;
  for (const auto& [name, value] : spec.environment) environment.push_back(name + "=" + value);
  auto argument_list = pointers(arguments);
  auto environment_list = pointers(environment);
  OutputPipes pipes = make_output_pipes();
  Pipe failure = make_pipe();
  const Prepared prepared{spec.program.c_str(),     argument_list.data(),
                          environment_list.data(),  spec.inherited_fd.value_or(-1),
                          pipes.out_of_child.get(), pipes.err_of_child.get(),
                          failure.write.get(),      getpid()};
  const pid_t pid = fork();
  if (pid < 0) throw errno == EAGAIN ? thread_shortage() : cannot("fork", errno);
  if (pid == 0) become(prepared);
  setpgid(pid, pid);  // here too: either process may run first
  failure.write.reset();
  throw_if_not_started(spec, failure, pid);
  return {pid, std::move(pipes.out), std::move(pipes.err)};
}

namespace {

constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kLastLines = 5;
constexpr std::size_t kLongestLastLine = 400;

}  // namespace

std::string LineRelay::feed(std::string_view bytes) {
  std::string out;
  if (mode_ == Mode::kRaw) out = bytes;
  pending_ += bytes;
  std::size_t start = 0;
  while (start < pending_.size()) {
    auto end = pending_.find('\n', start);
    if (end == std::string::npos && pending_.size() - start < kLongestLine) break;
    const bool cut = end == std::string::npos || end - start > kLongestLine;
    if (cut) end = start + kLongestLine;
    const auto line = std::string_view(pending_).substr(start, end - start);
    remember(line);
    if (mode_ == Mode::kLines) out.append(prefix_).append(line).append("\n");
    start = cut ? end : end + 1;
  }
  pending_.erase(0, start);
  return out;
}

std::string LineRelay::finish() {
  if (pending_.empty()) return {};
  remember(pending_);
  const std::string rest = mode_ == Mode::kLines ? prefix_ + pending_ + "\n" : "";
  pending_.clear();
  return rest;
}

void LineRelay::remember(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (const auto redraw = line.rfind('\r'); redraw != std::string_view::npos) {
    line.remove_prefix(redraw + 1);
  }
  if (line.empty()) return;
  last_lines_.emplace_back(line.substr(0, kLongestLastLine));
  if (last_lines_.size() > kLastLines) last_lines_.pop_front();
}

void Sink::add_raw(std::string_view bytes) {
  if (closed_ || bytes.empty()) return;
  pending_ += bytes;
  mid_line_ = bytes.back() != '\n';
}

void Sink::add_lines(std::string_view lines) {
  if (closed_ || lines.empty()) return;
  if (mid_line_) pending_ += terminal_ ? "\r\x1b[K" : "\n";
  if (!terminal_) return add_raw(lines);
  add_raw(folded(std::string(lines), terminal_of(fd_)));
}

void Sink::write_some() {
  // A writable pipe takes PIPE_BUF bytes without blocking, even in blocking mode.
  const auto count = std::min<std::size_t>(pending_.size(), PIPE_BUF);
  const auto written = write(fd_, pending_.data(), count);
  if (written > 0) {
    pending_.erase(0, static_cast<std::size_t>(written));
  } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
    failure_ = errno == EPIPE ? 0 : errno;  // a reader that has gone has what it wanted
    closed_ = true;
    pending_.clear();
  }
}

}  // namespace scalemark::launching
