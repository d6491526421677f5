# The supervisor: runs a command within a time limit, ends all that it has started, and
# keeps its output and its status in files, so that nobody has to be connected. Written
# for any sh and /proc.
#
#   sh supervisor run JOB SECONDS DIRECTORY COMMAND [ARGUMENT...]
#   sh supervisor stop JOB REASON GRACE
#   sh supervisor signal JOB NUMBER
#
# A job is a directory: in, out and err are the streams, status is how the command has
# ended, and whether there was no space left; reason is why it was ended, dir is where it
# was then. Its processes are known
# by the variable LIMPET_JOB, by their session, and by their parents.
verb=$1 job=$2

members() { # sets of: the processes of the job, and fails where there are none
  of=' ' main= more=1
  { read -r main < "$job/pid"; } 2> /dev/null
  while [ "$more" ]; do # those that are marked, or whose parent, group or session is one of them
    more= any=${main:-none}
    for f in $of; do any="$any|$f"; done
    for f in $(grep -lsaE -e "LIMPET_JOB=$job" -e "\\) [A-Y] (-?[0-9]+ ){0,2}($any) " /proc/[0-9]*/environ /proc/[0-9]*/stat 2> /dev/null); do
      f=${f#/proc/} f=${f%/*}
      case $of in *" $f "*) ;; *) of="$of$f " more=1 ;; esac
    done
  done
  [ "$of" != ' ' ]
}

kill_all() {
  tries=0
  while members && [ "$tries" -lt 300 ]; do
    kill -9 $of 2> /dev/null
    tries=$((tries + 1))
    sleep 0.01
  done
}

stop() { # REASON GRACE
  tries=0
  while [ ! -s "$job/pid" ] && [ "$tries" -lt 100 ]; do
    [ ! -s "$job/status" ] || return 0
    tries=$((tries + 1))
    sleep 0.02
  done
  [ ! -s "$job/status" ] || return 0
  [ -s "$job/reason" ] || echo "$1" > "$job/reason"
  { read -r main < "$job/pid"; } 2> /dev/null
  readlink "/proc/$main/cwd" > "$job/dir" 2> /dev/null || rm -f "$job/dir"
  members && kill -15 $of 2> /dev/null
  tries=0
  while [ ! -s "$job/status" ] && [ "$tries" -lt "$2" ]; do
    members || break
    tries=$((tries + 1))
    sleep 0.05
  done
  [ -s "$job/status" ] || kill_all
}

trim() { # drops the oldest output of a process, a segment at a time
  while sleep 3; do
    size=$(wc -c < "$job/out") old=0
    { read -r old < "$job/oldest"; } 2> /dev/null
    want=$(((size - 67108864) / 8388608 * 8388608))
    if [ "$want" -gt "${old:-0}" ] && fallocate -p -o 0 -l "$want" "$job/out" 2> /dev/null; then
      echo "$want" > "$job/oldest"
    fi
  done
}

run() { # SECONDS DIRECTORY COMMAND...
  echo $$ > "$job/supervisor"
  echo '                ' > "$job/end" # room for the status where there is none left
  seconds=$1
  if ! cd -- "$2" 2> /dev/null; then
    echo directory > "$job/reason"
    echo 126 > "$job/status"
    return
  fi
  shift 2
  watch=
  if [ "$seconds" != 0 ]; then
    (trap 'kill $!; exit' TERM; sleep "$seconds" & wait $!; stop timeout 20) &
    watch=$!
  elif [ -p "$job/in" ]; then
    (trap 'kill $!; exit' TERM; trim & wait $!) &
    watch=$!
  fi
  # The shell that writes its number becomes the command, as the leader of a session.
  # The streams are those of a subshell, so that this shell does not write to them.
  (
    if [ -r "${job%/*}/setup" ]; then . "${job%/*}/setup"; fi
    if [ -p "$job/in" ]; then exec <> "$job/in" > "$job/out" 2>&1; else exec < "$job/in" > "$job/out" 2> "$job/err"; fi
    LIMPET_JOB=$job exec sh -c 'echo $$ > "$LIMPET_JOB/pid"; exec setsid "$@"' sh "$@"
  )
  status=$?
  [ -z "$watch" ] || [ -s "$job/reason" ] || kill "$watch" 2> /dev/null
  if members; then
    tries=0
    while [ ! -s "$job/reason" ] && [ "$tries" -lt 8 ]; do # what is left to be written
      tries=$((tries + 1))
      sleep 0.01
      members || break
    done
    kill_all
  fi
  echo . 2> /dev/null > "$job/probe" || status="$status full"
  echo "$status" 1<> "$job/end"
  mv -f "$job/end" "$job/status"
}

shift 2
case $verb in
  run) run "$@" ;;
  stop) stop "$@" ;;
  signal) members && kill "-$1" $of ;;
esac
