# Completion of callrunner for bash, with the functions of bash-completion.

declare -gA _callrunner_words=(
@words@
)
declare -gA _callrunner_flags=(
@flags@
)
declare -gA _callrunner_values=(
@values@
)

_callrunner_complete() { # the possible words, with FILE, FOLDER and LIST as in packaging/completions
    local before= choices=" $1 " word
    [[ $choices != *' LIST '* ]] || before=${cur%"${cur##*,}"}
    if [[ $cur == *:* && $choices == *" ${cur%%:*}: "* ]]; then
        before=${cur%%:*}:
        choices=' FILE '
    fi
    cur=${cur#"$before"}
    for word in $choices; do
        case $word in
            FILE) _filedir ;;
            FOLDER) _filedir -d ;;
            LIST) ;;
            "$cur"*) COMPREPLY+=("$word") ;;
        esac
    done
    COMPREPLY=("${COMPREPLY[@]/#/$before}")
    __ltrim_colon_completions "$before$cur"
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace
}

_callrunner() {
    local cur prev words cword split command=call
    _init_completion -s -n : || return
    [[ $cword -eq 1 || ! ${_callrunner_flags[${words[1]}]-} ]] || command=${words[1]}
    local choices=${_callrunner_flags[$command]}
    if [[ ${_callrunner_values[$command$prev]+set} ]]; then
        choices=${_callrunner_values[$command$prev]}
    elif [[ $cur != -* && $cword -eq 1 ]]; then
        choices=${!_callrunner_flags[*]}
    elif [[ $cur != -* ]]; then
        choices=${_callrunner_words[$command]:-$choices}
    fi
    _callrunner_complete "$choices"
} &&
    complete -F _callrunner callrunner
