"""Lies: false or unusual session descriptions and certificates of a peer.

A lie changes the text of the peer's descriptions, or the certificate that it presents.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from aiortc import RTCCertificate
from aiortc.rtcdtlstransport import certificate_digest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from .aiortc_flood import EXTENSION, random_sources

FINGERPRINT = re.compile(r"a=fingerprint:(\S+) (\S+)\r\n")


@dataclass(frozen=True)
class Lie:
    """A change to the session description, the certificate that replaces the usual one, and a change to a second offer.

    The second offer follows the first one when the call has connected, and its answer is ignored.
    """

    change: Callable[[str], str] = lambda sdp: sdp
    certificate: Callable[[], RTCCertificate] | None = None
    again: Callable[[str], str] | None = None

    def second_offer(self, offer: str) -> str:
        """Returns the changed offer with the next version in its `o=` line."""
        return re.sub(r"(?m)^(o=\S+ \S+ )(\d+)", lambda m: m[1] + str(int(m[2]) + 1), self.again(offer))


def lines(change: Callable[[str, str], list[str]]) -> Lie:
    """Replaces every `a=fingerprint` line by the lines that `change` returns for its hash function and value."""

    def replaced(found: re.Match) -> str:
        return "".join(f"a=fingerprint:{line}\r\n" for line in change(found[1], found[2]))

    return Lie(lambda sdp: FINGERPRINT.sub(replaced, sdp))


def altered(value: str) -> str:
    return value[:-1] + ("1" if value.endswith("0") else "0")


def another(function: str, _value: str) -> list[str]:
    """Returns the fingerprint of an unrelated certificate."""
    return [f"{function} {OTHER[function]}"]


def only(kept: str) -> Callable[[str, str], list[str]]:
    return lambda function, value: [f"{function} {value}"] if function == kept else []


def port_zero(sdp: str) -> str:
    return re.sub(r"m=(\w+) \d+ ", r"m=\1 0 ", sdp)


def other_payload_types(sdp: str) -> str:
    """Replaces all payload types by numbers that no sent packet has."""
    types = {number: str(96 + (int(number) * 7 + 5) % 31) for number in re.findall(r"a=rtpmap:(\d+)", sdp)}
    sdp = re.sub(r"a=(rtpmap|fmtp|rtcp-fb):(\d+)", lambda m: f"a={m[1]}:{types.get(m[2], m[2])}", sdp)
    sdp = re.sub(r"apt=(\d+)", lambda m: f"apt={types.get(m[1], m[1])}", sdp)
    return re.sub(
        r"(m=(?:audio|video) \d+ \S+) ([\d ]+)",
        lambda m: f"{m[1]} " + " ".join(types.get(number, number) for number in m[2].split()),
        sdp,
    )


ABSURD_CANDIDATES = "".join(
    f"a=candidate:{line}\r\n"
    for line in (
        "1 1 udp 4294967295 255.255.255.255 9 typ host",
        "2 1 udp 1 0.0.0.0 0 typ host",
        "3 1 udp 1 224.0.0.1 65535 typ srflx raddr 0.0.0.0 rport 0",
        "4 1 udp 1 192.0.2.1 99999 typ host",
        "5 256 udp 99999999999999999999 ::1 -1 typ relay",
        "6 1 sctp 1 127.0.0.1 7 typ unheard-of",
        "7 1 udp 1 %n%n%s%s 9 typ host",
        "8 1 udp 1 " + "x" * 5000 + ".local 9 typ host",
        "9",
        "",
    )
)


def with_absurd_candidates(sdp: str) -> str:
    return re.sub(r"(a=mid:[^\r]*\r\n)", lambda m: m[1] + ABSURD_CANDIDATES, sdp)


def naming_the_flood(sdp: str) -> str:
    """Adds the first SSRC of a flood to the last section, which is video."""
    return f"{sdp}a=ssrc:{random_sources(1)[0]} cname:flood\r\n"


def without_bundle(sdp: str) -> str:
    return re.sub(r"a=group:BUNDLE.*\r\n", "", sdp)


def video_in_two_directions(sdp: str) -> str:
    """Repeats the direction of video, which webrtcbin takes for no direction."""
    return naming_the_flood(sdp) + "a=sendrecv\r\n"


def credentials_twice(sdp: str) -> str:
    """Moves the ICE credentials from the sections to the session, twice."""
    lines = [re.search(rf"a=ice-{name}:\S+\r\n", sdp)[0] * 2 for name in ("ufrag", "pwd")]
    sdp = re.sub(r"a=ice-(ufrag|pwd):\S+\r\n", "", sdp)
    return sdp.replace("m=", "".join(lines) + "m=", 1)


def certificate(subject: list[str]) -> RTCCertificate:
    """Returns a self-signed certificate with these organizational units in its subject."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.ORGANIZATIONAL_UNIT_NAME, text) for text in subject])
    now = datetime.now(UTC)
    # The name is used only as the subject, because aiortc splits a DTLS flight at 1500 bytes regardless of records.
    issuer = x509.Name([])
    builder = x509.CertificateBuilder(issuer, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    return RTCCertificate(key, builder.sign(key, hashes.SHA256()))


OTHER = {
    function: certificate_digest(certificate(["Other"])._cert, function)
    for function in ("sha-256", "sha-384", "sha-512")
}

def with_extension(sdp: str) -> str:
    """Agrees on a header extension that was not offered (RFC 6051)."""
    return re.sub(r"(a=mid:[^\r]*\r\n)", rf"\1a=extmap:{EXTENSION} urn:ietf:params:rtp-hdrext:ntp-64\r\n", sdp)


LIES = {
    "extension": Lie(with_extension),
    "digit": lines(lambda function, value: [f"{function} {altered(value)}"]),
    "another-certificate": lines(another),
    "strongest": lines(lambda f, value: [f"{f} {altered(value) if f == 'sha-512' else value}"]),
    "sha-1": lines(lambda function, value: [f"sha-1 {value[:59]}"] if function == "sha-256" else []),
    "unknown-function": lines(lambda _, value: [f"sha3-256 {value}"]),
    "malformed": lines(lambda function, value: [f"{function} {value[1:]}"]),
    "none": lines(lambda *_: []),
    "lower-case": lines(lambda function, value: [f"{function.upper()} {value.lower()}"]),
    "sha-256-alone": lines(only("sha-256")),
    "sha-512-alone": lines(only("sha-512")),
    "one-of-two": lines(lambda f, value: [f"{f} {altered(value)}", f"{f} {value}"] if f == "sha-256" else []),
    "password": Lie(lambda sdp: re.sub(r"a=ice-pwd:\S+", "a=ice-pwd:" + "x" * 22, sdp)),
    "dtls-role": Lie(lambda sdp: sdp.replace("a=setup:active", "a=setup:passive")),
    "payload-types": Lie(other_payload_types),
    "ports": Lie(port_zero),
    "unbundled-later": Lie(naming_the_flood, again=without_bundle),
    "two-directions": Lie(video_in_two_directions),
    "credentials-twice": Lie(credentials_twice),
    "candidates": Lie(with_absurd_candidates),
    # A subject of 710 bytes, for which OpenSSL prints 2100 characters: six for each of its letters.
    "subject": Lie(certificate=lambda: certificate(["\N{LATIN CAPITAL LETTER A WITH MACRON}" * 30] * 10)),
    "subject-of-300-bytes": Lie(certificate=lambda: certificate(["Z" * 60] * 4)),
}
