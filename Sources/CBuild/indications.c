// Takes the place of the function of libnice, because the executable exports it (Makefile).
//
// libnice 0.1.21 asks a TURN server for a permission for each address from which, as the server says, a datagram came
// (Data indication, RFC 8656 §11.4), and keeps 64 KB for each request. A server can name any number of addresses. Here,
// the indications of a TURN server may name a limited number, and others are unreadable to libnice. So are the refusals
// of permissions after some in succession: libnice repeats each request, and keeps all media while it waits. A message
// with a longer user name than RFC 8489 (§14.3) allows is unreadable, too: libnice repeats it in its response, and ends
// the process if there is no room for it; and so is one whose integrity is not that of HMAC-SHA1.
#include "original.h"
#include "stun.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The addresses that the indications to one agent may name, and the agents that are remembered.
enum { MOST_ADDRESSES = 512, MOST_AGENTS = 256 };
// The refusals of permissions that an agent may read in succession.
enum { MOST_REFUSALS = 20 };
// RFC 8656 §17, §18.
enum { DATA_INDICATION = 0x0017, OLD_DATA_INDICATION = 0x0115, PERMITTED = 0x0108, REFUSED = 0x0118 };
enum { XOR_PEER_ADDRESS = 0x0012, LONGEST_ADDRESS = 20 };
enum { USERNAME = 0x0006, LONGEST_USERNAME = 508, INTEGRITY = 0x0008, INTEGRITY_SIZE = 20 };
// StunValidationStatus of libnice.
enum { VALID = 0, BAD_REQUEST = 3 };

typedef struct {
    const void *agent;
    uint64_t last_use;
    unsigned refusals, count;
    uint64_t addresses[MOST_ADDRESSES];
} Senders;

typedef int Validate(void *, void *, const uint8_t *, size_t, void *, void *);
typedef void Init(void *, const uint16_t *, int, int);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Senders all[MOST_AGENTS];
static uint64_t uses;

// Finds the entry of an agent, which takes the place of the one that was not used for longest.
static Senders *senders_of(const void *agent) {
    Senders *oldest = &all[0];
    for (unsigned index = 0; index < MOST_AGENTS; index++) {
        if (all[index].agent == agent) return &all[index];
        if (!all[index].agent || (oldest->agent && all[index].last_use < oldest->last_use)) oldest = &all[index];
    }
    oldest->agent = agent;
    oldest->refusals = oldest->count = 0;
    return oldest;
}

static void forget(const void *agent) {
    pthread_mutex_lock(&mutex);
    for (unsigned index = 0; index < MOST_AGENTS; index++)
        if (all[index].agent == agent) all[index].agent = NULL;
    pthread_mutex_unlock(&mutex);
}

// FNV-1a, which suffices because a collision only lets another address pass.
static uint64_t digest(const uint8_t *bytes, size_t count) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t index = 0; index < count; index++) hash = (hash ^ bytes[index]) * 0x100000001b3;
    return hash;
}

// Finds the address that a Data indication names; 0 if the message is none.
static uint64_t named_address(const uint8_t *message, size_t length) {
    if (length < STUN_HEADER) return 0;
    // libnice takes the type of an old draft for the same.
    unsigned type = callrunner_stun_number(message);
    if (type != DATA_INDICATION && type != OLD_DATA_INDICATION) return 0;
    size_t size;
    const uint8_t *value = callrunner_stun_value(message, length, XOR_PEER_ADDRESS, LONGEST_ADDRESS, &size);
    if (!value) return 0;
    uint8_t key[LONGEST_ADDRESS];
    memcpy(key, value, size);
    // An IPv6 address is also masked with the transaction ID, which the sender chooses.
    for (size_t index = 8; index < size; index++) key[index] ^= message[index];
    return digest(key, size) | 1;
}

static int is_admitted(const void *agent, uint64_t address) {
    pthread_mutex_lock(&mutex);
    Senders *senders = senders_of(agent);
    senders->last_use = ++uses;
    int is_known = 0;
    for (unsigned index = 0; index < senders->count && !is_known; index++)
        is_known = senders->addresses[index] == address;
    if (!is_known && senders->count < MOST_ADDRESSES) {
        senders->addresses[senders->count++] = address;
        is_known = 1;
    }
    pthread_mutex_unlock(&mutex);
    return is_known;
}

// The number of refusals of permissions that an agent has read in succession, with this one if it was valid.
static unsigned count_refusals(const void *agent, unsigned type, int is_valid) {
    pthread_mutex_lock(&mutex);
    Senders *senders = senders_of(agent);
    senders->last_use = ++uses;
    if (is_valid) senders->refusals = type == REFUSED ? senders->refusals + 1 : 0;
    unsigned count = senders->refusals;
    pthread_mutex_unlock(&mutex);
    return count;
}

static int has_allowed_sizes(const uint8_t *message, size_t length) {
    return callrunner_stun_has_size(message, length, USERNAME, 0, LONGEST_USERNAME)
        && callrunner_stun_has_size(message, length, INTEGRITY, INTEGRITY_SIZE, INTEGRITY_SIZE);
}

int stun_agent_validate(void *agent, void *message, const uint8_t *buffer, size_t length, void *validater, void *data);
void stun_agent_init(void *agent, const uint16_t *known, int compatibility, int usage);

int stun_agent_validate(void *agent, void *message, const uint8_t *buffer, size_t length, void *validater, void *data) {
    static _Atomic(Validate *) validate;
    if (!validate) validate = (Validate *)callrunner_original("stun_agent_validate", "libnice.so.10");
    uint64_t address = named_address(buffer, length);
    if (!validate || (address && !is_admitted(agent, address))) return BAD_REQUEST;
    if (length < STUN_HEADER) return validate(agent, message, buffer, length, validater, data);
    if (!has_allowed_sizes(buffer, length)) return BAD_REQUEST;
    unsigned type = callrunner_stun_number(buffer);
    if (type == REFUSED && count_refusals(agent, type, 0) >= MOST_REFUSALS) return BAD_REQUEST;
    int result = validate(agent, message, buffer, length, validater, data);
    if (type == REFUSED || type == PERMITTED) count_refusals(agent, type, result == VALID);
    return result;
}

// Another agent may have been at the same place in memory.
void stun_agent_init(void *agent, const uint16_t *known, int compatibility, int usage) {
    static _Atomic(Init *) init;
    if (!init) init = (Init *)callrunner_original("stun_agent_init", "libnice.so.10");
    forget(agent);
    if (init) init(agent, known, compatibility, usage);
}
