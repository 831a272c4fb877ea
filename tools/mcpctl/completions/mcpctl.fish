# SPDX-License-Identifier: MIT
# Completion of mcpctl for fish. mcpctl finds the words; if there are none, fish
# completes files.
function __mcpctl_words
    set -l before (commandline -opc)
    if contains -- -- $before[2..-1] # a server's command
        set -l at (contains -i -- -- $before)
        complete -C (string join ' ' -- (string escape -- $before[(math $at + 1)..-1]) (commandline -ct))
        return
    end
    set -l found (mcpctl complete-line (commandline -cp | string collect) 2>/dev/null)
    if set -q found[1]
        string join \n -- $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c mcpctl -f -a '(__mcpctl_words)'
