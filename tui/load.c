// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens run sets behind the first screen. */
#include "load.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static void *load(void *arg)
{
	struct loader *l = arg;

	for (int i = 0; i < l->n && !l->err.code; i++)
		l->item[i].open = run_set_open(&l->item[i].set, l->item[i].path, l->opts,
					       &l->err) >= 0;
	atomic_store(&l->finished, true);
	return NULL;
}

int loader_start(struct loader *l, char **paths, int n, const struct run_options *opts,
		 struct err *err)
{
	int ret;

	memset(l, 0, sizeof(*l));
	if (n > TUI_MAX_SETS)
		return err_set(err, E2BIG, "at most %d sets can be shown at a time",
			       TUI_MAX_SETS);
	l->opts = opts;
	l->n = n;
	for (int i = 0; i < n; i++)
		l->item[i].path = paths[i];
	ret = pthread_create(&l->thread, NULL, load, l);
	return ret ? err_errno(err, ret, "no thread for reading can be started") : 0;
}

bool loader_done(struct loader *l, int timeout_ms)
{
	const struct timespec ms = { 0, 1000000 };

	if (l->joined)
		return true;
	for (int waited = 0; timeout_ms >= 0 && !atomic_load(&l->finished); waited++) {
		if (waited >= timeout_ms)
			return false;
		nanosleep(&ms, NULL);
	}
	pthread_join(l->thread, NULL);
	l->joined = true;
	return true;
}

int loader_take(struct loader *l, struct data *d, struct err *err)
{
	if (l->err.code) {
		*err = l->err;
		l->err = (struct err)ERR_INIT;
		return -err->code;
	}
	for (int i = 0; i < l->n; i++)
		d->set[i] = &l->item[i].set;
	d->nr_sets = l->n;
	d->side[SIDE_A] = 0;
	d->side[SIDE_B] = l->n > 1 ? 1 : -1;
	return 0;
}

void loader_release(struct loader *l)
{
	for (int i = 0; i < l->n; i++)
		if (l->item[i].open)
			run_set_close(&l->item[i].set);
	err_release(&l->err);
}
