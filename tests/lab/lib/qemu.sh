# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# One boot: a topology file becomes QEMU's arguments, the machine runs, and what
# the guest left on the result disk is checked and unpacked. No KVM is assumed.

# A model with AVX2, less what TCG would only warn about.
lab_cpu=Haswell-noTSX-IBRS,-hle,-rtm,-pcid,-x2apic,-tsc-deadline,-invpcid,-spec-ctrl

# Fills the arrays qemu_topology (arguments) and topology_offline (CPU numbers).
topology_load() { # NAME
	local file=$lab_dir/topologies/$1 nodes=0 memory=0 word a b c kv mem
	[ -e "$file" ] || lab_die 2 "there is no topology $1: known are" \
		"$(cd "$lab_dir/topologies" && echo *)"
	qemu_topology=()
	topology_offline=()
	while read -r word a b c; do
		case $word in
		'' | '#'*) ;;
		smp) qemu_topology+=(-smp "$a") ;;
		node)
			kv=${a/cpus=/}
			mem=${b/memory=/}
			if [ -n "$mem" ]; then
				qemu_topology+=(-object
					"memory-backend-ram,id=m$nodes,size=${mem}M"
					-numa "node,nodeid=$nodes,cpus=$kv,memdev=m$nodes")
				memory=$((memory + mem))
			else
				qemu_topology+=(-numa "node,nodeid=$nodes,cpus=$kv")
			fi
			nodes=$((nodes + 1))
			;;
		distance) qemu_topology+=(-numa "dist,src=$a,dst=$b,val=$c") ;;
		offline) topology_offline+=("$a") ;;
		*) lab_die 2 "$file: unknown word '$word'" ;;
		esac
	done <"$file"
	qemu_topology+=(-m "${memory}M")
}

qemu_pid=
qemu_kill() {
	if [ -n "$qemu_pid" ]; then
		kill -9 "$qemu_pid"
		wait "$qemu_pid" # or bash tells of its death
	fi 2>/dev/null
	qemu_pid=
}

# QEMU before 8.1 translates code without locking the page: with a thread per CPU
# it can keep an int3 that the guest's kernel has already patched away, and the
# guest dies of it, mostly while it boots. One thread for all CPUs cannot, but
# freezes each CPU for tenths of a second, which is no way to time a scheduler.
# So: many threads, and another boot where no job had started yet.
boot_failed() { # CONSOLE: true if a kernel ran, but no job had started
	[ -s "$1" ] && ! grep -aq '^lab: job starts' "$1"
}

boot_why() { # CONSOLE
	grep -aoE '(Oops: |BUG: |Kernel panic|lab: ).*' "$1" | head -1
}

died_of_int3() { grep -aq 'int3: 0000' "$1" 2>/dev/null; }

# The same fault can make it run an int3 for ever, with all other CPUs waiting for the
# one that does: such a guest, which gives no sign of life, can be freed (unstick.py).
# Not what hangs for another reason, nor many times.
qemu_alive() { # CONSOLE: false if it is lost
	local now beat
	[ -s "$1.alive" ] && [ -z "$lab_icount" ] || return 0
	printf -v now '%(%s)T' -1
	[ $((now - qemu_looked)) -ge 2 ] || return 0
	qemu_looked=$now
	beat=$(stat -c %Y "$1.alive")
	[ $((now - beat)) -ge 20 ] || return 0
	qemu_freed=$((qemu_freed + 1))
	[ $qemu_freed -le 5 ] || return 1
	lab_say "the guest hangs (a fault of QEMU): $("$lab_dir/lib/unstick.py" "$1.monitor" 2>&1 | tail -1)"
	touch "$1.alive"
}

# Standard output and error of the job arrive live on two virtio ports. The
# child dies with this shell even if the shell itself is killed.
qemu_run() { # RELEASE INITRD RESULT CONSOLE TOOLS [DEBUG]
	local kernel=$lab_cache/kernels/$1/vmlinuz append started=$SECONDS
	qemu_looked=0 qemu_freed=0
	local -a disks=() accel=(-accel tcg,thread=$lab_threads)
	# An emulated machine is slow: what looks like a broken timer or clock is not.
	# Page table isolation alone makes its system calls four times slower.
	append="console=ttyS0 quiet panic=-1 no_timer_check tsc=nowatchdog nowatchdog"
	append="$append mitigations=off"
	append="$append rcupdate.rcu_cpu_stall_suppress=1 $lab_append"
	[ -z "$lab_icount" ] || accel=(-accel tcg,thread=single -icount "$lab_icount")
	disks=(-drive "file=$3,if=virtio,format=raw,cache=unsafe"
		-drive "file=$5,if=virtio,format=raw,readonly=on")
	if [ -n "${6:-}" ]; then
		append="$append lab.debug"
		disks+=(-drive "file=$6,if=virtio,format=raw,readonly=on")
	fi
	setpriv --pdeathsig KILL qemu-system-x86_64 -nodefaults -no-reboot -display none \
		-monitor "unix:$4.monitor,server=on,wait=off" -no-user-config "${accel[@]}" -cpu "$lab_cpu" \
		"${qemu_topology[@]}" -kernel "$kernel" -initrd "$2" -append "$append" \
		-serial "file:$4" -add-fd set=1,fd=6 -add-fd set=2,fd=7 \
		-chardev file,id=out,path=/dev/fdset/1,append=on \
		-chardev file,id=err,path=/dev/fdset/2,append=on \
		-device virtio-serial-pci -device virtserialport,chardev=out,nr=1 \
		-device virtserialport,chardev=err,nr=2 \
		-chardev "file,id=alive,path=$4.alive" \
		-device virtserialport,chardev=alive,nr=3 \
		"${disks[@]}" 6>&1 7>&2 </dev/null >"$4.qemu" 2>&1 9>&- &
	qemu_pid=$!
	while kill -0 "$qemu_pid" 2>/dev/null; do
		if [ $((SECONDS - started)) -ge "$lab_timeout" ]; then
			qemu_kill
			return $LAB_TIMEOUT
		fi
		if [ -s "$4" ] && grep -aq 'Kernel panic' "$4"; then
			sleep 0.5 # the rest of its words
			qemu_kill
			return $LAB_FAILED
		fi
		if ! qemu_alive "$4"; then
			qemu_kill
			return $LAB_FAILED
		fi
		sleep 0.1
	done
	wait "$qemu_pid"
	local status=$?
	qemu_pid=
	return $status
}

result_header() { head -c 65536 "$1" | tr -d '\0'; }

# Sets result_status, or fails with a sentence.
result_take() { # RESULT OUTDIR
	local magic version bytes sum got
	read -r magic version result_status bytes sum <<<"$(result_header "$1")"
	[ "$magic $version" = "schedblame-lab 1" ] || return 1
	got=$(tail -c +65537 "$1" | head -c "$bytes" | sha256sum | cut -d' ' -f1)
	[ "$got" = "$sum" ] ||
		lab_die $LAB_FAILED "the results came back damaged: checksum $got, expected $sum"
	[ -n "$2" ] || return 0
	mkdir -p "$2"
	tail -c +65537 "$1" | head -c "$bytes" | tar -x --no-same-owner --touch -C "$2"
}
