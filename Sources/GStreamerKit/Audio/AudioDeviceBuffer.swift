internal import CGStreamer
internal import GLibKit

/// The buffer of an open audio device; its lengths are in nanoseconds.
package struct AudioDeviceBuffer: Hashable, Sendable {
    package let length: UInt64
    /// The length of one write to the device.
    package let period: UInt64
    /// Whether a GStreamer thread keeps the device's own buffer full, as with ALSA.
    ///
    /// A sound server instead requests the audio that it needs.
    package let isKeptFull: Bool

    package init(length: UInt64, period: UInt64, isKeptFull: Bool) {
        (self.length, self.period, self.isKeptFull) = (length, period, isKeptFull)
    }

    /// The time between the removal of audio from the buffer and its playback.
    ///
    /// Audio must be written at least this long before its playback, or it is not heard.
    package var readAhead: UInt64 {
        // PulseAudio's buffer is as long as the device's latency plus two periods.
        isKeptFull ? length + period : length - min(length, 2 * period)
    }
}

/// The amounts of audio that an open device has taken from its buffer and played, in nanoseconds.
package struct AudioDeviceProgress: Hashable, Sendable {
    /// The audio taken from the buffer; a sound server reports it only from time to time.
    package let taken: UInt64
    /// The audio that has been played.
    package let heard: UInt64

    package init(taken: UInt64, heard: UInt64) { (self.taken, self.heard) = (taken, heard) }
}

extension Element {
    /// The buffer of an audio sink's device; nil while the device is not open, and for any other element.
    package var audioDeviceBuffer: AudioDeviceBuffer? {
        guard let ring = ringBuffer() else { return nil }
        defer { gst_object_unref(ring) }
        guard gst_audio_ring_buffer_is_acquired(ring) != 0 else { return nil }
        let spec = ring.pointee.spec
        let bytesPerSecond = UInt64(max(0, spec.info.rate)) * UInt64(max(0, spec.info.bpf))
        guard bytesPerSecond > 0, spec.segsize > 0, spec.segtotal > 0 else { return nil }
        let nanoseconds = { (bytes: UInt64) in bytes * 1_000_000_000 / bytesPerSecond }
        let period = UInt64(spec.segsize)
        return AudioDeviceBuffer(
            length: nanoseconds(period * UInt64(spec.segtotal)),
            period: nanoseconds(period),
            isKeptFull: Self.isInstance(UnsafeMutableRawPointer(pointer), of: gst_audio_sink_get_type())
        )
    }

    /// The progress of an audio sink's device; nil while the device is not open, and for any other element.
    package var audioDeviceProgress: AudioDeviceProgress? {
        guard let ring = ringBuffer() else { return nil }
        defer { gst_object_unref(ring) }
        // Read only once: the rate becomes 0 when the device is closed.
        let rate = UInt64(max(0, ring.pointee.spec.info.rate))
        guard gst_audio_ring_buffer_is_acquired(ring) != 0, rate > 0,
            let clock = gst_element_provide_clock(pointer)
        else { return nil }
        defer { gst_object_unref(clock) }
        guard Self.isInstance(UnsafeMutableRawPointer(clock), of: gst_audio_clock_get_type()) else {
            return nil
        }
        let audioClock = UnsafeMutableRawPointer(clock).assumingMemoryBound(to: GstAudioClock.self)
        let heard = gst_audio_clock_adjust(audioClock, gst_clock_get_internal_time(clock))
        let samples = UInt64(gst_audio_ring_buffer_samples_done(ring))
        let taken = samples.multipliedReportingOverflow(by: 1_000_000_000)
        guard !taken.overflow else { return nil }
        return AudioDeviceProgress(
            taken: taken.partialValue / rate,
            heard: UInt64(heard)
        )
    }

    /// Returns an audio sink's ring buffer with a new reference, because the sink releases its own when it is
    /// closed; nil for any other element.
    private func ringBuffer() -> UnsafeMutablePointer<GstAudioRingBuffer>? {
        guard Self.isInstance(UnsafeMutableRawPointer(pointer), of: gst_audio_base_sink_get_type()) else {
            return nil
        }
        let sink = self.object.cast(to: GstAudioBaseSink.self)
        let object = object.cast(to: GstObject.self)
        callrunner_object_lock(object)
        defer { callrunner_object_unlock(object) }
        guard let ring = sink.pointee.ringbuffer else { return nil }
        gst_object_ref(ring)
        return ring
    }

    private static func isInstance(_ pointer: UnsafeMutableRawPointer, of type: GType) -> Bool {
        g_type_check_instance_is_a(pointer.assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }
}
