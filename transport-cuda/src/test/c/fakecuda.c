/*
 * A fake of the CUDA driver: a libcuda.so.1 whose devices are host memory, for machines without a GPU.
 *
 * It says nothing about how a GPU behaves. It checks what callers may get wrong without one: signatures, contexts, the
 * order of streams, events that are used again, memory that is freed or copied beyond its end, error texts.
 *
 * - Addresses of its devices are host addresses plus DEVICE: dereferencing one is a fault, not a wrong answer.
 * - Each stream is a thread. Copies from and to host memory that is not registered are done before the call returns.
 * - A call without a current context fails with CUDA_ERROR_INVALID_CONTEXT, also where the real one might do without.
 *
 * Environment, read when it is loaded:
 *   FAKECUDA_DEVICES  how many devices (2)
 *   FAKECUDA_MEMORY   bytes of each (1 GiB)
 *   FAKECUDA_FAIL     FUNCTION=CODE[,FUNCTION=CODE...]: these fail, always
 *   FAKECUDA_LOADED   a file that is created when the library is loaded
 * Functions for tests are at the end: fakecuda_*.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    CONTEXT_IS_DESTROYED = 709,
    ALREADY_REGISTERED = 712,
    NOT_REGISTERED = 713,
    NOT_SUPPORTED = 801
};

static const struct {
    CUresult code;
    const char *name;
    const char *text;
} ERRORS[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped"},
    {NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

enum { MOST_DEVICES = 8, MOST_CONTEXTS = 16, MOST_FAILURES = 16, MOST_ATTRIBUTES = 256 };

/* Beyond all addresses that the processor has. */
static const CUdeviceptr DEVICE = 1ULL << 56;
static const size_t PAGE = 4096;

struct context {
    CUdevice device;
    int retained;
    unsigned flags;
};

struct allocation {
    CUdeviceptr address;
    size_t bytes;
    char *memory;
    int file;
    CUdevice device;
    int synchronous;
    int mapped; /* As by cuMemCreate and cuMemMap, or of a stream-ordered pool. */
    struct allocation *next;
};

struct registration {
    char *memory;
    size_t bytes;
    struct registration *next;
};

/* Where an event was recorded: who waits for it goes on waiting for it when the event is recorded again. Never freed. */
struct point {
    int reached;
};

/* Never freed, so that a stale handle is seen: a test leaves some bytes behind. */
struct event {
    CUdevice device;
    int destroyed;
    struct point *last; /* NULL: not recorded yet */
};

struct op {
    enum { COPY, RECORD, WAIT } kind;
    char *to;
    const char *from;
    size_t bytes;
    struct point *point;
    struct op *next;
};

struct stream {
    CUdevice device;
    struct op *first;
    struct op *last;
    int ending;
    int destroyed;
    struct stream *next;
};

/* One lock and one condition for everything. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int initialized;
static int devices = 2;
static size_t capacity = 1UL << 30;
static size_t used[MOST_DEVICES];
static CUresult broken[MOST_DEVICES];
static struct context contexts[MOST_DEVICES];
static int attributes[MOST_ATTRIBUTES];
static struct allocation *allocations;
static struct registration *registrations;
static struct stream *streams;
static int live_streams;
static int live_events;
static int made_events;
static int flushes;
static int synchronous;
static int held;

static struct {
    char function[64];
    CUresult code;
    int times;
} failures[MOST_FAILURES];

static __thread struct context *stack[MOST_CONTEXTS];
static __thread int depth;

/* Calls itself only while the lock is not held. */
static CUresult injected(const char *function) {
    CUresult code = SUCCESS;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_FAILURES; i++) {
        if (failures[i].times != 0 && strcmp(failures[i].function, function) == 0) {
            if (failures[i].times > 0) {
                failures[i].times--;
            }
            code = failures[i].code;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static CUresult add_failure(const char *function, size_t length, CUresult code, int times) {
    for (int i = 0; i < MOST_FAILURES; i++) {
        if (failures[i].times == 0 && length < sizeof failures[i].function) {
            memcpy(failures[i].function, function, length);
            failures[i].function[length] = 0;
            failures[i].code = code;
            failures[i].times = times;
            return SUCCESS;
        }
    }
    return INVALID_VALUE;
}

/* Whether the function may be called at all. */
static CUresult begin(const char *function) {
    CUresult code = injected(function);
    return code != SUCCESS ? code : initialized ? SUCCESS : NOT_INITIALIZED;
}

/* As begin, for functions that work in the current context. */
static CUresult begin_in_context(const char *function, CUdevice *device) {
    CUresult code = begin(function);
    if (code != SUCCESS) {
        return code;
    }
    if (depth == 0) {
        return INVALID_CONTEXT;
    }
    struct context *context = stack[depth - 1];
    if (context->retained == 0) {
        return CONTEXT_IS_DESTROYED;
    }
    *device = context->device;
    return broken[context->device];
}

#define BEGIN(function)                       \
    do {                                      \
        CUresult code_ = begin(function);     \
        if (code_ != SUCCESS) return code_;   \
    } while (0)
#define BEGIN_IN_CONTEXT(function)                             \
    CUdevice device;                                           \
    do {                                                       \
        CUresult code_ = begin_in_context(function, &device);  \
        if (code_ != SUCCESS) return code_;                    \
    } while (0)

__attribute__((constructor)) static void load(void) {
    const char *count = getenv("FAKECUDA_DEVICES");
    if (count) {
        devices = atoi(count) > MOST_DEVICES ? MOST_DEVICES : atoi(count);
    }
    const char *bytes = getenv("FAKECUDA_MEMORY");
    if (bytes) {
        capacity = strtoull(bytes, NULL, 10);
    }
    for (int i = 0; i < MOST_DEVICES; i++) {
        contexts[i].device = i;
    }
    attributes[41] = 1;  /* CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING */
    attributes[117] = 1; /* CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: HOST */
    const char *fail = getenv("FAKECUDA_FAIL");
    while (fail && *fail) {
        const char *equals = strchr(fail, '=');
        if (!equals) {
            break;
        }
        add_failure(fail, (size_t) (equals - fail), atoi(equals + 1), -1);
        fail = strchr(equals, ',');
        fail = fail ? fail + 1 : NULL;
    }
    const char *loaded = getenv("FAKECUDA_LOADED");
    if (loaded) {
        int file = open(loaded, O_CREAT | O_WRONLY, 0600);
        if (file >= 0) {
            close(file);
        }
    }
}

/* ---- Errors, devices, contexts ---- */

CUresult cuGetErrorName(CUresult error, const char **name) {
    for (size_t i = 0; i < sizeof ERRORS / sizeof ERRORS[0]; i++) {
        if (ERRORS[i].code == error) {
            *name = ERRORS[i].name;
            return SUCCESS;
        }
    }
    *name = NULL;
    return INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    for (size_t i = 0; i < sizeof ERRORS / sizeof ERRORS[0]; i++) {
        if (ERRORS[i].code == error) {
            *text = ERRORS[i].text;
            return SUCCESS;
        }
    }
    *text = NULL;
    return INVALID_VALUE;
}

CUresult cuInit(unsigned flags) {
    CUresult code = injected("cuInit");
    if (code != SUCCESS) {
        return code;
    }
    if (flags != 0) {
        return INVALID_VALUE;
    }
    initialized = 1;
    return SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
    *version = 13000;
    return SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
    BEGIN("cuDeviceGetCount");
    *count = devices;
    return SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    BEGIN("cuDeviceGet");
    if (ordinal < 0 || ordinal >= devices) {
        return INVALID_DEVICE;
    }
    *device = ordinal;
    return SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    BEGIN("cuDeviceGetName");
    snprintf(name, (size_t) length, "Fake GPU %d", device);
    return SUCCESS;
}

CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
    BEGIN("cuDeviceGetUuid");
    for (int i = 0; i < 16; i++) {
        uuid[i] = (unsigned char) (i + 16 * device);
    }
    return SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *address, int length, CUdevice device) {
    BEGIN("cuDeviceGetPCIBusId");
    snprintf(address, (size_t) length, "0000:F%d:00.0", device);
    return SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    (void) device;
    BEGIN("cuDeviceTotalMem");
    *bytes = capacity;
    return SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    BEGIN("cuDeviceGetAttribute");
    if (attribute <= 0 || attribute >= MOST_ATTRIBUTES || attributes[attribute] < 0) {
        return INVALID_VALUE;
    }
    if (device < 0 || device >= devices) {
        return INVALID_DEVICE;
    }
    *value = attributes[attribute];
    return SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(struct context **context, CUdevice device) {
    BEGIN("cuDevicePrimaryCtxRetain");
    if (device < 0 || device >= devices) {
        return INVALID_DEVICE;
    }
    pthread_mutex_lock(&lock);
    contexts[device].retained++;
    pthread_mutex_unlock(&lock);
    *context = &contexts[device];
    return SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    BEGIN("cuDevicePrimaryCtxRelease");
    pthread_mutex_lock(&lock);
    int retained = contexts[device].retained;
    if (retained > 0) {
        contexts[device].retained--;
    }
    pthread_mutex_unlock(&lock);
    return retained > 0 ? SUCCESS : INVALID_CONTEXT;
}

CUresult cuCtxPushCurrent_v2(struct context *context) {
    BEGIN("cuCtxPushCurrent");
    if (context < contexts || context >= contexts + MOST_DEVICES) {
        return INVALID_CONTEXT;
    }
    if (context->retained == 0) {
        return CONTEXT_IS_DESTROYED;
    }
    if (depth == MOST_CONTEXTS) {
        return INVALID_VALUE;
    }
    stack[depth++] = context;
    return SUCCESS;
}

CUresult cuCtxPopCurrent_v2(struct context **context) {
    BEGIN("cuCtxPopCurrent");
    if (depth == 0) {
        return INVALID_CONTEXT;
    }
    depth--;
    if (context) {
        *context = stack[depth];
    }
    return SUCCESS;
}

CUresult cuCtxSetCurrent(struct context *context) {
    BEGIN("cuCtxSetCurrent");
    if (depth == 0) {
        depth = 1;
    }
    stack[depth - 1] = context;
    return SUCCESS;
}

CUresult cuCtxGetCurrent(struct context **context) {
    BEGIN("cuCtxGetCurrent");
    *context = depth == 0 ? NULL : stack[depth - 1];
    return SUCCESS;
}

/* ---- Memory. All that follows is called with the lock where it says so. ---- */

/* With the lock: the allocation that holds the whole range, or NULL. */
static struct allocation *find(CUdeviceptr address, size_t bytes) {
    for (struct allocation *a = allocations; a; a = a->next) {
        if (address >= a->address && bytes <= a->bytes && address - a->address <= a->bytes - bytes) {
            return a;
        }
    }
    return NULL;
}

/* With the lock. */
static char *host_of(CUdeviceptr address, size_t bytes) {
    struct allocation *a = find(address, bytes);
    return a ? a->memory + (address - a->address) : NULL;
}

/* With the lock: waits until the device has nothing to do. */
static void synchronize(CUdevice device) {
    for (;;) {
        int busy = 0;
        for (struct stream *s = streams; s; s = s->next) {
            busy |= s->device == device && s->first != NULL;
        }
        if (!busy) {
            return;
        }
        pthread_cond_wait(&changed, &lock);
    }
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
    BEGIN_IN_CONTEXT("cuMemGetInfo");
    pthread_mutex_lock(&lock);
    *free_bytes = capacity - used[device];
    *total = capacity;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    BEGIN_IN_CONTEXT("cuMemAlloc");
    if (bytes == 0) {
        return INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    CUresult code = OUT_OF_MEMORY;
    if (bytes <= capacity - used[device]) {
        /* A file, so that it can be exported; one that keeps its size, so that others map it without fear. */
        int file = memfd_create("fakecuda", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        size_t mapped = (bytes + PAGE - 1) & ~(PAGE - 1);
        char *memory = file >= 0 && ftruncate(file, (off_t) mapped) == 0
                        && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0
                ? mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                : MAP_FAILED;
        struct allocation *a = memory == MAP_FAILED ? NULL : calloc(1, sizeof *a);
        if (a) {
            a->address = (CUdeviceptr) (uintptr_t) memory + DEVICE;
            a->bytes = bytes;
            a->memory = memory;
            a->file = file;
            a->device = device;
            a->next = allocations;
            allocations = a;
            used[device] += bytes;
            *address = a->address;
            code = SUCCESS;
        } else {
            if (memory != MAP_FAILED) {
                munmap(memory, mapped);
            }
            if (file >= 0) {
                close(file);
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    BEGIN_IN_CONTEXT("cuMemFree");
    pthread_mutex_lock(&lock);
    synchronize(device);
    CUresult code = INVALID_VALUE;
    for (struct allocation **a = &allocations; *a; a = &(*a)->next) {
        if ((*a)->address == address) {
            struct allocation *gone = *a;
            *a = gone->next;
            used[gone->device] -= gone->bytes;
            munmap(gone->memory, (gone->bytes + PAGE - 1) & ~(PAGE - 1));
            close(gone->file);
            free(gone);
            code = SUCCESS;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
    BEGIN_IN_CONTEXT("cuMemHostRegister");
    (void) device;
    if (!memory || bytes == 0 || (flags & 1) == 0) {
        return INVALID_VALUE; /* The real one takes flags without PORTABLE: for one context alone, which is not wanted here. */
    }
    pthread_mutex_lock(&lock);
    CUresult code = SUCCESS;
    for (struct registration *r = registrations; r; r = r->next) {
        if ((char *) memory < r->memory + r->bytes && r->memory < (char *) memory + bytes) {
            code = ALREADY_REGISTERED;
        }
    }
    if (code == SUCCESS) {
        struct registration *r = calloc(1, sizeof *r);
        r->memory = memory;
        r->bytes = bytes;
        r->next = registrations;
        registrations = r;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuMemHostUnregister(void *memory) {
    BEGIN_IN_CONTEXT("cuMemHostUnregister");
    pthread_mutex_lock(&lock);
    synchronize(device);
    CUresult code = NOT_REGISTERED;
    for (struct registration **r = &registrations; *r; r = &(*r)->next) {
        if ((*r)->memory == memory) {
            struct registration *gone = *r;
            *r = gone->next;
            free(gone);
            code = SUCCESS;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* With the lock. */
static int is_registered(const char *memory, size_t bytes) {
    for (struct registration *r = registrations; r; r = r->next) {
        if (memory >= r->memory && memory + bytes <= r->memory + r->bytes) {
            return 1;
        }
    }
    return 0;
}

CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr address, size_t bytes, int type, unsigned long long flags) {
    BEGIN_IN_CONTEXT("cuMemGetHandleForAddressRange");
    (void) device;
    if (type != 1 || flags != 0 || address % PAGE != 0 || bytes % PAGE != 0) {
        return INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    CUresult code = NOT_SUPPORTED;
    for (struct allocation *a = allocations; a; a = a->next) {
        /* The file begins where the allocation does. */
        if (a->address == address && bytes <= ((a->bytes + PAGE - 1) & ~(PAGE - 1))) {
            int file = fcntl(a->file, F_DUPFD_CLOEXEC, 0);
            if (file >= 0) {
                memcpy(handle, &file, sizeof file);
                code = SUCCESS;
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address) {
    BEGIN_IN_CONTEXT("cuPointerSetAttribute");
    (void) device;
    pthread_mutex_lock(&lock);
    struct allocation *a = find(address, 1);
    CUresult code = attribute == 6 && a && *(const int *) value == 1 ? a->mapped ? NOT_SUPPORTED : SUCCESS : INVALID_VALUE;
    if (code == SUCCESS && !a->synchronous) {
        a->synchronous = 1;
        synchronous++;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuCtxGetFlags(unsigned *flags) {
    BEGIN_IN_CONTEXT("cuCtxGetFlags");
    pthread_mutex_lock(&lock);
    *flags = contexts[device].flags;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
    BEGIN_IN_CONTEXT("cuCtxSetFlags");
    pthread_mutex_lock(&lock);
    contexts[device].flags = flags;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address) {
    BEGIN("cuPointerGetAttribute");
    pthread_mutex_lock(&lock);
    CUresult code = INVALID_VALUE;
    struct allocation *a = find(address, 1);
    if (a && attribute == 11) { /* RANGE_START_ADDR */
        memcpy(data, &a->address, sizeof a->address);
        code = SUCCESS;
    } else if (a && attribute == 12) { /* RANGE_SIZE */
        memcpy(data, &a->bytes, sizeof a->bytes);
        code = SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuFlushGPUDirectRDMAWrites(int target, int scope) {
    BEGIN_IN_CONTEXT("cuFlushGPUDirectRDMAWrites");
    (void) device;
    if (target != 0 || scope != 100) {
        return INVALID_VALUE;
    }
    flushes++;
    return SUCCESS;
}

/* ---- Streams and events ---- */

/* With the lock. */
static int can_go(struct stream *stream) {
    struct op *op = stream->first;
    if (!op) {
        return stream->ending;
    }
    return !held && (op->kind != WAIT || !op->point || op->point->reached);
}

static void *run(void *argument) {
    struct stream *stream = argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!can_go(stream)) {
            pthread_cond_wait(&changed, &lock);
        }
        struct op *op = stream->first;
        if (!op) {
            break;
        }
        if (op->kind == COPY && broken[stream->device] == SUCCESS) {
            pthread_mutex_unlock(&lock);
            memmove(op->to, op->from, op->bytes);
            pthread_mutex_lock(&lock);
        } else if (op->kind == RECORD) {
            op->point->reached = 1;
        }
        stream->first = op->next;
        free(op);
        pthread_cond_broadcast(&changed);
    }
    for (struct stream **s = &streams; *s; s = &(*s)->next) {
        if (*s == stream) {
            *s = stream->next;
            break;
        }
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    /* Not freed, so that a stale handle is seen. */
    return NULL;
}

/* With the lock. */
static void enqueue(struct stream *stream, struct op next) {
    struct op *op = malloc(sizeof *op);
    *op = next;
    op->next = NULL;
    if (stream->first) {
        stream->last->next = op;
    } else {
        stream->first = op;
    }
    stream->last = op;
    pthread_cond_broadcast(&changed);
}

CUresult cuStreamCreate(struct stream **made, unsigned flags) {
    BEGIN_IN_CONTEXT("cuStreamCreate");
    if (flags > 1) {
        return INVALID_VALUE;
    }
    struct stream *stream = calloc(1, sizeof *stream);
    stream->device = device;
    pthread_mutex_lock(&lock);
    stream->next = streams;
    streams = stream;
    live_streams++;
    pthread_mutex_unlock(&lock);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, stream) != 0) {
        return OUT_OF_MEMORY;
    }
    pthread_detach(thread);
    *made = stream;
    return SUCCESS;
}

CUresult cuStreamDestroy_v2(struct stream *stream) {
    BEGIN_IN_CONTEXT("cuStreamDestroy");
    (void) device;
    pthread_mutex_lock(&lock);
    CUresult code = stream->destroyed ? INVALID_HANDLE : SUCCESS;
    if (code == SUCCESS) {
        live_streams--;
    }
    stream->destroyed = 1;
    stream->ending = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuStreamQuery(struct stream *stream) {
    BEGIN_IN_CONTEXT("cuStreamQuery");
    (void) device;
    pthread_mutex_lock(&lock);
    CUresult code = stream->destroyed ? INVALID_HANDLE : stream->first ? NOT_READY : SUCCESS;
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuStreamSynchronize(struct stream *stream) {
    BEGIN_IN_CONTEXT("cuStreamSynchronize");
    (void) device;
    pthread_mutex_lock(&lock);
    while (stream->first) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    BEGIN_IN_CONTEXT("cuCtxSynchronize");
    pthread_mutex_lock(&lock);
    synchronize(device);
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

/* Queues a copy. Host memory that is not registered is copied before this returns. */
static CUresult copy(struct stream *stream, CUdeviceptr to, char *to_host, CUdeviceptr from, const char *from_host, size_t bytes) {
    pthread_mutex_lock(&lock);
    const char *host = to_host ? to_host : from_host;
    int waits = host && !is_registered(host, bytes);
    to_host = to_host ? to_host : host_of(to, bytes);
    from_host = from_host ? from_host : host_of(from, bytes);
    CUresult code = SUCCESS;
    if (!to_host || !from_host) {
        code = INVALID_VALUE;
    } else if (!stream || stream->destroyed) {
        code = INVALID_HANDLE; /* There is no default stream here. */
    } else {
        enqueue(stream, (struct op) {.kind = COPY, .to = to_host, .from = from_host, .bytes = bytes});
        while (waits && stream->first) {
            pthread_cond_wait(&changed, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, struct stream *stream) {
    BEGIN_IN_CONTEXT("cuMemcpyHtoDAsync");
    (void) device;
    return copy(stream, to, NULL, 0, from, bytes);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, struct stream *stream) {
    BEGIN_IN_CONTEXT("cuMemcpyDtoHAsync");
    (void) device;
    return copy(stream, 0, to, from, NULL, bytes);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, struct stream *stream) {
    BEGIN_IN_CONTEXT("cuMemcpyDtoDAsync");
    (void) device;
    return copy(stream, to, NULL, from, NULL, bytes);
}

CUresult cuEventCreate(struct event **made, unsigned flags) {
    BEGIN_IN_CONTEXT("cuEventCreate");
    (void) flags;
    struct event *event = calloc(1, sizeof *event);
    event->device = device;
    pthread_mutex_lock(&lock);
    live_events++;
    made_events++;
    pthread_mutex_unlock(&lock);
    *made = event;
    return SUCCESS;
}

CUresult cuEventDestroy_v2(struct event *event) {
    BEGIN_IN_CONTEXT("cuEventDestroy");
    (void) device;
    pthread_mutex_lock(&lock);
    CUresult code = event->destroyed ? INVALID_HANDLE : SUCCESS;
    if (code == SUCCESS) {
        event->destroyed = 1;
        live_events--;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuEventRecord(struct event *event, struct stream *stream) {
    BEGIN_IN_CONTEXT("cuEventRecord");
    (void) device;
    pthread_mutex_lock(&lock);
    CUresult code = SUCCESS;
    if (event->destroyed || !stream || stream->destroyed || event->device != stream->device) {
        code = INVALID_HANDLE;
    } else {
        event->last = calloc(1, sizeof *event->last);
        enqueue(stream, (struct op) {.kind = RECORD, .point = event->last});
    }
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuEventQuery(struct event *event) {
    BEGIN_IN_CONTEXT("cuEventQuery");
    (void) device;
    pthread_mutex_lock(&lock);
    CUresult code = event->destroyed ? INVALID_HANDLE : event->last && !event->last->reached ? NOT_READY : SUCCESS;
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuStreamWaitEvent(struct stream *stream, struct event *event, unsigned flags) {
    BEGIN_IN_CONTEXT("cuStreamWaitEvent");
    (void) device;
    pthread_mutex_lock(&lock);
    CUresult code = SUCCESS;
    if (flags != 0) {
        code = INVALID_VALUE;
    } else if (event->destroyed || !stream || stream->destroyed) {
        code = INVALID_HANDLE;
    } else {
        enqueue(stream, (struct op) {.kind = WAIT, .point = event->last});
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- For tests ---- */

/* While it is 1 no stream begins anything. */
void fakecuda_hold(int hold) {
    pthread_mutex_lock(&lock);
    held = hold;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* The next calls of the function, without _v2, fail with the code; times < 0: all. */
int fakecuda_fail(const char *function, int code, int times) {
    pthread_mutex_lock(&lock);
    CUresult added = add_failure(function, strlen(function), code, times);
    pthread_mutex_unlock(&lock);
    return added;
}

/* From now on every call in the device's context fails with the code, until it is 0. */
void fakecuda_break(int device, int code) {
    pthread_mutex_lock(&lock);
    broken[device] = code;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* The allocation at the address is as mapped by cuMemMap, or of a stream-ordered pool. */
void fakecuda_map(CUdeviceptr address) {
    pthread_mutex_lock(&lock);
    struct allocation *a = find(address, 1);
    if (a) {
        a->mapped = 1;
    }
    pthread_mutex_unlock(&lock);
}

/* The flags of a device's primary context. */
int fakecuda_flags(int device, int flags) {
    pthread_mutex_lock(&lock);
    int before = (int) contexts[device].flags;
    contexts[device].flags = (unsigned) flags;
    pthread_mutex_unlock(&lock);
    return before;
}

/* An attribute of all devices; less than 0: not known to this driver. */
void fakecuda_attribute(int attribute, int value) {
    attributes[attribute] = value;
}

/* What there is now: 0 allocations, 1 registrations, 2 streams that were not destroyed, 3 events, 4 events ever made, 5 retained contexts, 6 flushes, 7 allocations
 * that were given SYNC_MEMOPS. */
int fakecuda_count(int kind) {
    int count = 0;
    pthread_mutex_lock(&lock);
    switch (kind) {
    case 0:
        for (struct allocation *a = allocations; a; a = a->next) count++;
        break;
    case 1:
        for (struct registration *r = registrations; r; r = r->next) count++;
        break;
    case 2:
        count = live_streams;
        break;
    case 3:
        count = live_events;
        break;
    case 4:
        count = made_events;
        break;
    case 5:
        for (int i = 0; i < MOST_DEVICES; i++) count += contexts[i].retained;
        break;
    case 7:
        count = synchronous;
        break;
    default:
        count = flushes;
        break;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

/* All as when it was loaded, but for what callers have open. */
void fakecuda_reset(void) {
    pthread_mutex_lock(&lock);
    held = 0;
    memset(failures, 0, sizeof failures);
    memset(broken, 0, sizeof broken);
    memset(attributes, 0, sizeof attributes);
    attributes[41] = 1;
    attributes[117] = 1;
    flushes = 0;
    synchronous = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
