# What an agent's script does most: functions, case, arrays, tests.
log() { local level=$1; shift; messages+=("[$level] $*"); }
handle() {
  case $1 in
    start|stop) log info "$1 $2" ;;
    *.txt) log file "${1%.txt}" ;;
    [0-9]*) (( total += $1 )) ;;
    *) log warn "unknown: $1" ;;
  esac
}
messages=() total=0
for (( i = 0; i < 8000; i++ )); do
  handle start "$i"; handle "note$i.txt"; handle "$i"; handle other
done
echo "$total ${#messages[@]} ${messages[-1]}"
