# A pipeline of filters over a large stream.
seq 1 200000 | grep 7 | sed 's/7/seven/' | sort -r | uniq | wc -l
