# File names: made, matched, tested.
mkdir d; cd d
for i in {1..400}; do : > "f$i.txt"; done
n=0
for (( r = 0; r < 20; r++ )); do
  for f in *[02468].txt; do [[ -f $f ]] && n=$((n + 1)); done
done
echo "$n"
cd ..; rm -r d
