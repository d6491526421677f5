# Recursion with locals: a function that calls itself twice.
fib() {
  local n=$1
  if (( n < 2 )); then R=$n; return; fi
  fib $((n - 1)); local a=$R
  fib $((n - 2)); R=$((a + R))
}
fib 20; echo "$R"
