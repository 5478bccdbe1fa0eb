internal import CGLib

/// The types of GIO and GObject whose first use may occur on several threads at the same time.
enum GIOTypes {
    /// Registers the types when it is read for the first time; must be read before other threads use GIO.
    ///
    /// GLib 2.74 registers a type on its first use. If one thread does that while another one initializes a class that
    /// uses the same type, each waits for a lock of the other: a deadlock.
    static let areRegistered: Bool = {
        let types = [
            g_initable_get_type(), g_async_initable_get_type(), g_cancellable_get_type(), g_task_get_type(),
            g_io_stream_get_type(), g_input_stream_get_type(), g_output_stream_get_type(),
            g_pollable_input_stream_get_type(), g_pollable_output_stream_get_type(),
            g_filter_input_stream_get_type(), g_filter_output_stream_get_type(),
            g_buffered_input_stream_get_type(), g_data_input_stream_get_type(),
            g_memory_input_stream_get_type(), g_memory_output_stream_get_type(),
            g_converter_get_type(), g_converter_input_stream_get_type(), g_zlib_decompressor_get_type(),
            g_file_get_type(), g_seekable_get_type(), g_icon_get_type(),
            g_socket_connectable_get_type(), g_socket_address_get_type(),
            g_socket_address_enumerator_get_type(), g_inet_address_get_type(),
            g_inet_socket_address_get_type(), g_network_address_get_type(), g_network_service_get_type(),
            g_proxy_address_get_type(), g_proxy_address_enumerator_get_type(), g_proxy_resolver_get_type(),
            g_simple_proxy_resolver_get_type(), g_proxy_get_type(),
            g_subprocess_get_type(), g_subprocess_launcher_get_type(),
            g_unix_input_stream_get_type(), g_unix_output_stream_get_type(),
            g_datagram_based_get_type(), g_socket_get_type(), g_socket_client_get_type(),
            g_socket_connection_get_type(), g_tcp_connection_get_type(), g_tcp_wrapper_connection_get_type(),
            g_socket_listener_get_type(), g_resolver_get_type(), g_network_monitor_get_type(),
            g_tls_backend_get_type(), g_tls_certificate_get_type(), g_tls_connection_get_type(),
            g_tls_client_connection_get_type(), g_tls_server_connection_get_type(),
            g_tls_database_get_type(), g_tls_file_database_get_type(), g_tls_interaction_get_type(),
            g_dtls_connection_get_type(), g_dtls_client_connection_get_type(),
            g_dbus_connection_get_type(), g_dbus_message_get_type(), g_dbus_proxy_get_type(),
        ]
        return types.allSatisfy { $0 != 0 }
    }()
}
