// SPDX-License-Identifier: GPL-2.0-or-later
/* What diffprofile can print. */
#include "diffprofile.h"

static const struct diffprofile_format formats[] = {
	{ "text", "two columns as in the mails of 2002", false, diffprofile_classic },
};

const struct diffprofile_format *const diffprofile_formats[] = {
	&formats[0],
	NULL,
};
