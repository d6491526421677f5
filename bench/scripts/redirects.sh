# A loop of redirections.
for (( i = 0; i < 8000; i++ )); do echo "$i" >> out; done
n=0
while read -r _; do n=$((n + 1)); done < out
echo "$n"
rm out
