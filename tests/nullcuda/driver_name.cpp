// libcuda.so.1 is the name under which the driver is opened; its functions are
// libnullcuda.so's.
