// A device that is slower than the others, or computes wrong bits, without a hook in the program:
// preloaded, it takes the place of torch's matrix products of one rank.
// SLOW_PRODUCTS="HOST:LOCAL_RANK:SHARE": 0.5 adds half of the time; "HOST:*:SHARE": of all its
// ranks. Several are separated by commas. WRONG_PRODUCTS="HOST:LOCAL_RANK:1": flips a bit of every
// product. "HOST:LOCAL_RANK:2" flips one bit once: in the third mm_out after an mm of square
// matrices, with which a replay begins.
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/mm_ops.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/fault/local_rank.h"

namespace {

using Clock = std::chrono::steady_clock;

// "HOST:LOCAL_RANK"; empty: this is no rank.
std::string own_place() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string rank = scalemark::fault::local_rank();
  return rank.empty() ? rank : std::string(host.data()) + ":" + rank;
}

double planted(const char* variable) {
  const char* wanted = std::getenv(variable);
  std::istringstream all(wanted ? wanted : "");
  const std::string own = own_place();
  for (std::string text; std::getline(all, text, ',');) {
    const auto colon = text.rfind(':');
    if (colon == text.npos) continue;
    const std::string place = text.substr(0, colon);
    if (place == own || place == own.substr(0, own.rfind(':') + 1) + "*") {
      return std::atof(text.c_str() + colon + 1);
    }
  }
  return 0;
}

template <class Function>
Function next(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found != nullptr) return reinterpret_cast<Function>(found);
  std::fprintf(stderr, "planted_products: torch has no %s\n", name);
  std::abort();
}

// Computes on, as a slow device does: a sleeping one would leave its CPU to others.
class Slowed {
 public:
  ~Slowed() {
    static const double share = planted("SLOW_PRODUCTS");
    const auto end = begun_ + (Clock::now() - begun_) * (1 + share);
    while (share > 0 && Clock::now() < end) {
    }
  }

 private:
  Clock::time_point begun_ = Clock::now();
};

void flip(const at::Tensor& result) {
  auto* const bytes = static_cast<unsigned char*>(result.mutable_data_ptr());
  bytes[0] ^= 1U;
}

// `begins`: with this product a replay begins.
void corrupt(const at::Tensor& result, bool begins, bool writes_out) {
  static const double kind = planted("WRONG_PRODUCTS");
  static int since_begin = -1;
  if (kind == 1) return flip(result);
  if (begins && since_begin < 0) since_begin = 0;
  if (kind == 2 && writes_out && since_begin >= 0 && ++since_begin == 3) flip(result);
}

}  // namespace

namespace at::_ops {

Tensor mm::call(const Tensor& self, const Tensor& mat2) {
  static const auto torchs = next<decltype(&mm::call)>("_ZN2at4_ops2mm4callERKNS_6TensorES4_");
  const Slowed slowed;
  Tensor result = torchs(self, mat2);
  corrupt(result, self.size(0) >= 1024 && self.sizes() == mat2.sizes(), /*writes_out=*/false);
  return result;
}

Tensor& mm_out::call(const Tensor& self, const Tensor& mat2, Tensor& out) {
  static const auto torchs =
      next<decltype(&mm_out::call)>("_ZN2at4_ops6mm_out4callERKNS_6TensorES4_RS2_");
  const Slowed slowed;
  torchs(self, mat2, out);
  corrupt(out, /*begins=*/false, /*writes_out=*/true);
  return out;
}

Tensor addmm::call(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                   const Scalar& alpha) {
  static const auto torchs =
      next<decltype(&addmm::call)>("_ZN2at4_ops5addmm4callERKNS_6TensorES4_S4_RKN3c106ScalarES8_");
  const Slowed slowed;
  Tensor result = torchs(self, mat1, mat2, beta, alpha);
  corrupt(result, /*begins=*/false, /*writes_out=*/false);
  return result;
}

}  // namespace at::_ops
