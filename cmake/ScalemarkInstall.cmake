# `cmake --install`: program and libraries side by side in lib/scalemark, where they find each other by $ORIGIN, and a
# link in bin.
add_custom_target(engine)
foreach(target scalemark scalemark_data scalemark_opencv scalemark_engine scalemark_cuda scalemark_mpi_openmpi scalemark_mpi_mpich)
  if(TARGET ${target})
    # Also in the build folder: the program opens torch's libraries by full path before the engine.
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
    set(component program)
    if(target MATCHES "engine|cuda|mpi")  # one of each for each version of torch
      set(component engine)
      add_dependencies(engine ${target})
    endif()
    install(TARGETS ${target} RUNTIME DESTINATION lib/scalemark COMPONENT ${component} LIBRARY DESTINATION lib/scalemark COMPONENT ${component})
  endif()
endforeach()
install(CODE "
  set(bin \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
  file(MAKE_DIRECTORY \"\${bin}\")
  file(CREATE_LINK ../lib/scalemark/scalemark \"\${bin}/scalemark\" SYMBOLIC)")
