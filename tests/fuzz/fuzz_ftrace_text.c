// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts of tracefs and trace-cmd report, from the first byte to the tables. */
#include "fuzz/fuzz_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_events(data, len);
	return 0;
}
