# Building, replacing, changing and testing strings.
n=0
for (( i = 0; i < 40000; i++ )); do
  s="item $i,"; t=${s//,/;}; u=${t^^}
  [[ $u == ITEM*\; ]] && n=$((n + ${#u}))
done
echo "$n"
