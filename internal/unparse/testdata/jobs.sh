{ sleep .5; a && b | c; if d; then e; fi; } &
( sleep .5; for x in 1 2; do echo $(  b  ); done ) &
sleep .5 | cat >x 2>&1 &
sleep .5 && { a; b; } || c &
while sleep .5; do
  a
  b
done &
{ sleep .5; case x in a) b;; c|d) e;& esac; } &
{ sleep .5; f() { a; }; [[ a ]]; (( 1 )); } &
{ sleep .5; cat <<E; echo b; } &
x
E
! { sleep .5; cat <<E
y
E
} &
time sleep .5 &
sleep .5 & sleep .4 &
