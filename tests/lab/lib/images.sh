# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the guest is made of, from what changes least to what changes most:
#	images/tools-HASH.img	ext4, read only: the tools and every library they need
#	images/base-HASH.cpio	busybox, init, the kernel's modules
#	a layer made for each boot: the job and the freshly built schedblame
# A kernel unpacks several cpio archives one after the other, so the layers are
# just concatenated. Big files stay on disks: unpacking them would cost seconds.

# name of the program, Debian package
lab_tools="bash:bash hackbench:rt-tests stress-ng:stress-ng perf:linux-perf
	trace-cmd:trace-cmd bpftrace:bpftrace taskset:util-linux chrt:util-linux
	lscpu:util-linux
	numactl:numactl bpftool:bpftool schbench:schbench sysbench:sysbench"

tools_programs() { # -> "name path" lines
	local t PATH=$PATH:/usr/sbin:/sbin
	for t in $lab_tools; do
		command -v "${t%%:*}" >/dev/null &&
			echo "${t%%:*} $(readlink -f "$(command -v "${t%%:*}")")"
	done
}

# What our program loads only when it needs it, as ldconfig lists it.
lab_loaded='libcapstone\.so\.[0-9]* '

# Paths of shared libraries and of the loader. Under their /usr names: the
# guest's /lib is usr/lib.
tools_libraries() { # PROGRAM...
	local loaded
	loaded=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | sed -n "s|.*$lab_loaded.* => ||p")
	{
		ldd "$@" $loaded 2>/dev/null | grep -o '/[^ ()]*' | grep -v ':$'
		echo "$loaded"
	} | grep . | sort -u
}

# Tools and libraries change only with the packages, our program's list of
# libraries with the build: no need to look at each file.
tools_key() {
	{
		stat -c '%s %Y' /var/lib/dpkg/status 2>/dev/null
		tools_programs
		tools_libraries "$lab_bin"
		sha256sum <"$lab_dir/lib/images.sh"
	} | sha256sum | cut -c1-16
}

tools_copy() { # DIR
	local name path
	local -a programs=()
	mkdir -p "$1/usr/bin" "$1/usr/lib/locale" "$1/usr/share"
	while read -r name path; do
		cp "$path" "$1/usr/bin/$name"
		programs+=("$path")
	done < <(tools_programs)
	tools_libraries "${programs[@]}" "$lab_bin" | while read -r path; do
		name=$1/usr/${path#/usr}
		mkdir -p "${name%/*}"
		cp -L "$path" "$name"
	done
	cp -r /usr/lib/locale/C.utf8 "$1/usr/lib/locale/" 2>/dev/null
	ln -s /debug "$1/usr/lib/debug"
	ln -s /lab/data "$1/usr/share/schedblame"
}

image_make() { # DIR IMAGE: a read-only ext4 of a folder, without being root
	local kib
	kib=$(du -sk --apparent-size "$1" | cut -f1)
	PATH=$PATH:/usr/sbin:/sbin mke2fs -q -t ext4 -O ^has_journal -m 0 -E root_owner=0:0 \
		-d "$1" "$2.tmp" $((kib + kib / 16 + 8192))k </dev/null >/dev/null ||
		lab_die $LAB_FAILED "mke2fs cannot make $2"
	mv "$2.tmp" "$2"
}

tools_image() { # -> path
	local image tmp
	image=$lab_cache/images/tools-$(tools_key).img
	if [ ! -e "$image" ]; then
		lab_say "making the disk of tools"
		mkdir -p "$lab_cache/images"
		tmp=$(mktemp -d "$lab_cache/tools.XXXXXX")
		tools_copy "$tmp"
		image_make "$tmp" "$image"
		rm -rf "$tmp"
		# Disks of older tools are of no use to anyone but a guest that runs.
		find "$lab_cache/images" -name 'tools-*.img' -mmin +1440 \
			! -path "$image" -delete
	else
		touch "$image"
	fi
	echo "$image"
}

cpio_pack() { # DIR ARCHIVE
	(cd "$1" && find . -mindepth 1 -print0 | LC_ALL=C sort -z |
		cpio --quiet -0 -o -H newc -R 0:0) >"$2"
}

base_archive() { # RELEASE -> path
	local kernel=$lab_cache/kernels/$1 hash archive tmp applet
	hash=$(cat "$lab_dir/init" /bin/busybox "$kernel"/modules/*.ko 2>/dev/null |
		sha256sum | cut -c1-16)
	archive=$lab_cache/images/base-$1-$hash.cpio
	if [ ! -e "$archive" ]; then
		mkdir -p "$lab_cache/images"
		rm -f "$lab_cache/images/base-$1-"*.cpio
		tmp=$(mktemp -d "$lab_cache/base.XXXXXX")
		mkdir -p "$tmp"/{bin,boot,dev,proc,sys,tmp,run,etc,root,out,tools,debug,modules}
		cp /bin/busybox "$tmp/bin/busybox"
		for applet in $(/bin/busybox --list); do
			[ "$applet" = busybox ] || ln -s busybox "$tmp/bin/$applet"
		done
		ln -s bin "$tmp/sbin"
		ln -s tools/usr "$tmp/usr"
		ln -s usr/lib "$tmp/lib"
		ln -s usr/lib64 "$tmp/lib64"
		ln -sf /usr/bin/bash "$tmp/bin/bash"
		echo 'root:x:0:0:root:/root:/bin/sh' >"$tmp/etc/passwd"
		echo 'root:x:0:' >"$tmp/etc/group"
		cp "$lab_dir/init" "$tmp/init"
		chmod 755 "$tmp/init"
		cp "$kernel/config" "$tmp/boot/config-$1"
		cp "$kernel"/modules/*.ko "$tmp/modules/" 2>/dev/null || true
		cpio_pack "$tmp" "$archive.tmp"
		mv "$archive.tmp" "$archive"
		rm -rf "$tmp"
	fi
	echo "$archive"
}
