// Takes the place of a function of GIO, because the executable exports it (Makefile).
//
// libnice 0.1.21 reads each message that a TURN server sends over TCP into 65,536 bytes, and trusts the length that the
// server states, so that longer messages overwrite memory. It also reads from a socket for as long as data arrives,
// while nobody takes the packets from its queue, which has no limit. Here, the connection of a message that does not fit
// counts as closed, and after some packets the socket as empty, so that the queue is emptied first.
#include "original.h"
#include "socket.h"
#include <stdlib.h>
#include <sys/types.h>

// The longest rest of a message: the first four bytes are read before it. And the packets that are read at a time.
enum { LONGEST_REST = 65532, MOST_READS = 64 };
enum { WOULD_BLOCK = 27 };  // GIOErrorEnum

typedef ssize_t Receive(void *, void **, Vector *, int, void *, int *, int *, void *, void *);

// The socket from which this thread has read last, and how many times in succession.
static _Thread_local void *busy_socket;
static _Thread_local unsigned reads;

static ssize_t would_block(void *error) {
    static _Atomic(void *) domain, set_error;
    if (!domain) domain = callrunner_original("g_io_error_quark", "libgio-2.0.so.0");
    if (!set_error) set_error = callrunner_original("g_set_error_literal", "libglib-2.0.so.0");
    if (!domain || !set_error) abort();  // GIO itself calls these functions, so they are loaded
    uint32_t quark = ((uint32_t (*)(void))domain)();
    ((void (*)(void *, uint32_t, int, const char *))set_error)(error, quark, WOULD_BLOCK, "read again later");
    return -1;
}

ssize_t g_socket_receive_message(
    void *socket, void **address, Vector *vectors, int count, void *messages, int *messages_count, int *flags,
    void *cancellable, void *error
);

ssize_t g_socket_receive_message(
    void *socket, void **address, Vector *vectors, int count, void *messages, int *messages_count, int *flags,
    void *cancellable, void *error
) {
    static _Atomic(Receive *) receive;
    if (!receive) receive = (Receive *)callrunner_original("g_socket_receive_message", "libgio-2.0.so.0");
    if (!receive) abort();  // as above
    int is_libnice = count == 1 && !messages && !cancellable;
    if (is_libnice && !address && vectors[0].size > LONGEST_REST) return 0;
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
    callrunner_note_received(socket, address ? *address : NULL, count > 0 ? vectors[0].buffer : NULL, size);
    return length;
}
