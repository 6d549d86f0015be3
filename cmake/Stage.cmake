# stage(NAME LINKS lib...): a static library of all .c files in this folder.
#
# Beside it a module "NAME.alone" is linked from the whole library and from what
# it may use, with undefined symbols forbidden: a call into a stage that is not
# in LINKS breaks the build here, not in a review.
function(stage name)
	cmake_parse_arguments(S "" "" "LINKS;SOURCES" ${ARGN})
	file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
	list(APPEND sources ${S_SOURCES})
	add_library(${name} STATIC ${sources})
	target_include_directories(${name}
		PUBLIC ${CMAKE_SOURCE_DIR}/include)
	# for "quoted" includes only: a sched.h of ours must not hide <sched.h>
	target_compile_options(${name} PRIVATE
		"SHELL:-iquote ${CMAKE_CURRENT_SOURCE_DIR}"
		"SHELL:-iquote ${CMAKE_CURRENT_BINARY_DIR}")
	target_link_libraries(${name} PUBLIC ${S_LINKS} m)
	if(NOT SCHEDBLAME_SANITIZE AND NOT SCHEDBLAME_FUZZ)
		file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/alone.c "")
		add_library(${name}.alone MODULE ${CMAKE_CURRENT_BINARY_DIR}/alone.c)
		target_link_libraries(${name}.alone PRIVATE
			-Wl,--whole-archive $<TARGET_FILE:${name}> -Wl,--no-whole-archive
			${S_LINKS} m -Wl,-z,defs)
		add_dependencies(${name}.alone ${name})
	endif()
endfunction()
