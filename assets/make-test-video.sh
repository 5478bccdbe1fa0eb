#!/usr/bin/env bash
# Makes webRtcTestVideo.mp4, the video and audio that a call sends if there is no camera.
#
# The file suits a source without transcoding: constrained baseline, one slice per frame, closed GOPs of
# exactly one second, no B-frames, no SEI; Opus in packets of 20 ms. Both tracks start at 0 and last
# exactly 10 s (300 frames, 500 packets, no edit list), so that the file loops without a gap.
#
# Usage: assets/make-test-video.sh [OUTPUT.mp4]      needs: ffmpeg, fonts-dejavu-core
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
output=${1:-$here/webRtcTestVideo.mp4}
fonts=/usr/share/fonts/truetype/dejavu
bold=$fonts/DejaVuSans-Bold.ttf
mono=$fonts/DejaVuSansMono-Bold.ttf
seconds=10
rate=30

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The ribbons are drawn at a quarter of the size: travelling waves with a period of 10 s.
wave() { # amplitude, wave length, speed, phase, half width, weight
    echo "$6*exp(-pow((Y-50-$1*sin(2*PI*(X/$2-$3*T)+$4))/$5,2))"
}
ribbon="min(255,$(wave 26 160 0.5 0 3 235)+$(wave 18 107 0.3 2 2 150)+$(wave 30 213 0.2 4 1.5 110))"

cat > "$scratch/picture" <<FILTERS
gradients=s=1280x720:r=$rate:d=$seconds:n=3:c0=0x070b1f:c1=0x1d1552:c2=0x083f5c
    :x0=0:y0=0:x1=1279:y1=719:speed=0.00001, format=yuv420p [background];

color=black:s=320x100:r=$rate:d=$seconds, format=gray, geq=lum='$ribbon',
    scale=1280:400:flags=bicubic [ribbonShape];
color=0x4fd8ff:s=1280x400:r=$rate:d=$seconds, format=yuva420p [ribbonColour];
[ribbonColour][ribbonShape] alphamerge [ribbons];

color=white:s=380x380:r=$rate:d=$seconds, format=yuva420p,
    geq=lum=255:cb=128:cr=128:a='90*exp(-pow((hypot(X-190,Y-190)-176)/2.2,2))' [ring];
color=0xffb347:s=72x72:r=$rate:d=$seconds, format=yuva420p,
    geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='255*clip(30-hypot(X-36,Y-36),0,1)' [ball];

[background][ribbons] overlay=0:250 [a];
[a][ring] overlay=830:116 [b];
[b][ball] overlay=x='1020-36+176*sin(PI*t)':y='306-36-176*cos(PI*t)':eval=frame,

drawbox=x=940:y=226:w=160:h=160:color=white@0.30:t=3,
drawbox=x=940:y=226:w=160:h=160:color=white:t=fill:enable='lt(mod(n,$rate),3)',

drawtext=fontfile=$bold:text='callrunner':x=72:y=64:fontsize=40:fontcolor=white,
drawtext=fontfile=$mono:text='test picture and tone':x=74:y=118:fontsize=22:fontcolor=white@0.60,
drawtext=fontfile=$bold:text='FRAME':x=74:y=206:fontsize=22:fontcolor=0x4fd8ff,
drawtext=fontfile=$bold:text='%{eif\:n\:d\:3}':x=62:y=232:fontsize=190:fontcolor=white:borderw=6:bordercolor=0x0a0f2a@0.6,
drawtext=fontfile=$mono:text='%{pts\:hms}':x=28:y=440:fontsize=72:fontcolor=white:borderw=4:bordercolor=0x0a0f2a@0.6,

drawbox=x=72:y=562:w=1136:h=6:color=white@0.25:t=fill,
drawbox=x=72:y=602:w=142:h=54:color=white:t=fill,
drawbox=x=214:y=602:w=142:h=54:color=0xf2d544:t=fill,
drawbox=x=356:y=602:w=142:h=54:color=0x41d6d6:t=fill,
drawbox=x=498:y=602:w=142:h=54:color=0x4fc96b:t=fill,
drawbox=x=640:y=602:w=142:h=54:color=0xd65bd6:t=fill,
drawbox=x=782:y=602:w=142:h=54:color=0xe5484d:t=fill,
drawbox=x=924:y=602:w=142:h=54:color=0x3f6bea:t=fill,
drawbox=x=1066:y=602:w=142:h=54:color=black:t=fill,
drawtext=fontfile=$mono:text='1280x720  30 fps  H.264  Opus 48 kHz':x=72:y=676:fontsize=18:fontcolor=white@0.55,
null [dressed];
color=0xffb347:s=28x28:r=$rate:d=$seconds, format=yuva420p,
    geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='255*clip(13-hypot(X-14,Y-14),0,1)' [knob];
[dressed][knob] overlay=x='58+1136*t/$seconds':y=551:eval=frame, format=yuv420p [picture]
FILTERS

# A beep of 1 kHz for a tenth of a second with soft edges, at the start of each second, and a quiet chord that
# differs between left and right, so that gaps are audible and visible in the level.
beep="0.35*sin(2*PI*1000*t)*lt(mod(t,1),0.1)*min(1,min(mod(t,1),0.1-mod(t,1))/0.004)"
left="$beep+0.012*sin(2*PI*220*t)+0.008*sin(2*PI*330*t)"
right="$beep+0.012*sin(2*PI*275*t)+0.008*sin(2*PI*440*t)"

ffmpeg -hide_banner -loglevel error -y -filter_complex_script "$scratch/picture" -map '[picture]' \
    -frames:v $((seconds * rate)) -c:v libx264 -preset veryslow -tune zerolatency \
    -profile:v baseline -level:v 3.1 -pix_fmt yuv420p -b:v 1000k -maxrate 1300k -bufsize 1000k \
    -x264-params "keyint=$rate:min-keyint=$rate:scenecut=0:bframes=0:ref=1:slices=1:sliced-threads=0:threads=1:force-cfr=1:repeat-headers=0" \
    -bsf:v filter_units=remove_types=6 -video_track_timescale 90000 -fflags +bitexact "$scratch/video.mp4"

# A variable bit rate, because qtdemux takes packets of one constant size for raw samples. An additional second is
# encoded and cut off, because the encoder pads its last packets.
ffmpeg -hide_banner -loglevel error -y \
    -f lavfi -i "aevalsrc='$left|$right':s=48000:d=$((seconds + 1))" \
    -c:a libopus -application audio -vbr constrained -b:a 96k -frame_duration 20 -fflags +bitexact \
    "$scratch/audio.ogg"

ffmpeg -hide_banner -loglevel error -y -i "$scratch/video.mp4" -i "$scratch/audio.ogg" \
    -map 0:v -map 1:a -c copy -frames:a $((seconds * 50)) \
    -bsf:a setts=pts=N*960:dts=N*960:duration=960 \
    -video_track_timescale 90000 -use_editlist 0 -movflags +faststart \
    -fflags +bitexact -map_metadata -1 "$output"

echo "$output: $(stat -c %s "$output") bytes"
