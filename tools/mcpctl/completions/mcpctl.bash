# SPDX-License-Identifier: MIT
# Completion of mcpctl for bash. mcpctl finds the words; if there are none, bash
# completes files.
_mcpctl() {
  local line=${COMP_LINE:0:COMP_POINT} breaks word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then # a server's command
      if declare -F _command_offset >/dev/null; then
        _command_offset $((i + 1))
      elif ((COMP_CWORD == i + 1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
      fi
      return
    fi
  done
  mapfile -t COMPREPLY < <("$1" complete-line "$line" 2>/dev/null)
  [[ ${COMPREPLY[0]-} != *[=/:] ]] || compopt -o nospace
  # bash replaces only what follows the last = or : of the word.
  breaks=${COMP_WORDBREAKS//[^=:]/}
  if [[ -n $breaks ]]; then
    word=${line##*[[:space:]]}
    word=${word%"${word##*[$breaks]}"}
    COMPREPLY=("${COMPREPLY[@]#"$word"}")
  fi
}
complete -o default -F _mcpctl mcpctl
