#!/usr/bin/env bash
# Makes media files that are difficult to send in a call, for tests and experiments.
#
# Usage: Tests/awkward-files.sh FOLDER [NAME ...]
# Without names it makes all of them; `--list` in place of a folder prints the names. Existing files are kept.
set -euo pipefail

asset="$(cd "$(dirname "$0")/.." && pwd)/assets/webRtcTestVideo.mp4"
video=(-f lavfi -i "testsrc2=size=320x180:rate=30:duration=4")
audio=(-f lavfi -i "sine=frequency=440:duration=4:sample_rate=48000")
plain=(-c:v libx264 -preset ultrafast -profile:v baseline -pix_fmt yuv420p -g 30 -bf 0)
av=("${video[@]}" "${audio[@]}")

run() { ffmpeg -v error -nostdin -y "$@"; }

declare -A recipes=(
    [b-frames.mp4]="high_b_frames" [aac-5.1.mkv]="surround" [hevc.mp4]="hevc" [vp9.webm]="vp9" [av1.mkv]="av1"
    [mp3.mov]="mp3_in_mov" [silent.mp4]="silent" [sound.m4a]="sound_only" [variable.mkv]="variable_rate"
    [rotated.mp4]="rotated" [vp8.webm]="vp8" [theora.ogg]="theora" [long.mp4]="long" [tone.mp3]="tone_mp3"
    [tone.wav]="tone_wav" [tone.ogg]="tone_ogg" [damaged.mp4]="damaged"
)

high_b_frames() {
    run "${av[@]}" -c:v libx264 -preset veryfast -profile:v high -bf 3 -b_strategy 0 -pix_fmt yuv420p \
        -c:a aac -ac 2 -f mp4 "$1"
}
surround() { run "${av[@]}" "${plain[@]}" -c:a aac -ac 6 -f matroska "$1"; }
hevc() { run "${av[@]}" -c:v libx265 -preset ultrafast -x265-params log-level=none -c:a aac -ac 2 -f mp4 "$1"; }
vp9() { run "${av[@]}" -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 30 -c:a libopus -f webm "$1"; }
av1() { SVT_LOG=0 run "${av[@]}" -c:v libsvtav1 -preset 12 -g 30 -c:a libopus -f matroska "$1" 2>/dev/null; }
mp3_in_mov() { run "${av[@]}" "${plain[@]}" -c:a libmp3lame -f mov "$1"; }
silent() { run "${video[@]}" "${plain[@]}" -f mp4 "$1"; }
sound_only() { run "${audio[@]}" -c:a aac -f ipod "$1"; }
variable_rate() { # alternately half a second at 30 fps and half a second at 10 fps
    run "${av[@]}" -vf "select='lt(mod(n,30),15)+not(mod(n,3))'" -vsync vfr "${plain[@]}" -c:a libopus \
        -f matroska "$1"
}
rotated() { # like a phone held upright: the frames are rotated, as declared in the metadata
    run "${av[@]}" "${plain[@]}" -c:a libopus -f mp4 "$1.upright"
    run -i "$1.upright" -c copy -metadata:s:v rotate=270 -f mp4 "$1"
    rm "$1.upright"
}
vp8() { run "${av[@]}" -c:v libvpx -deadline realtime -cpu-used 8 -g 30 -c:a libvorbis -f webm "$1"; }
theora() { run "${av[@]}" -c:v libtheora -q:v 6 -c:a libvorbis -f ogg "$1"; }
# An hour of the test video, half a gigabyte, which reveals whether a program loads the whole file.
long() { run -stream_loop 359 -i "$asset" -c copy -f mp4 "$1"; }
tone_mp3() { run "${audio[@]}" -c:a libmp3lame -f mp3 "$1"; }
tone_wav() { run "${audio[@]}" -c:a pcm_s16le -f wav "$1"; }
tone_ogg() { run "${audio[@]}" -c:a libvorbis -f ogg "$1"; }
damaged() { # every thousandth byte of the media data is changed; the index is intact
    high_b_frames "$1"
    python3 - "$1" <<'PYTHON'
import sys

path = sys.argv[1]
data = bytearray(open(path, "rb").read())
start = data.index(b"mdat") + 4000
end = data.index(b"moov", start) - 4 if b"moov" in data[start:] else len(data)
for place in range(start, end, 1000):
    data[place] ^= 0x5A
open(path, "wb").write(data)
PYTHON
}

if [[ ${1:-} == --list ]]; then
    printf '%s\n' "${!recipes[@]}" | sort
    exit
fi
folder=${1:?usage: awkward-files.sh FOLDER [NAME ...]}
shift
mkdir -p "$folder"
(($#)) || set -- "${!recipes[@]}"
for name; do
    [[ -e $folder/$name ]] && continue
    [[ -n ${recipes[$name]:-} ]] || {
        echo "awkward-files.sh: there is no recipe for $name" >&2
        exit 64
    }
    "${recipes[$name]}" "$folder/.$name.part"
    mv "$folder/.$name.part" "$folder/$name"
done
