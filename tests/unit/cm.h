/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every cmocka program includes, in the order cmocka wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
