# Warnings, hardening and sanitizers, for every C target.
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2
	-Wno-missing-field-initializers -Wno-unused-parameter
	-fno-strict-aliasing)
add_compile_definitions(_GNU_SOURCE _FILE_OFFSET_BITS=64)
if(SCHEDBLAME_WERROR)
	add_compile_options(-Werror)
endif()
if(SCHEDBLAME_SANITIZE OR SCHEDBLAME_FUZZ)
	add_compile_options(-fsanitize=address,undefined
		-fno-sanitize-recover=undefined -fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
endif()
if(SCHEDBLAME_FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()
