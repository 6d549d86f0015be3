// SPDX-License-Identifier: GPL-2.0-or-later
/* Live counters as run sets; a command beside them; recording by collect. */
#include "live_data.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/units.h"

struct live_data {
	struct live *live;
	struct series_set first_cpu; /* cpu_time at the start */
	struct series_set last;	     /* everything, at the last tick */
	uint64_t last_ns, next_tick;
	struct run run[SIDE_NR];
	struct run_set set[SIDE_NR];
	struct utsname uname;
	pid_t command, recorder; /* 0: none */
	char *recording; /* folder */
	uint64_t recording_since;
	bool paused;
	char state[80];
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* Lines "cpuN user nice system idle iowait irq softirq steal" in clock ticks. */
static void add_cpu_line(struct series_set *set, const char *line)
{
	uint64_t tick = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	unsigned cpu;
	char name[16];
	int at;

	if (sscanf(line, "cpu%u%n", &cpu, &at) != 1)
		return;
	snprintf(name, sizeof(name), "%u", cpu);
	for (int m = 0; m < CPU_MODE_NR; m++) {
		unsigned long long v;
		int len;

		if (sscanf(line + at, " %llu%n", &v, &len) != 1)
			return;
		at += len;
		series_add(set, "cpu_time",
			   LABELS("cpu", name, "mode", cpu_mode_name((enum cpu_mode)m)),
			   v * tick);
	}
}

static void add_cpu_times(struct series_set *set)
{
	struct strbuf sb = STRBUF_INIT;
	char *save = NULL, *line;

	if (file_read(&sb, "/proc/stat", 0, NULL) == 0)
		for (line = strtok_r(sb.buf, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			add_cpu_line(set, line);
	strbuf_release(&sb);
}

static int start_command(struct live_data *l, char **command, struct err *err)
{
	l->command = fork();
	if (l->command < 0) {
		l->command = 0;
		return err_errno(err, errno, "'%s' cannot be started", command[0]);
	}
	if (!l->command) {
		int null = open("/dev/null", O_RDWR);

		setpgid(0, 0);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	return 0;
}

static void fill_run(struct live_data *l, enum side s, char *label)
{
	static char empty[] = "";
	struct run *run = &l->run[s];

	run->path = run->label = label;
	run->complete = true;
	run->kernel_release = l->uname.release;
	run->kernel_version = l->uname.version;
	run->machine_name = l->uname.nodename;
	run->boot_id = run->command = run->work_unit = empty;
	run->work = 1;
	run->exit_status = -1;
	run->topology = *live_topology(l->live); /* borrowed */
	series_init(&run->series);
	l->set[s] = (struct run_set){ .path = label, .label = label, .run = run, .n = 1 };
}

int live_data_open(struct live_data **out, char **command, struct err *err)
{
	static char since[] = "since start", second[] = "last second";
	struct live_data *l = xcalloc(1, sizeof(*l));
	int ret = live_open(&l->live, NULL, err);

	if (ret < 0) {
		free(l);
		return ret;
	}
	uname(&l->uname);
	series_init(&l->first_cpu);
	series_init(&l->last);
	add_cpu_times(&l->first_cpu);
	fill_run(l, SIDE_A, since);
	fill_run(l, SIDE_B, second);
	l->next_tick = now_ns();
	if (command && *command && (ret = start_command(l, command, err)) < 0) {
		live_data_close(l);
		return ret;
	}
	*out = l;
	return 0;
}

/* Asks a child to end, and waits for it; its group when it has one. */
static void end_child(pid_t *pid, int sig, bool group)
{
	if (!*pid)
		return;
	kill(group ? -*pid : *pid, sig);
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}

void live_data_close(struct live_data *l)
{
	if (!l)
		return;
	end_child(&l->recorder, SIGINT, false);
	end_child(&l->command, SIGTERM, true);
	live_close(l->live);
	series_release(&l->first_cpu);
	series_release(&l->last);
	for (int s = 0; s < SIDE_NR; s++)
		series_release(&l->run[s].series);
	free(l->recording);
	free(l);
}

void live_data_take(struct live_data *l, struct data *d)
{
	d->set[SIDE_A] = &l->set[SIDE_A];
	d->set[SIDE_B] = &l->set[SIDE_B];
	d->nr_sets = SIDE_NR;
	d->side[SIDE_A] = SIDE_A;
	d->side[SIDE_B] = SIDE_B;
}

static void replace(struct series_set *old, struct series_set *new)
{
	series_release(old);
	*old = *new;
}

/* now holds all since the start; /proc/stat counts since boot. */
static void take_snapshot(struct live_data *l, struct series_set *now, uint64_t ns)
{
	struct series_set cpu, second;

	series_init(&cpu);
	add_cpu_times(&cpu);
	series_add_difference(now, &cpu, &l->first_cpu);
	series_release(&cpu);
	series_init(&second);
	series_add_difference(&second, now, &l->last);
	replace(&l->run[SIDE_B].series, &second);
	l->run[SIDE_B].duration_ns = ns - l->last_ns;
	series_release(&l->run[SIDE_A].series);
	series_init(&l->run[SIDE_A].series);
	series_merge(&l->run[SIDE_A].series, now);
	l->run[SIDE_A].duration_ns = ns;
	replace(&l->last, now);
	l->last_ns = ns;
}

bool live_data_tick(struct live_data *l)
{
	struct series_set now;
	uint64_t ns = 0;

	if (l->command && waitpid(l->command, NULL, WNOHANG) == l->command)
		l->command = 0;
	if (l->recorder && waitpid(l->recorder, NULL, WNOHANG) == l->recorder)
		l->recorder = 0;
	if (l->paused || now_ns() < l->next_tick)
		return false;
	l->next_tick = now_ns() + NSEC_PER_SEC;
	series_init(&now);
	if (live_snapshot(l->live, &now, &ns, NULL) < 0 || ns <= l->last_ns) {
		series_release(&now);
		return false;
	}
	take_snapshot(l, &now, ns);
	return true;
}

const char *live_data_state(struct live_data *l)
{
	if (l->recorder)
		snprintf(l->state, sizeof(l->state), "recording %llu s",
			 (unsigned long long)((now_ns() - l->recording_since) / NSEC_PER_SEC));
	else if (l->paused)
		snprintf(l->state, sizeof(l->state), "paused");
	else
		snprintf(l->state, sizeof(l->state), "live %llu s",
			 (unsigned long long)(l->last_ns / NSEC_PER_SEC));
	return l->state;
}

void live_data_pause(struct live_data *l)
{
	l->paused = !l->paused;
}

static void name_recording(struct live_data *l)
{
	time_t t = time(NULL);
	struct tm tm;
	char name[64];

	localtime_r(&t, &tm);
	strftime(name, sizeof(name), "live-%Y%m%d-%H%M%S", &tm);
	free(l->recording);
	l->recording = xstrdup(name);
}

char *live_data_record(struct live_data *l)
{
	if (l->recorder) {
		end_child(&l->recorder, SIGINT, false);
		return xasprintf("recorded into %s", l->recording);
	}
	name_recording(l);
	l->recording_since = now_ns();
	l->recorder = fork();
	if (l->recorder < 0) {
		l->recorder = 0;
		return xasprintf("recording cannot be started: %s", strerror(errno));
	}
	if (!l->recorder) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/proc/self/exe", "schedblame", "collect", "--quiet", "--duration=24h",
		      "-o", l->recording, (char *)NULL);
		_exit(127);
	}
	return xasprintf("recording into %s; R stops", l->recording);
}
