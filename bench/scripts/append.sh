# One string and one array that grow by appending.
s= a=()
for (( i = 0; i < 60000; i++ )); do s+=x; a+=("$i"); done
echo "${#s} ${#a[@]} ${a[59999]}"
