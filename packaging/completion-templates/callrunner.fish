# Completion of callrunner for fish.

function __callrunner_is_first --description 'Whether the word is the first after callrunner'
    test (count (commandline -opc)) -eq 1
end

function __callrunner_on --description 'Whether the line is of this command; call is the default'
    set -l words (commandline -opc)
    set -l command call
    contains -- "$words[2]" @commands@
    and set command $words[2]
    test $command = $argv[1]
end

complete -c callrunner -f
@lines@
