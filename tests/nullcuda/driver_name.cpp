// libcuda.so.1 is the name under which the driver is looked for; its functions are
// libnullcuda.so's.
