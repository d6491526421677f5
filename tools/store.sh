# The file tools, for sandboxes whose files only scripts can reach: $1 says what to do,
# $2 is an absolute name. Needs the GNU tools.
set -u
export LC_ALL=C
name=$2
dir=${name%/*}
base=${name##*/}
case $1 in
  entry)
    real=$(realpath -m -- "${dir:-/}" && printf x) || exit
    real=${real%$'\n'x}
    real=${real%/}/$base
    case $base in '' | . | ..)
      real=$(realpath -m -- "$name" && printf x) || exit
      real=${real%$'\n'x} ;;
    esac
    printf '%s\0' "$real"
    if [ -e "$real" ] || [ -L "$real" ]; then
      stat --printf '%F\0%s\0%.9Y\0' -- "$real"
    else
      printf 'missing\0000\0000\0'
    fi
    ;;
  copy) exec cat -- "$name" ;;
  replace)
    mkdir -p -- "${dir:-/}" || exit
    temp=$dir/.${base:0:200}.$3.tmp
    set -C
    (umask 077 && : > "$temp") || exit
    set +C
    if cat > "$temp" &&
      if [ -e "$name" ]; then chmod --reference="$name" -- "$temp"; else chmod -- "$(printf %o $((0666 & ~$(umask))))" "$temp"; fi &&
      sync -- "$temp" && mv -fT -- "$temp" "$name"; then
      exit 0
    fi
    status=$?
    rm -f -- "$temp"
    exit "$status"
    ;;
  remove) rm -- "$name" ;;
  private) mkdir -p -m 700 -- "$name" ;;
esac
