# Worker and template of the python runtimes; the protocol is in doc.go.
# argv: role, size of the heap in bytes, kind of work, sizes of the image.
import sys

if sys.version_info < (3, 9):
    sys.exit("python %d.%d is too old: a worker wants 3.9 or later" % sys.version_info[:2])

import gc
import mmap
import os
import signal
import socket
import struct
import time

try:
    from PIL import Image
except ImportError:
    Image = None  # sleep and cpu work do without

ROLE, HEAP, WORK, SIZES = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
WORKER, PAGE, SOCKET, GARBAGE = "edge-worker", 4096, 3, 3
HELLO, REQUEST, RESPONSE, ECHO = 0xED6E0001, 0xED6E0002, 0xED6E0003, 1
FRAME = struct.Struct("=IIQqII")
COMMAND, REPLY = struct.Struct("=Q"), struct.Struct("=Qii")


def set_name(name):
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)
    try:
        with open("/proc/self/timerslack_ns", "w") as slack:
            slack.write("1")
    except OSError:
        pass  # only precision is lost


def touched_heap(size):
    """Private memory of which every page is resident, as the Go runtimes have it."""
    heap = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        heap.madvise(mmap.MADV_NOHUGEPAGE)
    except (AttributeError, OSError):
        pass  # a kernel without huge pages
    for at in range(0, size - 7, PAGE):
        struct.pack_into("=Q", heap, at, at + 1)
    return heap


def dirty_pages(heap, size):
    size = min(size, len(heap))
    heap[0:size:PAGE] = b"\1" * len(range(0, size, PAGE))


def sleep(nanos):
    if nanos > 0:
        time.sleep(nanos / 1e9)


def burn(nanos):
    end = time.thread_time_ns() + nanos
    x = 1
    while time.thread_time_ns() < end:
        for _ in range(100):  # about 10 µs between looks at the clock
            x = (x * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF


def resizer():
    if Image is None:
        sys.exit("work image wants Pillow: on Debian, apt-get install python3-pil")
    width, height, *thumb = map(int, SIZES.split(","))
    across, down = Image.linear_gradient("L").rotate(90), Image.linear_gradient("L")
    bands = [band.resize((width, height)) for band in (across, down, across)]
    source = Image.merge("RGB", bands)

    def resize(nanos):
        end = time.thread_time_ns() + nanos
        source.resize(thumb, Image.BILINEAR)
        while time.thread_time_ns() < end:
            source.resize(thumb, Image.BILINEAR)

    return resize


def serve(sock, heap, work):
    """Answers requests until the socket closes; returns the exit status."""
    buf = bytearray(65536)
    view = memoryview(buf)
    FRAME.pack_into(buf, 0, HELLO, 0, os.getpid(), 0, 0, 0)
    size = FRAME.size
    while True:
        try:
            sock.send(view[:size], socket.MSG_NOSIGNAL)
            n = sock.recv_into(buf)
        except (BrokenPipeError, ConnectionResetError):
            return 0
        if n == 0:
            return 0
        if n < FRAME.size:
            return GARBAGE
        kind, flags, id, nanos, body, dirty = FRAME.unpack_from(buf)
        if kind != REQUEST or body != n - FRAME.size:
            return GARBAGE
        start = time.monotonic_ns()
        if dirty:
            dirty_pages(heap, dirty)
        work(nanos)
        if not flags & ECHO:
            body = 0
        FRAME.pack_into(buf, 0, RESPONSE, flags, id, time.monotonic_ns() - start, body, dirty)
        size = FRAME.size + body


def seqpacket(fd):
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=fd)


class Forker:
    """os.fork with CLONE_PARENT: a child is the node's, who reaps it and whose
    death ends it, as with the Go template. os.fork itself has no such choice, so this
    is its three steps by hand: before, clone, after."""

    CLONE_PARENT, PR_SET_PDEATHSIG = 0x8000, 1
    CLONE = {"x86_64": 56, "aarch64": 220}

    def __init__(self):
        import ctypes

        libc = ctypes.PyDLL(None, use_errno=True)  # PyDLL: the interpreter's lock is kept
        libc.syscall.restype, libc.syscall.argtypes = ctypes.c_long, [ctypes.c_long] * 7
        self.errno, self.prctl, self.syscall = ctypes.get_errno, libc.prctl, libc.syscall
        self.before = ctypes.pythonapi.PyOS_BeforeFork
        self.in_parent = ctypes.pythonapi.PyOS_AfterFork_Parent
        self.in_child = ctypes.pythonapi.PyOS_AfterFork_Child
        self.clone = self.CLONE[os.uname().machine]
        self.node = os.getppid()

    def fork(self):
        """Returns (pid, errno); pid is 0 in the child."""
        self.before()
        pid = self.syscall(self.clone, self.CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0, 0)
        if pid == 0:
            self.in_child()
            return 0, 0
        errno = self.errno() if pid < 0 else 0
        self.in_parent()
        return max(pid, 0), errno

    def enter(self):
        # First the death signal, then the check: a node that died in between has
        # already given this process to another parent.
        self.prctl(self.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != self.node:
            os._exit(0)
        set_name(WORKER)


def default_signals():
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_DFL)
        except OSError:
            pass  # taken by the C library for itself


def template(control, heap, work):
    """Forks a worker for each command until the control socket closes."""
    forker = Forker()
    signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
    gc.collect()
    gc.freeze()  # a collection would write to pages that are shared
    gc.disable()
    control.send(FRAME.pack(HELLO, 0, os.getpid(), 0, 0, 0), socket.MSG_NOSIGNAL)
    while True:
        command, fds, _, _ = socket.recv_fds(control, COMMAND.size, 1, socket.MSG_CMSG_CLOEXEC)
        if not command:
            return 0
        (id,) = COMMAND.unpack(command)
        pid, errno = forker.fork()
        if pid == 0 and errno == 0:
            forker.enter()
            os.closerange(0, fds[0])
            os.closerange(fds[0] + 1, 1024)  # the template holds few files
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            return serve(seqpacket(fds[0]), heap, work)
        os.close(fds[0])  # the worker has its own; ours would hide its end
        try:
            control.send(REPLY.pack(id, pid, errno), socket.MSG_NOSIGNAL)
        except (BrokenPipeError, ConnectionResetError):
            return 0


set_name(ROLE)
default_signals()
run = serve if ROLE == WORKER else template
work = {"sleep": lambda: sleep, "cpu": lambda: burn, "image": resizer}[WORK]()
status = run(seqpacket(SOCKET), touched_heap(HEAP), work)
os._exit(status)  # without the interpreter's tear-down, which would touch shared pages
