# Command substitutions of builtins, functions and programs.
double() { echo $(( $1 * 2 )); }
n=0
for (( i = 0; i < 500; i++ )); do
  x=$(printf '%05d' "$i"); y=$(double "$i"); z=$(echo "$y" | tr 0-9 a-j)
  n=$((n + ${#x} + ${#z}))
done
echo "$n"
