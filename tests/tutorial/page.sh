#!/usr/bin/env bash
# page.sh [--update] PTXMC PAGE FOLDER: the commands of a Markdown page, run in FOLDER, print what the page shows. In a block
# ```console a line "$ COMMAND" is run, and the lines up to the next one, or the end of the block, are what it prints, errors
# too; "$ echo $?" is the exit status of the command before it. A block ```LANGUAGE FILE is text of FOLDER/FILE. A line "..."
# stands for any lines. A block ```measured is likewise, but that each number may be another one, and the GPU. Times and empty lines
# at the end may differ. --update puts what commands print now, all of it, in place of what is wrong; excerpts are left alone.
set -euo pipefail
update=''
[[ $1 != --update ]] || { update=yes; shift; }
ptxmc=$(realpath "$1") page=$(realpath "$2") folder=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
ln -s "$ptxmc" "$dir/bin/ptxmc"
export PATH=$dir/bin:$PATH
cd "$folder"

# The lines of one file are those of another, in which "..." is any number of lines.
is() {
  awk -v measured="$measured" '
    function plain(line) {
      if (measured) {
        gsub(/[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/, "N", line)
        gsub(/ +/, " ", line)
        sub(/ (NVIDIA|Fake GPU).* \(sm/, " GPU (sm", line)
      }
      if (line ~ /^Time /) sub(/ [0-9]+\.[0-9][0-9]$/, " T", line)
      return line
    }
    FILENAME == ARGV[1] { want[++n] = plain($0); next }
    { got[++m] = plain($0) }
    END {
      while (n > 0 && want[n] == "") --n
      while (m > 0 && got[m] == "") --m
      fits[0, 0] = 1  # [i, j]: the first i lines that are wanted are the first j that there are
      for (i = 1; i <= n; ++i)
        for (j = 0; j <= m; ++j)
          if (want[i] == "...") fits[i, j] = fits[i - 1, j] || (j > 0 && fits[i, j - 1])
          else fits[i, j] = j > 0 && fits[i - 1, j - 1] && want[i] == got[j]
      exit !fits[n + 0, m + 0]  # of no lines at all, too
    }' "$1" "$2"
}

wrong=0 commands=0 excerpts=0 status=0
command='' block='' file='' measured=''

: >"$dir/want"
: >"$dir/page"  # the page as it is now

# The command that the lines in hand belong to.
finish() {
  [[ -n $command ]] || return 0
  local code=0
  bash -c "(exit $status); $command" >"$dir/got" 2>&1 </dev/null || code=$?
  [[ $command == 'echo $?' ]] || status=$code
  commands=$((commands + 1))
  if ! is "$dir/want" "$dir/got"; then
    echo "$page: $command"
    diff "$dir/want" "$dir/got" || true
    wrong=$((wrong + 1))
    sed -e :end -e '/^\n*$/{$d;N;bend' -e '}' "$dir/got" >"$dir/want"  # but for empty lines at the end
  fi
  cat "$dir/want" >>"$dir/page"
  command=''
  : >"$dir/want"
}

while IFS= read -r line || [[ -n $line ]]; do
  if [[ $line == '```'* && -z $block ]]; then
    block=${line#'```'}
    block=${block:-plain}
    measured=''
    [[ $block != measured ]] || { block=console measured=yes; }
    file=${block#* }
    [[ $block == *' '* ]] || file=''
    [[ -z $file ]] || echo ... >"$dir/want"
  elif [[ $line == '```' ]]; then
    if [[ -n $file ]]; then
      echo ... >>"$dir/want"
      excerpts=$((excerpts + 1))
      if ! is "$dir/want" "$file"; then
        echo "$page: this is not in $file:"
        cat "$dir/want"
        wrong=$((wrong + 1))
      fi
      : >"$dir/want"
    fi
    finish
    echo "$line" >>"$dir/page"
    block='' file=''
    continue
  elif [[ $block == console && $line == '$ '* ]]; then
    finish
    command=${line#'$ '}
  elif [[ $block == console || -n $file ]]; then
    printf '%s\n' "$line" >>"$dir/want"
    [[ $block != console ]] || continue
  fi
  printf '%s\n' "$line" >>"$dir/page"
done <"$page"

[[ -z $update ]] || cat "$dir/page" >"$page"
((commands > 0)) || { echo "$page: no commands"; exit 1; }
((wrong == 0)) || { echo "$wrong of $((commands + excerpts)) are not as the page shows"; exit 1; }
echo "$commands commands and $excerpts excerpts are as the page shows"
