#compdef callrunner
# Completion of callrunner for zsh.

_callrunner_values() { # fixed values, and FILE if a file is possible as well; a path follows a value with a colon
    if compset -P '(@paths@):'; then
        _files
        return
    fi
    local -a choices=(${=1})
    local found=1
    compadd -S '' -- ${(M)choices:#*:} && found=0
    compadd -- ${choices:#*:} && found=0
    [[ $2 == FILE ]] && _files && found=0
    return found
}

@functions@
_callrunner() {
    local -a commands=(
@commands@
    )
    local command=call
    if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
        _describe -t commands command commands
        return
    fi
    if (( CURRENT > 2 && $+functions[_callrunner_$words[2]] )); then
        command=$words[2]
        shift words
        (( CURRENT-- ))
    fi
    _callrunner_$command
}

_callrunner "$@"
