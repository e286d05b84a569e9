#include "tests/engine/distributed/ranks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "ranks-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
  return pattern;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr const char* kTool = SCALEMARK_BINARY_DIR "/tests/torch_tool";

pid_t start(const char* command, const std::vector<std::string>& arguments, const std::string& log,
            std::optional<int> inherited_fd) {
  std::vector<char*> argv{const_cast<char*>(kTool), const_cast<char*>(command)};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (inherited_fd) fcntl(*inherited_fd, F_SETFD, 0);
    execv(kTool, argv.data());
    _exit(127);
  }
  close(output);
  return pid;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Ranks::Ranks(const std::vector<std::vector<std::string>>& arguments,
             std::optional<int> inherited_fd, const char* command)
    : folder_(new_folder()), start_(steady_clock::now()) {
  for (std::size_t rank = 0; rank < arguments.size(); ++rank) {
    Child child;
    child.log = folder_ + "/rank" + std::to_string(rank);
    child.pid = start(command, arguments[rank], child.log, inherited_fd);
    children_.push_back(child);
  }
}

Ranks::~Ranks() {
  for (const Child& child : children_) {
    if (child.ended) continue;
    kill(child.pid, SIGKILL);
    waitpid(child.pid, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Ranks::signal(int rank, int number) const {
  kill(children_.at(static_cast<std::size_t>(rank)).pid, number);
}

bool Ranks::wait_for_text(int rank, const std::string& text, milliseconds limit) const {
  const auto end = steady_clock::now() + limit;
  const std::string& log = children_.at(static_cast<std::size_t>(rank)).log;
  while (read_file(log).find(text) == std::string::npos) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return true;
}

std::vector<Ended> Ranks::wait(milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  std::size_t running = 0;
  for (const Child& child : children_) running += !child.ended;
  while (running > 0 && steady_clock::now() < end) {
    for (Child& child : children_) {
      int status = 0;
      if (child.ended || waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
      child.ended = Ended{exit_code_of(status), read_file(child.log),
                          std::chrono::duration<double>(steady_clock::now() - start_).count()};
      --running;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  std::vector<Ended> all;
  for (Child& child : children_) {
    all.push_back(child.ended.value_or(Ended{.output = read_file(child.log)}));
  }
  return all;
}

std::vector<std::vector<std::string>> scenario(const std::string& name, int world_size,
                                               const std::string& rendezvous,
                                               const std::vector<std::string>& more) {
  std::vector<std::vector<std::string>> all;
  for (int rank = 0; rank < world_size; ++rank) {
    all.push_back({name, std::to_string(rank), std::to_string(world_size), rendezvous});
    all.back().insert(all.back().end(), more.begin(), more.end());
  }
  return all;
}

namespace {

// Nothing if the port is taken; 0 is any port of those that the kernel gives away.
std::optional<Listener> listen_at(std::uint16_t port) {
  Listener listener;
  listener.descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t length = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener.descriptor, raw, length) != 0 || listen(listener.descriptor, 16) != 0 ||
      getsockname(listener.descriptor, raw, &length) != 0) {
    close(listener.descriptor);
    return std::nullopt;
  }
  listener.address = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  return listener;
}

}  // namespace

Listener listen_anywhere() {
  if (auto listener = listen_at(0)) return *listener;
  throw std::runtime_error("cannot listen on 127.0.0.1");
}

// Below those that the kernel gives to connections (from 32768 on): a busy machine takes seconds to
// start who listens there, in which other tests connect.
std::string free_address() {
  std::random_device luck;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto listener = listen_at(static_cast<std::uint16_t>(10'000 + luck() % 19'000));
    if (!listener) continue;
    close(listener->descriptor);
    return listener->address;
  }
  throw std::runtime_error("no free port on 127.0.0.1");
}

std::string fresh_file_place() { return "file:" + new_folder() + "/store"; }

}  // namespace scalemark::testing
