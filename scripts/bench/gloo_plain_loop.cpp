// All-reduces of floats on two processes over Gloo alone (Debian's libgloo-dev), nothing of ours:
// gloo_plain_loop KIB... prints the median over blocks of the mean time of a call, as lines of
// JSON.
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

namespace {

constexpr int kRanks = 2, kBlocks = 21;

void all_reduce(const std::shared_ptr<gloo::Context>& context, std::vector<float>& data) {
  gloo::AllreduceOptions options(context);
  options.setOutput(data.data(), data.size());
  options.setReduceFunction([](void* sum, const void* a, const void* b, std::size_t n) {
    gloo::sum<float>(sum, a, b, n);
  });
  gloo::allreduce(options);
}

double call_s(const std::shared_ptr<gloo::Context>& context, std::vector<float>& data, int calls) {
  std::vector<double> means;
  for (int block = 0; block <= kBlocks; ++block) {  // the first is the warm-up
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) all_reduce(context, data);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    means.push_back(took.count() / calls);
  }
  std::sort(means.begin() + 1, means.end());
  return means[1 + kBlocks / 2];
}

void be(int rank, const std::filesystem::path& folder, int count, char** kib) {
  gloo::transport::tcp::attr place;
  place.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(place);
  gloo::rendezvous::FileStore store(folder);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, kRanks);
  context->connectFullMesh(store, device);
  for (int i = 0; i < count; ++i) {
    const int size = std::atoi(kib[i]);
    std::vector<float> data(static_cast<std::size_t>(size) * 256, 0.0F);
    const double seconds = call_s(context, data, size >= 1024 ? 20 : 400);
    if (rank == 0) std::printf("{\"kib\": %d, \"plain_us\": %.4f}\n", size, seconds * 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  char folder[] = "/tmp/gloo_plain_loop.XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const pid_t other = fork();
  be(other == 0 ? 1 : 0, folder, argc - 1, argv + 1);
  if (other == 0) return 0;
  int status = 0;
  waitpid(other, &status, 0);
  std::filesystem::remove_all(folder);
  return status == 0 ? 0 : 1;
}
