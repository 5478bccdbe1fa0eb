/// The IDs of message types.
package enum RTMPMessageType {
    static let setChunkSize: UInt8 = 1
    static let abort: UInt8 = 2
    static let acknowledgement: UInt8 = 3
    static let userControl: UInt8 = 4
    static let windowSize: UInt8 = 5
    static let peerBandwidth: UInt8 = 6
    package static let audio: UInt8 = 8
    package static let video: UInt8 = 9
    static let dataAMF3: UInt8 = 15
    static let commandAMF3: UInt8 = 17
    static let data: UInt8 = 18
    static let command: UInt8 = 20
    static let aggregate: UInt8 = 22
}
