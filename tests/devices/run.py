#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the firmware of examples/firmware in QEMU and measures what it needs.

usage: run.py [--update] MACHINE=ELF...

Each machine's serial line gets the messages of wire.txt, in both eras, and its
answers must be those of the file: > is a request, * a number and a request that
is sent so often, ~ a message without an answer, < an answer (the last one). Then the script reads the memory of the
machine: the painted part of the stack that is left, and the most that was used
of the pool. It prints a table, and fails if a figure is above its budget.

In wire.txt, FILLER stands for as many letters as make the line 2048 bytes long,
and TOO_MANY for one more.
"""
import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PAINT = 0xA5
MAX_MESSAGE = 2048  # as in firmware.c
SECONDS = 60  # for one machine; an emulator on a busy computer takes its time

MACHINES = {
    "cortex-m3": {
        "qemu": ["qemu-system-arm", "-M", "lm3s6965evb"],
        "tools": "arm-none-eabi-",
    },
    "rv32": {
        "qemu": ["qemu-system-riscv32", "-M", "virt", "-bios", "none"],
        "tools": "riscv64-unknown-elf-",
    },
}


class Elf:
    """The sizes and symbols of a program."""

    def __init__(self, path, tools):
        self.path = path
        lines = subprocess.run([tools + "nm", "-S", path], check=True,
                               capture_output=True, text=True).stdout
        self.symbols = {}
        for line in lines.splitlines():
            words = line.split()
            if len(words) >= 3:
                self.symbols[words[-1]] = int(words[0], 16)
        size = subprocess.run([tools + "size", "-A", "-d", path], check=True,
                              capture_output=True, text=True).stdout
        self.sections = {}
        self.addresses = {}
        for line in size.splitlines():
            words = line.split()
            if len(words) == 3 and words[0].startswith("."):
                self.sections[words[0]] = int(words[1])
                self.addresses[words[0]] = int(words[2])

    def total(self, *names):
        return sum(size for name, size in self.sections.items()
                   if name in names)


class Machine:
    """QEMU, with its serial line on a socket and its monitor on another."""

    def __init__(self, name, elf, folder):
        self.folder = pathlib.Path(folder)
        self.top = elf.symbols["__stack"]
        self.bottom = elf.addresses[".stack"] + elf.sections[".stack"]
        paint = self.folder / "paint"
        paint.write_bytes(bytes([PAINT]) * (self.top - self.bottom))
        sides = [socket.socketpair() for _ in range(2)]
        (self.line, line_end), (self.monitor, monitor_end) = sides
        files = [line_end.fileno(), monitor_end.fileno()]
        self.qemu = subprocess.Popen(
            MACHINES[name]["qemu"] + [
                "-nodefaults", "-nic", "none", "-display", "none", "-kernel", str(elf.path),
                "-device", f"loader,file={paint},addr={self.bottom:#x},"
                           "force-raw=on",
                "-chardev", f"socket,id=line,fd={files[0]}",
                "-serial", "chardev:line",
                "-chardev", f"socket,id=monitor,fd={files[1]}",
                "-mon", "chardev=monitor,mode=control"],
            pass_fds=files, stdin=subprocess.DEVNULL,
            stderr=open(self.folder / "log", "wb"))
        line_end.close()
        monitor_end.close()
        self.line.settimeout(SECONDS)
        self.monitor.settimeout(SECONDS)
        self.events = self.monitor.makefile("r")
        self.answers = self.line.makefile("rb")

    def start(self):
        self.events.readline()  # the greeting
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        text = json.dumps({"execute": name, "arguments": arguments})
        self.monitor.sendall(text.encode() + b"\n")
        for line in self.events:
            answer = json.loads(line)
            if "return" in answer:
                return
            if "error" in answer:
                raise RuntimeError(f"{name}: {answer['error']['desc']}")

    def tell(self, line):
        self.line.sendall(line + b"\n")

    def memory(self, address, size):
        file = self.folder / "memory"
        self.command("pmemsave", val=address, size=size, filename=str(file))
        return file.read_bytes()

    def word(self, address):
        return int.from_bytes(self.memory(address, 4), "little")

    def stack_used(self):
        stack = self.memory(self.bottom, self.top - self.bottom)
        return len(stack.lstrip(bytes([PAINT])))

    def end(self):
        self.qemu.kill()
        self.qemu.wait()


def fill(line):
    """Puts in letters so that the line has MAX_MESSAGE bytes, or one more."""
    for word, length in (("TOO_MANY", MAX_MESSAGE + 1), ("FILLER", MAX_MESSAGE)):
        if word in line:
            return line.replace(word, "x" * (length - len(line) + len(word)))
    return line


def converse(machine, name, update):
    """Sends what the client says in wire.txt, and compares the answers; or with
    `update` writes them there. Returns how many were wrong."""
    wrong = 0
    lines = []
    wire = HERE / "wire.txt"
    for line in wire.read_text().splitlines():
        mark, rest = line[:2], line[2:]
        if mark == "< " and update:
            continue
        lines.append(line)
        if mark == "~ ":
            machine.tell(rest.encode())
        elif mark in ("> ", "* "):
            count, rest = rest.split(" ", 1) if mark == "* " else (1, rest)
            for _ in range(int(count)):
                machine.tell(fill(rest).encode())
                answer = machine.answers.readline().decode().rstrip("\n")
            if update:
                lines.append("< " + answer)
        elif mark == "< " and rest != answer:
            print(f"{name}: wanted: {rest}\n{name}: got:    {answer}")
            wrong += 1
    if update:
        wire.write_text("\n".join(lines) + "\n")
    return wrong


def measure(name, path, update):
    """Runs the wire on a machine; returns its figures and the wrong answers."""
    elf = Elf(path, MACHINES[name]["tools"])
    pool = elf.symbols["device_pool"]
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(name, elf, folder)
        try:
            machine.start()
            wrong = converse(machine, name, update)
            stack = machine.stack_used()
            size, peak = machine.word(pool + 4), machine.word(pool + 12)
        except (OSError, RuntimeError):
            print((machine.folder / "log").read_text())
            raise
        finally:
            machine.end()
    fixed = elf.total(".data", ".tdata", ".tbss", ".bss") - size
    return {"text": elf.total(".init", ".text", ".rodata", ".data", ".tdata"),
            "static": fixed, "stack": stack, "heap": peak,
            "RAM": fixed + stack + peak}, wrong


def read_budgets(path):
    """Lines of: machine, figure, bytes."""
    budgets = {}
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            machine, rest = line.split(maxsplit=1)
            figure, size = rest.rsplit(maxsplit=1)
            budgets[machine, figure] = int(size)
    return budgets


def show(name, figures, budgets):
    """Prints the figures of a machine; returns how many exceed their budget."""
    over = 0
    for figure, size in figures.items():
        budget = budgets.get((name, figure))
        words = f"{name:10} {figure:10} {size:8}"
        if budget is not None:
            words += f" {budget:8}"
            if size > budget:
                words += f"  {size - budget} bytes too much"
                over += 1
        print(words)
    return over


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true",
                        help="write the answers to wire.txt")
    parser.add_argument("machines", nargs="+", metavar="MACHINE=ELF")
    arguments = parser.parse_args()
    budgets = read_budgets(HERE / "budgets.txt")
    bad = 0
    print(f"{'machine':10} {'bytes of':10} {'measured':>8} {'budget':>8}")
    for machine in arguments.machines:
        name, path = machine.split("=", 1)
        figures, wrong = measure(name, path, arguments.update)
        bad += wrong + show(name, figures, budgets)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
