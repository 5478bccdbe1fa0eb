// Takes the place of a function of GIO, because the executable exports it (Makefile).
//
// libnice 0.1.21 reads each message that a TURN server sends over TCP into 65,536 bytes, and trusts the length that the
// server states, so that longer messages overwrite memory. A request of the server itself, which libnice may take for a
// connectivity check of the peer, can end the process in an assertion. libnice also reads from a socket for as long as
// data arrives, while nobody takes the packets from its queue, which has no limit.
//
// Here, the connection of a message that does not fit counts as closed, and a request of the server becomes a response,
// which libnice ignores because it awaits none. libnice reads streams only from TURN servers, because ICE over TCP is
// off (WebRTCBin) and there is no proxy. After some packets a socket counts as empty, so that the queue is
// emptied first.
#include "original.h"
#include "socket.h"
#include "stun.h"
#include <stdlib.h>
#include <sys/types.h>

// The beginning of a message, which libnice reads before the rest, and the longest rest.
enum { BEGINNING = 4, LONGEST_REST = 65532 };
// The first type of ChannelData (RFC 8656 §12), and the bits of the class of other types, which requests do not set.
enum { FIRST_CHANNEL = 0x4000, CLASS = 0x0110 };
enum { MOST_READS = 64, WOULD_BLOCK = 27 };  // the reads in succession, and of GIOErrorEnum

typedef ssize_t Receive(void *, void **, Vector *, int, void *, int *, int *, void *, void *);

// The socket from which this thread has read last, and how many times in succession.
static _Thread_local void *busy_socket;
static _Thread_local unsigned reads;

// Finds a function that GIO itself calls, so that its library is loaded.
static void *found(_Atomic(void *) *function, const char *name, const char *library) {
    if (!*function) *function = callrunner_original(name, library);
    if (!*function) abort();
    return *function;
}

static ssize_t would_block(void *error) {
    static _Atomic(void *) domain, set;
    uint32_t quark = ((uint32_t (*)(void))found(&domain, "g_io_error_quark", "libgio-2.0.so.0"))();
    typedef void SetError(void *, uint32_t, int, const char *);
    ((SetError *)found(&set, "g_set_error_literal", "libglib-2.0.so.0"))(error, quark, WOULD_BLOCK, "read again later");
    return -1;
}

// Finds the number of bytes of a message that are still to be read, which is stored in the socket.
static size_t *rest_of(void *socket) {
    static _Atomic(void *) get, set;
    static const char key[] = "callrunner-rest";
    typedef void *Get(void *, const char *);
    typedef void Set(void *, const char *, void *, void (*)(void *));
    size_t *rest = ((Get *)found(&get, "g_object_get_data", "libgobject-2.0.so.0"))(socket, key);
    if (rest) return rest;
    rest = calloc(1, sizeof *rest);
    if (!rest) abort();  // as GLib does
    ((Set *)found(&set, "g_object_set_data_full", "libgobject-2.0.so.0"))(socket, key, rest, free);
    return rest;
}

// Follows how libnice reads messages from a TURN server, and makes responses of requests.
static void read_part(void *socket, const Vector *part, size_t count) {
    size_t *rest = rest_of(socket);
    if (*rest) {
        *rest -= count < *rest ? count : *rest;
    } else if (count == part->size && count <= BEGINNING) {
        uint8_t *beginning = (uint8_t *)part->buffer + count - BEGINNING;
        unsigned type = callrunner_stun_number(beginning);
        size_t length = callrunner_stun_number(beginning + 2) + (type < FIRST_CHANNEL ? STUN_HEADER : BEGINNING);
        *rest = (length + 3) / 4 * 4 - BEGINNING;
        if (type >= FIRST_CHANNEL || type & CLASS) return;
        beginning[0] |= CLASS >> 8;
        beginning[1] |= CLASS & 0xFF;
    }
}

ssize_t g_socket_receive_message(
    void *socket, void **address, Vector *vectors, int count, void *messages, int *messages_count, int *flags,
    void *cancellable, void *error
);

ssize_t g_socket_receive_message(
    void *socket, void **address, Vector *vectors, int count, void *messages, int *messages_count, int *flags,
    void *cancellable, void *error
) {
    static _Atomic(void *) original;
    Receive *receive = (Receive *)found(&original, "g_socket_receive_message", "libgio-2.0.so.0");
    int is_libnice = count == 1 && !messages && !cancellable;
    int is_stream = is_libnice && !address;
    if (is_stream && vectors[0].size > LONGEST_REST) return 0;
    // An empty message of a channel has no rest; 0 bytes would count as the end of the connection.
    if (is_stream && !vectors[0].size) return would_block(error);
    if (is_libnice && socket == busy_socket && reads >= MOST_READS) {
        reads = 0;
        return would_block(error);
    }
    ssize_t length = receive(socket, address, vectors, count, messages, messages_count, flags, cancellable, error);
    if (socket != busy_socket || length <= 0) reads = 0;
    busy_socket = socket;
    reads++;
    size_t size = length > 0 && count > 0 ? vectors[0].size : 0;
    if (size > (size_t)length) size = length > 0 ? (size_t)length : 0;
    if (is_stream && size) read_part(socket, &vectors[0], size);
    callrunner_note_received(socket, address ? *address : NULL, count > 0 ? vectors[0].buffer : NULL, size);
    return length;
}
