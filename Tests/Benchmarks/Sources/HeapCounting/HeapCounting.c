#include "HeapCounting.h"

#include <stddef.h>

#if defined(__linux__) && __has_include(<gnu/libc-version.h>)

// The allocator's functions, replaced for the whole program: the dynamic linker prefers the program's own. Each one is
// the C library's, called under its other name, and counts if the thread does.

#include <errno.h>
#include <malloc.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static _Thread_local bool isCounting;
static _Thread_local HeapChange change;

static int64_t sizeOf(void *block) {
    return block ? (int64_t)(malloc_usable_size(block) + sizeof(size_t)) : 0;
}

static void *counted(void *block) {
    if (block && isCounting) {
        change.allocations += 1;
        change.bytes += sizeOf(block);
    }
    return block;
}

void *malloc(size_t size) {
    return counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
    int64_t old = sizeOf(block);
    void *result = __libc_realloc(block, size);
    // A block that could not grow is still there.
    if (isCounting && (result || size == 0)) change.bytes -= old;
    return counted(result);
}

void *memalign(size_t alignment, size_t size) {
    return counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

void free(void *block) {
    if (isCounting) change.bytes -= sizeOf(block);
    __libc_free(block);
}

void startCounting(void) {
    change = (HeapChange){0};
    isCounting = true;
}

HeapChange stopCounting(void) {
    isCounting = false;
    return change;
}

bool countsExactly(void) {
    return true;
}

#elif defined(__APPLE__)

#include <malloc/malloc.h>

static malloc_statistics_t start;

static malloc_statistics_t statistics(void) {
    malloc_statistics_t result;
    malloc_zone_statistics(NULL, &result);
    return result;
}

void startCounting(void) {
    start = statistics();
}

HeapChange stopCounting(void) {
    malloc_statistics_t end = statistics();
    return (HeapChange){
        .allocations = (int64_t)end.blocks_in_use - (int64_t)start.blocks_in_use,
        .bytes = (int64_t)end.size_in_use - (int64_t)start.size_in_use,
    };
}

bool countsExactly(void) {
    return false;
}

#else
#error "Say here how this platform's allocator is asked for what it has given out."
#endif
