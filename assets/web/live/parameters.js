// The size of pictures in a sequence parameter set of H.264 (ITU-T H.264, 7.3.2.1.1).

const HIGH_PROFILES = [44, 83, 86, 100, 110, 118, 122, 128, 138, 244];

/** A reader of bits, which skips emulation prevention bytes. */
class Bits {
  #bytes;
  #at = 0;

  constructor(unit) {
    const kept = [];
    for (const byte of unit) {
      const isPrevention = byte === 3 && kept.at(-1) === 0 && kept.at(-2) === 0;
      if (!isPrevention) kept.push(byte);
    }
    this.#bytes = kept;
  }

  bit() {
    if (this.#at >= this.#bytes.length * 8) throw new Error("a parameter set is cut off");
    const bit = (this.#bytes[this.#at >> 3] >> (7 - (this.#at & 7))) & 1;
    this.#at += 1;
    return bit;
  }

  bits(count) {
    let number = 0;
    for (let left = count; left > 0; left -= 1) number = number * 2 + this.bit();
    return number;
  }

  /** Reads an Exp-Golomb code (9.1). */
  code() {
    let zeros = 0;
    while (this.bit() === 0) zeros += 1;
    if (zeros > 31) throw new Error("a parameter set is damaged");
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  signedCode() {
    const number = this.code();
    return number % 2 ? (number + 1) / 2 : -number / 2;
  }
}

function skipScalingList(bits, count) {
  let [last, next] = [8, 8];
  for (let left = count; left > 0; left -= 1) {
    if (next !== 0) next = (last + bits.signedCode() + 256) % 256;
    if (next !== 0) last = next;
  }
}

/** Reads the fields of the sample format; returns `chroma_format_idc`. */
function readFormat(bits) {
  const format = bits.code();
  if (format === 3) bits.bit();
  bits.code();
  bits.code();
  bits.bit();
  if (!bits.bit()) return format;
  for (let list = 0; list < (format === 3 ? 12 : 8); list += 1) {
    if (bits.bit()) skipScalingList(bits, list < 6 ? 16 : 64);
  }
  return format;
}

/**
 * Returns the width and height in which pictures are shown.
 * @param {Uint8Array} unit a sequence parameter set with its header
 */
export function shownSize(unit) {
  const bits = new Bits(unit.subarray(1, 1024));
  const profile = bits.bits(8);
  bits.bits(16);
  bits.code();
  const format = HIGH_PROFILES.includes(profile) ? readFormat(bits) : 1;
  bits.code();
  const order = bits.code();
  if (order === 0) bits.code();
  if (order === 1) {
    bits.bit();
    bits.signedCode();
    bits.signedCode();
    for (let left = Math.min(bits.code(), 255); left > 0; left -= 1) bits.signedCode();
  }
  bits.code();
  bits.bit();
  const [across, down] = [bits.code() + 1, bits.code() + 1];
  const isProgressive = bits.bit() === 1;
  if (!isProgressive) bits.bit();
  bits.bit();
  const size = { width: 16 * across, height: 16 * down * (isProgressive ? 1 : 2) };
  if (!bits.bit()) return size;
  const [left, right, top, bottom] = [bits.code(), bits.code(), bits.code(), bits.code()];
  const unitWidth = format === 1 || format === 2 ? 2 : 1;
  const unitHeight = (format === 1 ? 2 : 1) * (isProgressive ? 1 : 2);
  return { width: size.width - (left + right) * unitWidth, height: size.height - (top + bottom) * unitHeight };
}
