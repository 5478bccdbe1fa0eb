/// The type markers of AMF 0 values.
enum AMFType: UInt8 {
    case number, boolean, string, object
    case null = 5
    case undefined, reference, associativeArray, objectEnd, array, date, longString, unsupported
    case xml = 15
    case typedObject
}
