package worker

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// pageSize is the smallest page of the supported machines; a stride of it
// touches every page of larger ones too.
const pageSize = 4096

// touchedHeap is what stands for an initialised language runtime: private
// memory of which every page is resident. It is mapped beside Go's heap and
// without huge pages, so that the cost of a fork and the memory a write unshares
// do not depend on the host's transparent huge pages. Pages differ, so that
// same-page merging (KSM) cannot fold them.
func touchedHeap(size int64) ([]byte, error) {
	heap, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("heap of %d bytes: %w", size, os.NewSyscallError("mmap", err))
	}
	_ = unix.Madvise(heap, unix.MADV_NOHUGEPAGE) // EINVAL: a kernel without huge pages
	for at := 0; at+8 <= len(heap); at += pageSize {
		binary.NativeEndian.PutUint64(heap[at:], uint64(at)+1)
	}
	return heap, nil
}
