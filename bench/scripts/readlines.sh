# A file read line by line, split into fields.
seq 1 30000 | sed 's|.*|&,name&,x|' > lines
n=0
while IFS=, read -r id name _; do n=$((n + id + ${#name})); done < lines
echo "$n"
rm lines
