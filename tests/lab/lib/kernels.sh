# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# From a short name ("6.1") to an unpacked kernel in the cache:
#	kernels/RELEASE/{vmlinuz,config,modules/*.ko}	and, on request, vmlinux
# Debian's packages are fetched and unpacked, never installed. A kernel made by
# tests/lab/build-kernel lies in the same place under its own name.

# The modules that a guest loads before anything else, in this order; those that
# a kernel has built in are just not there.
lab_modules="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev
	virtio_pci virtio_blk virtio_console"

kernel_release_now() { # PACKAGE -> release, as apt sees it today
	apt-cache depends --important "$1" 2>/dev/null |
		sed -n 's/^ *Depends: linux-image-\([0-9].*-cloud-amd64\)$/\1/p' | head -1
}

# Asks apt at most once a day; without apt, the newest kernel that is cached.
kernel_resolve() { # NAME -> release
	local name=$1 package note release
	if [ -e "$lab_cache/kernels/$name/vmlinuz" ]; then
		echo "$name"
		return
	fi
	package=$(awk -F'\t' -v n="$name" '$1 == n { print $2 }' "$lab_dir/kernels.tsv")
	[ -n "$package" ] || lab_die 2 "there is no kernel $name:" \
		"known are $(awk -F'\t' '!/^#/ { printf "%s ", $1 }' "$lab_dir/kernels.tsv")" \
		"and what build-kernel has made in $lab_cache/kernels"
	note=$lab_cache/kernels/$name.now
	if [ -n "$(find "$note" -mmin -1440 2>/dev/null)" ] &&
	   [ -e "$lab_cache/kernels/$(cat "$note")/vmlinuz" ]; then
		cat "$note"
		return
	fi
	release=$(kernel_release_now "$package")
	if [ -z "$release" ] && [ -e "$note" ]; then
		release=$(cat "$note")
	fi
	[ -n "$release" ] || lab_die $LAB_UNAVAILABLE \
		"apt does not know the package $package, and no kernel $name is cached"
	mkdir -p "$lab_cache/kernels"
	echo "$release" >"$note"
	echo "$release"
}

kernel_download() { # PACKAGE DIR -> the .deb
	local as=
	[ "$(id -u)" != 0 ] || as="-o APT::Sandbox::User=root"
	# shellcheck disable=SC2086
	(cd "$2" && timeout 300 apt-get $as -qq download "$1" >/dev/null 2>"$2/apt.log") ||
		lab_die $LAB_UNAVAILABLE "apt-get cannot download $1: $(tail -1 "$2/apt.log")"
	echo "$2"/*.deb
}

kernel_take_modules() { # UNPACKED DIR
	local m found n=0
	mkdir -p "$2/modules"
	for m in $lab_modules; do
		n=$((n + 1))
		found=$(find "$1" -name "$m.ko*" -print -quit)
		case $found in
		'') ;;
		*.xz) xz -dc "$found" >"$2/modules/$n-$m.ko" ;;
		*.zst) zstd -qdc "$found" >"$2/modules/$n-$m.ko" ;;
		*) cp "$found" "$2/modules/$n-$m.ko" ;;
		esac
	done
}

kernel_fetch() { # RELEASE: fills kernels/RELEASE
	local dir=$lab_cache/kernels/$1 tmp deb
	[ ! -e "$dir/vmlinuz" ] || return 0
	lab_need apt-get apt
	lab_need dpkg-deb dpkg
	lab_need xz xz-utils
	lab_say "fetching the kernel $1"
	tmp=$(mktemp -d "$lab_cache/fetch.XXXXXX")
	deb=$(kernel_download "linux-image-$1" "$tmp") || exit $?
	mkdir "$tmp/root"
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tmp/root" ||
		lab_die $LAB_FAILED "cannot unpack $deb"
	mkdir "$tmp/kernel"
	cp "$tmp/root/boot/config-$1" "$tmp/kernel/config"
	cp "$tmp/root/boot/vmlinuz-$1" "$tmp/kernel/vmlinuz"
	kernel_take_modules "$tmp/root" "$tmp/kernel"
	mv "$tmp/kernel" "$dir"
	rm -rf "$tmp"
}

# Only vmlinux is taken out of the debug package: the modules' are ten times as
# big. It goes to the guest as a read-only disk, where debuggers look for it.
kernel_fetch_debug() { # RELEASE: adds vmlinux and debug.img
	local dir=$lab_cache/kernels/$1 tmp deb
	if [ ! -e "$dir/vmlinux" ]; then
		lab_say "fetching the debug information of $1 (300 MB)"
		tmp=$(mktemp -d "$lab_cache/fetch.XXXXXX")
		deb=$(kernel_download "linux-image-$1-dbg" "$tmp") || exit $?
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -O "./usr/lib/debug/boot/vmlinux-$1" >"$tmp/vmlinux" ||
			lab_die $LAB_FAILED "cannot unpack vmlinux from $deb"
		mv "$tmp/vmlinux" "$dir/vmlinux"
		rm -rf "$tmp"
	fi
	[ ! -e "$dir/debug.img" ] || return 0
	tmp=$(mktemp -d "$lab_cache/fetch.XXXXXX")
	mkdir -p "$tmp/root/boot"
	ln "$dir/vmlinux" "$tmp/root/boot/vmlinux-$1"
	image_make "$tmp/root" "$dir/debug.img"
	rm -rf "$tmp"
}
