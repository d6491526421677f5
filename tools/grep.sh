# Searches for the pattern $1 in $2. Prints the number of files searched and that of all
# files in a line; then the matches, as NAME NUL NUMBER ":" TEXT NEWLINE. The status is that
# of the search: 1 where there are none, 2 where something has failed.
pattern=$1 path=$2 fold=$3 literal=$4 all=$5
shift 5
export LC_ALL=C.UTF-8
count() { tr -cd '\0' | wc -c; }
options=()
if [ "$literal" ]; then options+=(-F); fi
if [ "$fold" ]; then options+=(-i); fi
if command -v rg > /dev/null; then
  choose=()
  for glob; do choose+=(-g "$glob"); done
  total=$(rg --files -0 -uu "${choose[@]}" -- "$path" 2> /dev/null | count)
  if [ "$all" ]; then choose+=(-uu); fi
  searched=$(rg --files -0 "${choose[@]}" -- "$path" 2> /dev/null | count)
  printf '%d %d\n' "$searched" "$total"
  exec rg --no-config --color never --no-heading --binary -H -n -0 "${options[@]}" "${choose[@]}" -e "$pattern" -- "$path"
else
  choose=()
  for glob; do
    case $glob in
      !*) choose+=("--exclude=${glob#!}") ;;
      *) choose+=("--include=$glob") ;;
    esac
  done
  total=$(grep -rLZ "${choose[@]}" -e '$.^' -- "$path" 2> /dev/null | count)
  if [ ! "$all" ] && [ -d "$path" ]; then choose+=('--exclude=.*' '--exclude-dir=.?*'); fi
  searched=$(grep -rLZ "${choose[@]}" -e '$.^' -- "$path" 2> /dev/null | count)
  if [ ! "$literal" ]; then options+=(-E); fi
  echo 'rg is not in this sandbox: grep was used, which knows no .gitignore' >&2
  printf '%d %d\n' "$searched" "$total"
  exec grep -rHnZ "${options[@]}" "${choose[@]}" -e "$pattern" -- "$path"
fi
