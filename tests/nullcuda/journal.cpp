#include "journal.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <unordered_map>

#include "call.h"
#include "captures.h"
#include "refuse.h"

namespace nullcuda {
namespace {

struct Journal {
  std::vector<Entry> entries;
  std::vector<std::string> names, threads;
  std::unordered_map<std::string, std::uint16_t> index_of_name;
  std::unordered_map<const char*, std::uint16_t> index_of_text;  // most names are literals
  std::unordered_map<const void*, std::uint16_t> numbers;        // streams and events have them
};

Journal& journal() {
  static Journal& value = *new Journal;  // never destroyed
  return value;
}

std::uint16_t index_of(const char* text) {
  Journal& j = journal();
  const auto known = j.index_of_text.find(text);
  if (known != j.index_of_text.end()) return known->second;
  const auto [entry, is_new] =
      j.index_of_name.emplace(text, static_cast<std::uint16_t>(j.names.size()));
  if (is_new) j.names.emplace_back(text);
  if (j.names.size() > 60000) refuse("more names than the journal can hold");
  return j.index_of_text[text] = entry->second;
}

std::uint16_t number_of(const void* object) {
  if (!object) return 0;
  auto& numbers = journal().numbers;
  return numbers.emplace(object, static_cast<std::uint16_t>(numbers.size() + 1)).first->second;
}

std::uint8_t new_thread() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  const bool main = syscall(SYS_gettid) == getpid();
  auto& threads = journal().threads;
  threads.emplace_back(main ? "main" : name);
  return static_cast<std::uint8_t>(std::min<std::size_t>(threads.size() - 1, 255));
}

}  // namespace

std::string_view to_string(Kind kind) {
  static constexpr std::string_view kNames[kKinds] = {
      "launches", "gemms",   "cudnn", "copies",      "memsets", "syncs",
      "records",  "queries", "waits", "allocations", "graphs"};
  return kNames[static_cast<int>(kind)];
}

Entry entry_of(Kind kind, const char* name, std::uint64_t bytes) {
  thread_local const std::uint8_t thread = new_thread();
  const auto bounded = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
  return {kind, thread, index_of(name), bounded};
}

void note(Kind kind, const char* name, std::uint64_t bytes, const Subject& subject) {
  Entry entry = entry_of(kind, name, bytes);
  entry.stream = number_of(subject.stream);
  entry.event = number_of(subject.event);
  journal().entries.push_back(entry);
}

const std::vector<Entry>& entries() { return journal().entries; }
const std::vector<std::string>& names() { return journal().names; }
const std::vector<std::string>& thread_names() { return journal().threads; }

}  // namespace nullcuda

void nullcuda_note_gemm(const char* function) {
  const nullcuda::Guard guard(nullcuda::lock());
  nullcuda::note_library_work(nullcuda::Kind::kGemm, function);
}
void nullcuda_note_cudnn(const char* function) {
  const nullcuda::Guard guard(nullcuda::lock());
  nullcuda::note_library_work(nullcuda::Kind::kCudnn, function);
}
