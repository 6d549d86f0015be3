# Libraries of Debian 12 that the stages use, as imported PkgConfig targets.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
foreach(lib
		jansson:jansson
		hwloc:hwloc
		zstd:libzstd
		zlib:zlib
		lzma:liblzma
		traceevent:libtraceevent
		elf:libelf
		dw:libdw
		capstone:capstone
		gsl:gsl
		sqlite3:sqlite3
		protobufc:libprotobuf-c)
	string(REPLACE ":" ";" pair ${lib})
	list(GET pair 0 name)
	list(GET pair 1 pc)
	pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${pc})
endforeach()
if(SCHEDBLAME_BPF)
	pkg_check_modules(bpf REQUIRED IMPORTED_TARGET libbpf)
endif()
if(SCHEDBLAME_TUI)
	pkg_check_modules(ncursesw REQUIRED IMPORTED_TARGET ncursesw)
endif()
if(SCHEDBLAME_TESTS)
	pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
endif()
