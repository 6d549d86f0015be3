#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Frees a guest that hangs in QEMU's translated code: unstick.py MONITOR

QEMU before 8.1 can keep a translation of an int3 that the guest's kernel has long
patched away again (qemu.sh). The kernel sees that no int3 stands there, returns to
the instruction, and runs the old translation for ever, with interrupts off. Every
translation of a byte ends when that byte is written: so the guest is stopped, its
kernel's image is written over with what is there, and it goes on. Through the
debugger's port, opened by the monitor whose socket is MONITOR."""
import os, socket, sys, time

IMAGE = range(0xffffffff80000000, 0xffffffffc0000000, 2 << 20) # kernel's, pages of 2 MiB
PIECE = 1024


class Debugger:
    def __init__(self, path):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(30)
        self.s.connect(path)
        self.rest = b""
        time.sleep(0.5) # it may tell unasked that the guest has stopped
        self.ask("?")
        time.sleep(0.2)
        self.s.settimeout(0.2)
        try:
            while self.s.recv(65536):
                pass
        except TimeoutError:
            pass
        self.s.settimeout(30)
        self.rest = b""

    def answer(self):
        while True:
            start, end = self.rest.find(b"$"), self.rest.find(b"#")
            if 0 <= start < end and len(self.rest) >= end + 3:
                text, self.rest = self.rest[start + 1:end], self.rest[end + 3:]
                self.s.sendall(b"+")
                return text
            got = self.s.recv(65536)
            if not got:
                raise OSError("the debugger's port was closed")
            self.rest += got

    def ask(self, command):
        data = command.encode()
        self.s.sendall(b"$" + data + b"#%02x" % (sum(data) & 255))
        return self.answer()

    def rewrite(self, address, size):
        """False: nothing is mapped there."""
        for a in range(address, address + size, PIECE):
            data = self.ask(f"m{a:x},{PIECE:x}").decode()
            if data.startswith("E"):
                return False
            if self.ask(f"M{a:x},{PIECE:x}:{data}") != b"OK":
                raise OSError(f"cannot write at {a:x}")
        return True


def main():
    monitor, port = sys.argv[1], sys.argv[1] + ".gdb"
    m = socket.socket(socket.AF_UNIX)
    m.connect(monitor)
    m.sendall(f"gdbserver unix:{port},server=on,wait=off\n".encode())
    for _ in range(100):
        if os.path.exists(port):
            break
        time.sleep(0.1)
    started = time.time()
    d = Debugger(port)
    written = sum(d.rewrite(a, 2 << 20) for a in IMAGE)
    d.ask("D")
    print(f"{2 * written} MiB written in {time.time() - started:.1f} s")
    m.sendall(b"cont\n")
    time.sleep(0.2)


main()
