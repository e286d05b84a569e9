// All-reduces of floats in a loop over MPI alone, nothing of ours: plain_loop [threads] KIB...
// prints the median over blocks of the mean time of a call, as lines of JSON. With `threads` MPI
// learns that any thread may call it, as a program with threads must.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

double call_s(std::vector<float>& data, int calls) {
  constexpr int kBlocks = 21;
  std::vector<double> means;
  for (int block = 0; block <= kBlocks; ++block) {  // the first is the warm-up
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
      MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM,
                    MPI_COMM_WORLD);
    }
    means.push_back((MPI_Wtime() - begin) / calls);
  }
  std::sort(means.begin() + 1, means.end());
  return means[1 + kBlocks / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && std::strcmp(argv[1], "threads") == 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = threads ? 2 : 1; i < argc; ++i) {
    const int kib = std::atoi(argv[i]);
    std::vector<float> data(static_cast<std::size_t>(kib) * 256, 0.0F);
    const double seconds = call_s(data, kib >= 1024 ? 20 : 2000);
    if (rank == 0) std::printf("{\"kib\": %d, \"plain_us\": %.4f}\n", kib, seconds * 1e6);
  }
  MPI_Finalize();
  return 0;
}
