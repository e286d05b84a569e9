#include "apps/scalemark/commands.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/terminal.h"

namespace scalemark::cli {
namespace {

const CommandRow kRows[] = {
#define SCALEMARK_COMMAND(id, name, groups, function, summary) \
  {settings::id, summary, function##_command},
#include "core/settings/command_list.inc"
#undef SCALEMARK_COMMAND
};

}  // namespace

std::span<const CommandRow> command_rows() { return kRows; }

const CommandRow& row_of(settings::Command command) {
  for (const CommandRow& row : kRows) {
    if (row.command == command) return row;
  }
  throw bug("a command without a row");
}

ExitCode print_result(const std::string& text) {
  // Names of files and texts of reports may hold bytes on which a terminal would act.
  write_to_stdout(folded(shown_text(text), terminal_of(STDOUT_FILENO)));
  return ExitCode::kPass;
}

ExitCode print_data(const std::string& text) {
  const bool is_terminal = terminal_of(STDOUT_FILENO).is_terminal;
  write_to_stdout(is_terminal ? shown_text(text) : as_utf8(text));
  return ExitCode::kPass;
}

ExitCode page_result(const std::string& given) {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const std::string text = folded(shown_text(given), terminal);
  const char* pager = std::getenv("PAGER");
  const bool fits = std::ranges::count(text, '\n') < terminal.rows;
  if (!terminal.is_terminal || pager == nullptr || *pager == '\0' || fits)
    return print_result(text);
  ::setenv("LESS", "FRX", 0);  // git sets the same: a short text ends at once and stays visible
  std::cout << std::flush;
  std::FILE* pipe = ::popen(pager, "w");
  if (pipe == nullptr) return print_result(text);
  std::fwrite(text.data(), 1, text.size(), pipe);  // a reader who quits early has seen enough
  constexpr int kNotFound = 127;
  const int status = ::pclose(pipe);
  const bool ran = WIFEXITED(status) && WEXITSTATUS(status) != kNotFound;
  return ran ? ExitCode::kPass : print_result(text);
}

void print_error(const ErrorRecord& error) { std::cerr << format_error_line(error) << std::endl; }

void print_note(const std::string& text) {
  std::cerr << "scalemark: " + shown_text(text) << std::endl;
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print_note(note);
}

namespace {

class FormedErrors : public std::streambuf {
 public:
  explicit FormedErrors(FormOfLines form) : form_(std::move(form)), plain_(std::cerr.rdbuf()) {
    std::cerr.rdbuf(this);
    std::cerr.unsetf(std::ios::unitbuf);  // it would flush parts of a line
  }

 protected:
  int_type overflow(int_type c) override {
    const char one = traits_type::to_char_type(c);
    if (!traits_type::eq_int_type(c, traits_type::eof())) xsputn(&one, 1);
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::lock_guard lock(mutex_);
    waiting_.append(text, static_cast<std::size_t>(size));
    show(waiting_.rfind('\n') + 1);
    return size;
  }
  int sync() override {
    const std::lock_guard lock(mutex_);
    show(waiting_.size());
    return plain_->pubsync();
  }

 private:
  void show(std::size_t size) {
    const std::string text = form_(waiting_.substr(0, size));
    waiting_.erase(0, size);
    plain_->sputn(text.data(), static_cast<std::streamsize>(text.size()));
  }

  FormOfLines form_;
  std::streambuf* plain_;
  std::mutex mutex_;
  std::string waiting_;
};

}  // namespace

// It outlives main(), since other threads may still write.
void form_errors(FormOfLines form) { new FormedErrors(std::move(form)); }

}  // namespace scalemark::cli
