// A device that is slower than the others, without a hook in the program: preloaded, it takes the
// place of torch's matrix products and makes each of one rank take longer.
// SLOW_PRODUCTS="HOST:LOCAL_RANK:SHARE": 0.5 adds half of the time.
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/mm_ops.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;

// The built-in launcher's word to its rank: {..."local_rank":1...}.
std::string own_place() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const char* specification = std::getenv("SCALEMARK_RANK_SPEC");
  const std::string_view text = specification ? specification : "";
  constexpr std::string_view kKey = "\"local_rank\":";
  const auto at = text.find(kKey);
  if (at == text.npos) return "";
  const auto digits = text.substr(at + kKey.size());
  return std::string(host.data()) + ":" +
         std::string(digits.substr(0, digits.find_first_not_of("0123456789")));
}

double slowness() {
  const char* wanted = std::getenv("SLOW_PRODUCTS");
  const std::string text = wanted ? wanted : "";
  const auto colon = text.rfind(':');
  if (colon == text.npos || text.substr(0, colon) != own_place()) return 0;
  return std::atof(text.c_str() + colon + 1);
}

template <class Function>
Function next(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found != nullptr) return reinterpret_cast<Function>(found);
  std::fprintf(stderr, "slow_products: torch has no %s\n", name);
  std::abort();
}

// Computes on, as a slow device does: a sleeping one would leave its CPU to others.
class Slowed {
 public:
  ~Slowed() {
    static const double share = slowness();
    const auto end = begun_ + (Clock::now() - begun_) * (1 + share);
    while (share > 0 && Clock::now() < end) {
    }
  }

 private:
  Clock::time_point begun_ = Clock::now();
};

}  // namespace

namespace at::_ops {

Tensor mm::call(const Tensor& self, const Tensor& mat2) {
  static const auto torchs = next<decltype(&mm::call)>("_ZN2at4_ops2mm4callERKNS_6TensorES4_");
  const Slowed slowed;
  return torchs(self, mat2);
}

Tensor& mm_out::call(const Tensor& self, const Tensor& mat2, Tensor& out) {
  static const auto torchs =
      next<decltype(&mm_out::call)>("_ZN2at4_ops6mm_out4callERKNS_6TensorES4_RS2_");
  const Slowed slowed;
  return torchs(self, mat2, out);
}

Tensor addmm::call(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                   const Scalar& alpha) {
  static const auto torchs =
      next<decltype(&addmm::call)>("_ZN2at4_ops5addmm4callERKNS_6TensorES4_S4_RKN3c106ScalarES8_");
  const Slowed slowed;
  return torchs(self, mat1, mat2, beta, alpha);
}

}  // namespace at::_ops
