// Takes the place of functions of GIO and libnice, because the executable exports them (Makefile, receiving.c).
//
// A peer tells in the response to a connectivity check from which address the check came (XOR-MAPPED-ADDRESS, RFC 8445
// §7.2.5.3.1). If that is not the address of the candidate that sent the check, libnice 0.1.21 makes another candidate
// pair of it. False addresses, or none, end the process in its assertions, or leave it with pointers to pairs that were
// freed. Nobody needs these pairs: their media takes the same path. So each response is given the address of the
// candidate that sent the check, and a response that arrives elsewhere is refused.
#define _GNU_SOURCE
#include "original.h"
#include "socket.h"
#include "stun.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

// The size of a transaction ID (RFC 8489 §5), types of RFC 8656 §17, and ChannelData (§12.4).
enum { ID = 12, CHANNEL_HEADER = 4, FIRST_CHANNEL = 0x40, LAST_CHANNEL = 0x4F };
enum { BINDING_REQUEST = 0x0001, SEND_INDICATION = 0x0016, DATA = 0x0013 };
// The number of checks and of relayed addresses that are remembered, and the bytes of a message that are read.
enum { MOST_CHECKS = 1024, MOST_RELAYS = 256, LONGEST = 1500 };
// The seconds of RFC 8656 §18.
enum { DEFAULT_LIFETIME = 600 };
// StunUsageIceReturn and StunUsageTurnReturn of libnice.
enum { SUCCESS = 0, INVALID = 2, NO_MAPPED_ADDRESS = 8, RELAY_SUCCESS = 0 };
enum { MAPPED_SUCCESS = 1, TURN_ERROR = 2, TURN_INVALID = 3, ALTERNATE_SERVER = 4 };

typedef struct {
    struct sockaddr_storage address;
    socklen_t length;
} Address;

// The path of a message: the address of the local socket, and for a message that a TURN server carries, that of the
// server, unless the socket is connected to it.
typedef struct {
    Address local, server;
    int is_relayed;
} Path;

typedef struct {
    uint8_t id[ID];
    Path path;
} Check;

typedef struct {
    Path path;
    Address relayed;
} Relay;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Check checks[MOST_CHECKS];
static Relay relays[MOST_RELAYS];
static unsigned check_count, next_relay;
// The path of the message that this thread has received last, but for the local address.
static _Thread_local void *last_socket;
static _Thread_local Path last;

typedef ssize_t Send(void *, void *, Vector *, int, void *, int, int, void *, void *);
typedef int ProcessCheck(void *, struct sockaddr_storage *, socklen_t *, int);
typedef int ProcessRelay(
    void *, struct sockaddr_storage *, socklen_t *, void *, socklen_t *, void *, socklen_t *, uint32_t *, uint32_t *, int);

static int is_channel(uint8_t first) { return first >= FIRST_CHANNEL && first <= LAST_CHANNEL; }

static int is_equal(const Address *one, const Address *other) {
    return one->length == other->length && !memcmp(&one->address, &other->address, one->length);
}

static int is_same(const Path *one, const Path *other) {
    return one->is_relayed == other->is_relayed && is_equal(&one->local, &other->local)
        && (!one->is_relayed || is_equal(&one->server, &other->server));
}

static void read_local(void *socket, Address *local) {
    static _Atomic(void *) descriptor_of;
    if (!descriptor_of) descriptor_of = callrunner_original("g_socket_get_fd", "libgio-2.0.so.0");
    memset(local, 0, sizeof *local);
    local->length = sizeof local->address;
    int descriptor = descriptor_of ? ((int (*)(void *))descriptor_of)(socket) : -1;
    if (getsockname(descriptor, (struct sockaddr *)&local->address, &local->length)) local->length = 0;
}

static void read_address(void *address, Address *result) {
    static _Atomic(void *) write_native, size_of;
    memset(result, 0, sizeof *result);
    if (!address) return;
    if (!size_of) size_of = callrunner_original("g_socket_address_get_native_size", "libgio-2.0.so.0");
    if (!write_native) write_native = callrunner_original("g_socket_address_to_native", "libgio-2.0.so.0");
    if (!size_of || !write_native) return;
    ssize_t size = ((ssize_t (*)(void *))size_of)(address);
    if (size <= 0 || size > (ssize_t)sizeof result->address) return;
    if (((int (*)(void *, void *, size_t, void *))write_native)(address, &result->address, sizeof result->address, NULL))
        result->length = (socklen_t)size;
}

// Finds the transaction of a Binding request, which may be wrapped for a TURN server; NULL if the message is none.
static const uint8_t *transaction(const uint8_t *bytes, size_t count, int *is_relayed) {
    *is_relayed = 0;
    if (count < STUN_HEADER) return NULL;
    if (is_channel(bytes[0])) {
        *is_relayed = 1;
        bytes += CHANNEL_HEADER;
        count -= CHANNEL_HEADER;
    } else if (callrunner_stun_number(bytes) == SEND_INDICATION) {
        *is_relayed = 1;
        bytes = callrunner_stun_value(bytes, count, DATA, SIZE_MAX, &count);
    }
    int is_request = bytes && count >= STUN_HEADER && callrunner_stun_number(bytes) == BINDING_REQUEST;
    return is_request ? bytes + STUN_HEADER - ID : NULL;
}

static Check *find_check(const uint8_t *id) {
    unsigned count = check_count < MOST_CHECKS ? check_count : MOST_CHECKS;
    for (unsigned index = 0; index < count; index++)
        if (!memcmp(checks[index].id, id, ID)) return &checks[index];
    return NULL;
}

static void remember(void *socket, void *address, const uint8_t *bytes, size_t count) {
    Path path;
    memset(&path, 0, sizeof path);
    const uint8_t *id = transaction(bytes, count, &path.is_relayed);
    if (!id) return;
    read_local(socket, &path.local);
    if (path.is_relayed) read_address(address, &path.server);
    pthread_mutex_lock(&mutex);
    Check *check = find_check(id);
    // The newest one takes the place of the oldest one.
    if (!check) check = &checks[check_count++ % MOST_CHECKS];
    memcpy(check->id, id, ID);
    check->path = path;
    pthread_mutex_unlock(&mutex);
}

ssize_t g_socket_send_message(
    void *socket, void *address, Vector *vectors, int count, void *messages, int messages_count, int flags,
    void *cancellable, void *error
);
int stun_usage_ice_conncheck_process(void *message, struct sockaddr_storage *address, socklen_t *length, int mode);
int stun_usage_turn_process(
    void *message, struct sockaddr_storage *relayed, socklen_t *relayed_length, void *mapped, socklen_t *mapped_length,
    void *alternate, socklen_t *alternate_length, uint32_t *bandwidth, uint32_t *lifetime, int mode
);

ssize_t g_socket_send_message(
    void *socket, void *address, Vector *vectors, int count, void *messages, int messages_count, int flags,
    void *cancellable, void *error
) {
    static _Atomic(Send *) send_message;
    if (!send_message) send_message = (Send *)callrunner_original("g_socket_send_message", "libgio-2.0.so.0");
    if (!send_message) abort();  // GIO itself calls this function, so it is loaded
    uint8_t first = count > 0 && vectors[0].size > 0 ? *(const uint8_t *)vectors[0].buffer : 0xFF;
    if (first == 0 || is_channel(first)) {
        uint8_t bytes[LONGEST];
        size_t length = 0;
        for (int index = 0; index < count && length < LONGEST; index++) {
            size_t part = vectors[index].size < LONGEST - length ? vectors[index].size : LONGEST - length;
            memcpy(bytes + length, vectors[index].buffer, part);
            length += part;
        }
        remember(socket, address, bytes, length);
    }
    return send_message(socket, address, vectors, count, messages, messages_count, flags, cancellable, error);
}

void callrunner_note_received(void *socket, void *address, const uint8_t *bytes, size_t count) {
    last_socket = socket;
    uint8_t first = count > 1 ? bytes[0] : 0xFF;
    if (first <= 1 || is_channel(first)) {
        // A Binding response itself has come from the peer; one in something else, or in a stream, from a TURN server.
        last.is_relayed = !address || first != 1 || bytes[1] != 1;
        read_address(address, &last.server);
    } else {
        // Parts of a stream follow each other, from the server to which its socket is connected.
        last.is_relayed = 1;
        last.server.length = 0;
    }
}

static Relay *find_relay(const Path *path) {
    for (unsigned index = 0; index < MOST_RELAYS; index++)
        if (relays[index].relayed.length && is_same(&relays[index].path, path)) return &relays[index];
    return NULL;
}

// Finds the address of the candidate that has sent a check, if the response has come back to it.
static int find_base(const uint8_t *id, Address *base) {
    base->length = 0;
    pthread_mutex_lock(&mutex);
    const Check *check = find_check(id);
    if (check && is_same(&check->path, &last)) {
        const Relay *relay = check->path.is_relayed ? find_relay(&check->path) : NULL;
        if (!check->path.is_relayed) *base = check->path.local;
        if (relay) *base = relay->relayed;
    }
    pthread_mutex_unlock(&mutex);
    return base->length > 0;
}

int stun_usage_ice_conncheck_process(void *message, struct sockaddr_storage *address, socklen_t *length, int mode) {
    static _Atomic(ProcessCheck *) process;
    static _Atomic(void *) read_id;
    if (!process) process = (ProcessCheck *)callrunner_original("stun_usage_ice_conncheck_process", "libnice.so.10");
    if (!read_id) read_id = callrunner_original("stun_message_id", "libnice.so.10");
    if (!process || !read_id) return INVALID;
    int result = process(message, address, length, mode);
    if (result != SUCCESS && result != NO_MAPPED_ADDRESS) return result;
    uint8_t id[STUN_HEADER - 4];  // with the cookie
    ((void (*)(const void *, uint8_t *))read_id)(message, id);
    read_local(last_socket, &last.local);
    Address base;
    if (!find_base(id + sizeof id - ID, &base)) return INVALID;
    memcpy(address, &base.address, sizeof base.address);
    *length = base.length;
    return SUCCESS;
}

int stun_usage_turn_process(
    void *message, struct sockaddr_storage *relayed, socklen_t *relayed_length, void *mapped, socklen_t *mapped_length,
    void *alternate, socklen_t *alternate_length, uint32_t *bandwidth, uint32_t *lifetime, int mode
) {
    static _Atomic(ProcessRelay *) process;
    if (!process) process = (ProcessRelay *)callrunner_original("stun_usage_turn_process", "libnice.so.10");
    if (!process) return TURN_INVALID;
    *lifetime = DEFAULT_LIFETIME;  // libnice reads it even if the server does not send it
    int result = process(
        message, relayed, relayed_length, mapped, mapped_length, alternate, alternate_length, bandwidth, lifetime, mode);
    // libnice does not check whether it could connect to another server.
    if (result == ALTERNATE_SERVER) return TURN_ERROR;
    if (result != RELAY_SUCCESS && result != MAPPED_SUCCESS) return result;
    // libnice frees the candidate of an allocation that is over at once, and uses it further.
    if (!*lifetime) return TURN_INVALID;
    Relay relay;
    memset(&relay, 0, sizeof relay);
    read_local(last_socket, &relay.path.local);
    relay.path.server = last.server;
    relay.path.is_relayed = 1;
    memcpy(&relay.relayed.address, relayed, sizeof *relayed);
    relay.relayed.length = *relayed_length;
    pthread_mutex_lock(&mutex);
    Relay *known = find_relay(&relay.path);
    if (!known) known = &relays[next_relay++ % MOST_RELAYS];
    *known = relay;
    pthread_mutex_unlock(&mutex);
    return result;
}
