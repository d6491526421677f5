# Counting words in an associative array.
declare -A count
for (( i = 0; i < 60000; i++ )); do (( count[word$((i % 500))]++ )); done
t=0
for k in "${!count[@]}"; do (( t += count[$k] )); done
echo "${#count[@]} $t"
