// Takes the place of the function of GnuTLS, because the executable exports it (Makefile).
//
// glib-networking 2.74 asks it for each session ticket that a server sends, and keeps all of them (TLS 1.3, RFC 8446
// §4.6.1). A server can send any number. Without it, a connection begins with a whole handshake.
int gnutls_session_get_data2(void *session, void *data);

int gnutls_session_get_data2(void *session, void *data) {
    (void)session;
    (void)data;
    return -1250;  // GNUTLS_E_UNIMPLEMENTED_FEATURE
}
