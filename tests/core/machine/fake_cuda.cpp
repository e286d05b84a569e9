// A stand-in for libcuda.so.1, the CUDA driver, with one Turing GPU. Variant FAKE_CUDA_BROKEN does
// not start.
#include <cstdio>
#include <cstring>

extern "C" {
int cuInit(unsigned) {
#ifdef FAKE_CUDA_BROKEN
  return 803;  // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
#else
  return 0;
#endif
}
int cuDriverGetVersion(int* version) {
  *version = 13010;
  return cuInit(0);
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int index) {
  *device = 40 + index;
  return index == 0 ? 0 : 101;
}
int cuDeviceGetName(char* name, int size, int device) {
  std::snprintf(name, static_cast<unsigned>(size), device == 40 ? "Tesla T4" : "?");
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  if (attribute != 75 && attribute != 76) return 1;
  *value = attribute == 75 ? 7 : 5;
  return 0;
}
int cuDeviceTotalMem_v2(unsigned long* bytes, int) {
  *bytes = 15843721216UL;
  return 0;
}
int cuDeviceGetUuid_v2(unsigned char* uuid, int) {
  for (unsigned char i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(0xa0 + i);
  return 0;
}
}
