# A file read line by line, split into fields.
seq -f '%g,name%g,x' 1 30000 > lines
n=0
while IFS=, read -r id name _; do n=$((n + id + ${#name})); done < lines
echo "$n"
rm lines
