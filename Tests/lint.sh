#!/usr/bin/env bash
# Checks rules of the project that swift-format does not know. Prints only violations.
set -euo pipefail
cd "$(dirname "$0")/.."

findings=0
report() { # rule; the violations come from standard input
    local lines
    lines=$(cat)
    [[ -z $lines ]] && return
    echo "lint: $1"
    sed 's/^/    /' <<<"$lines"
    findings=$((findings + 1))
}

swift_files() { find "$@" -name '*.swift' -not -path '*/.build*' -print0; }

# Prints `file:line:code` for each line whose code without comments matches.
matching() { # extended regular expression, directories ...
    local pattern=$1
    shift
    swift_files "$@" | PATTERN=$pattern xargs -0 -r awk '
        { code = $0; sub(/(^|[^:])\/\/.*/, "", code) }
        code ~ ENVIRON["PATTERN"] { print FILENAME ":" FNR ": " $0 }'
}

report "one asynchronous style: no Combine, Dispatch or detached task" < <(
    matching '(^|[^A-Za-z])((Open)?Combine|DispatchQueue|DispatchSemaphore|DispatchGroup|Task\.detached)([^A-Za-z]|$)' Sources Tests
    matching '^[a-z ]*import +Dispatch' Sources Tests
)
report "continuations only in GLibKit and Basics/State" < <(
    matching 'with(Checked|Unsafe)(Throwing)?Continuation' Sources Tests/CallTesting |
        grep -vE '^Sources/(GLibKit|Basics/State)/' || true
)
report "no completion handlers" < <(
    matching '(^|[^A-Za-z])(completion *:|completion[A-Za-z]* *: *@)' Sources Tests
)
report "no sleeping or blocking to wait" < <(
    matching '(^|[^A-Za-z.])(usleep|nanosleep|sleep|Thread\.sleep) *\(' Sources Tests |
        grep -vE '(func|case) sleep *\(' || true
)
report "no TODO or FIXME" < <(grep -rnE --include='*.swift' --include='*.py' --include='*.sh' --exclude=lint.sh \
    --exclude-dir='.build*' '(TODO|FIXME)' Sources Tests assets bench packaging || true)
report "no Swift file above 450 lines" < <(
    swift_files Sources Tests | xargs -0 -r awk 'FNR == 451 { print FILENAME }'
)

# The import arrows of docs/ARCHITECTURE.md: each target with the targets and C modules that it may import. Others
# (Foundation, NIOCore …) are restricted only by the rules below.
arrows='
Basics:
GLibKit: CGLib
GStreamerKit: Basics GLibKit CGLib CGStreamer
DesktopKit: Basics GLibKit CGLib CSecret
SocketIO: Basics
TextModel:
WindowKit: Basics TextModel CPango CSDL
SoupKit: Basics GLibKit CGLib CSoup
UserStore: Basics DesktopKit GLibKit
SocketIOClient: Basics SocketIO SoupKit GLibKit
CallCore: Basics
AppFlow: AccountsCore Basics CallCore ChatCore LiveCore
MediaKit: Basics GStreamerKit GLibKit
CallMedia: Basics CallCore GStreamerKit GLibKit MediaKit
CallSignaling: Basics CallCore SocketIOClient SocketIO
LiveCore: Basics
AccountsCore: Basics
ChatCore: Basics
AccountsClient: AccountsCore Basics GLibKit SoupKit UserStore
ChatClient: Basics ChatCore GLibKit SoupKit UserStore
LiveMedia: Basics GLibKit GStreamerKit LiveCore MediaKit RTMP SoupKit
LiveServer: Basics HTTPFront LiveCore RTMP ServerStore
RTMP: Basics
ServerStore:
AccountsServer: AccountsCore Basics HTTPFront ServerStore
ChatServer: Basics ChatCore FrontParsers HTTPFront ServerStore
FrontParsers: Basics
HTTPFront: Basics FrontParsers
SignalingServer: Basics CallCore FrontParsers HTTPFront SocketIO RedisKit
RedisKit:
CBuild:
CPhone:
PhoneKit: CPhone
BasicsTesting: Basics
GLibTesting: GLibKit CGLib
AccountsTesting:
FrontTesting:
CallTesting: Basics CallCore
CallWindow: AccountsCore Basics AppFlow CallCore ChatCore LiveCore PhoneKit WindowKit CSDL
callrunner: Basics CallCore AppFlow CallMedia CallSignaling CallWindow HTTPFront SignalingServer RedisKit SocketIO SocketIOClient DesktopKit GStreamerKit GLibKit MediaKit LiveCore LiveMedia LiveServer UserStore WindowKit CBuild AccountsClient AccountsCore AccountsServer ChatClient ChatCore ChatServer ServerStore SoupKit PhoneKit
'
modules=" CGLib CGStreamer CSoup CSecret CSDL CPango $(sed -n 's/:.*//p' <<<"$arrows" | tr '\n' ' ')"

imports() { # directory; prints `file:line module`
    swift_files "$1" | xargs -0 -r awk '
        { sub(/\/\/.*/, "") }
        /^ *(@[A-Za-z_()]+ +)*((public|package|internal|fileprivate|private) +)?import +/ {
            sub(/.*import +((struct|class|enum|protocol|func|typealias|var|let) +)?/, "")
            sub(/[. ].*/, "")
            print FILENAME ":" FNR " " $0
        }'
}

for directory in Sources/*/ Tests/BasicsTesting/ Tests/GLibTesting/ Tests/AccountsTesting/ Tests/CallTesting/ \
    Tests/FrontTesting/; do
    target=$(basename "$directory")
    [[ $target == C[A-Z]* && -e $directory/module.modulemap ]] && continue
    allowed=$(sed -n "s/^$target://p" <<<"$arrows")
    grep -q "^$target:" <<<"$arrows" || {
        report "each target has a line in the arrows of Tests/lint.sh" <<<"$target"
        continue
    }
    report "$target may import only:${allowed:- none of our modules}" < <(
        imports "$directory" | while read -r place module; do
            [[ $modules == *" $module "* && " $allowed $target " != *" $module "* ]] && echo "$place imports $module"
            true
        done
    )
done
report "Basics, AccountsCore, CallCore, ChatCore, LiveCore and AppFlow are pure Swift" < <(
    for target in Basics AccountsCore CallCore ChatCore LiveCore AppFlow; do imports "Sources/$target"; done | grep -E ' (Glibc|Musl|FoundationNetworking|NIO[A-Za-z]*)$' || true
)
report "Basics and TextModel depend on nothing but the standard library" < <(
    for target in Basics TextModel; do imports "Sources/$target"; done | grep -vE ' (Swift|Synchronization)$' || true
)
report "FrontParsers depends on Basics and SwiftNIO alone" < <(
    imports Sources/FrontParsers | grep -vE ' (Basics|Glibc|NIOCore|NIOHTTP1|NIOWebSocket)$' || true
)
report "SocketIO depends on Basics alone" < <(imports Sources/SocketIO | grep -v ' Basics$' || true)

if ((findings)); then
    echo "lint: $findings rules broken" >&2
    exit 1
fi
