# Here-documents with expansions.
n=0
for (( i = 0; i < 5000; i++ )); do
  read -r a b <<END
$i $((i * 2))
END
  n=$((n + a + b))
done
echo "$n"
