// SPDX-License-Identifier: GPL-2.0-or-later
#include "fuzz_prof.h"

FUZZ_PROF(prof_format_script)
