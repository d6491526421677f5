# A counting loop in arithmetic commands.
i=0 s=0
while (( i < 300000 )); do (( s += i * 3 % 7 )); (( i++ )); done
echo "$s"
