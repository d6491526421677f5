f1() { echo $(  echo   a;echo b ) "$( echo  c;  echo d )" `echo   x` <(echo  z;echo y) $(<file) $( ) $((  1+2 )) ${x:-$( a;b )}; }
f2() { a=(1   2  # c
 "x  y" [3]=z); declare -a b=( 1   2 ); a+=( x ); echo $'a\tb' $"hi" "$'x'" ${x:-$'y\n'}; }
f3() { for x; do echo; done; for x in a  b ; do echo; done; for ((i=0;i<3;i++)); do echo; done; for ((;;)) { break; }; select y in 1 2; do echo; done; }
f4() { case $x in a|b) echo a; echo b;; (c) ;; d) echo d;& e) echo e;;& *) ;; esac; case x in esac; }
f5() { if a; then b; elif c; then d; else e; fi; if a; b; then c & fi; while a; do b; done; until a; b; do c & done; }
f6() { a && b || c; a | b |& c; ! a | b; time a; time -p ! a; ! time a | b; a & b & c; a; b & c; d & }
f7() { ( a; b ); { a; b; }; (a) >f; { a; } 2>&1; (( a  +  1 )); [[ a == b && ( -f x || ! y ) ]]; [[ ! ( a =~ ^b ) ]]; [[ a ]]; }
f8() { a <f >g 2>h 2>&1 >&2 <&3 3<&- >&- <>x 4<>y >|z >>w &>u &>>v <<<str 5<<<s {fd}>q {fd}<&- >&f 2>&$x 3>&4- <&5-; }
f9() { cat <<E; echo a
hi $x
E
cat <<-'E F' | b
	tab
	E F
a && cat <<E && b
x
E
if cat <<E
q
E
then b; fi
}
f10() ( a; b )
f11() { a; } >x 2>&1
f12() { function g { h; }; k() ( l ); function m () { n; } >x; }
f13() { coproc a b; coproc N { a; }; coproc { a; }; coproc N (a); }
f14() { 
 # comment
 a=1 b=2 c d   e \
 f
 a=1
 >x
 >x a
 ! 
}
f15() for x in a; do b; done
f16() if a; then b; fi
f17() [[ a ]]
f18() { { { a; }; }; ( ( a ) ); { a; } | { b; }; ( { a; }; b ); }
f19() { while read x; do { a; b; } ; done < <(c; d); }
function if { :; }
g1() { echo $(( $( echo   1 ) + $(echo  2) )) ${a[$( echo  1 )]} ${x:$( echo  1 ):2} $[ $( echo  3 ) ] "$(( $( echo   1 ) ))"; a[$( echo  1 )]=3; (( $( echo  1 ) )); let "a=$( echo  1)"; }
g2() { x=$(cat <<E
hi $(  echo   a )
E
); echo $(cat <<E; echo b
z
E
)
y=$(
 if a; then b; fi
 for x in a; do b; done
 case x in a) b;; esac
 { a; b; }
 ( c; d )
 f() { g; }
 while a; do b; done &
 a && b | c
 # comment
)
echo `a
b` "a\
b" a\
b 'a\
b' "x\\
y"
}
g3() { [[ $( echo  1 ) == a\
b ]]; [[ a =~ (x|y)  ]]; [[ -n $x && ! -z "a  b" || a<b ]]; [[ a -eq 1 ]]; [[ (! a) ]]; [[ ! ! a ]]; }
g4() { a >&$x; a <&$x; a 1>&$x; a 0<&$x; a 3<&$x; a >&"f"; a >& f; a >&-; a <&-; a &>>f; a 2>f; a 1>f; a 0<f; a 10>f; a 3>>f; a 3<>f; a 3>|f; a 1<>f;  a >&1-; a {v}>&1 {v}<f {v}<<<x {v}>>z {v}<>y {v}>|y {v}<&3; a 0<<<x; a 2<<<x; a >&2-; a >&$x-; a 1>&$x-; }
g5() { while a <<E
x
E
do b; done; }
g6() { cat <<E
a
E
}
g7() { { cat <<E
a
E
} >x; b; }
g8() { cat <<A <<B
a
A
b
B
}
g9() { for x in a; do cat <<E
a
E
done; b
}
g10() { cat <<E &
a
E
cat <<E &
b
E
}
g11() { (cat <<E
a
E
); (cat <<E; b
a
E
) }
g12() { case x in a) cat <<E
a
E
;; b) a; cat <<E
z
E
esac; }
g13() { a | cat <<E | b
x
E
}
g14() { cat <<E || c <<F
a
E
f
F
d; }
g15() { 
cat <<E
a
E
cat <<E
b
E
cat <<E
c
E
}
g16() { 3<<E cat <<\F {v}<<G
a
E
$b
F
G
}
g17() { if a; then cat <<E
x
E
elif b; then cat <<E
y
E
else cat <<E
z
E
fi; }
h1() { echo "${x:-$'y'}" "${x#$'y'}" ${x:-$"y"} $'it\'s' $'\x41\u00e9\101\cA'; }
h2() { a $(x
y; z
w) `q   r`; [[ $( a;  b ) ]]; for x in $( a;b ) y; do :; done; case $( a;b ) in $( c;d )) :;; esac; cat <<< $( a;b ) > $( c;d ); }
h3() { a; { b & }; ( c & ); { d; e & }; if a & then b & else c & fi; }
h4() { ! { a; }; time { a; }; time ( a; b ); ! a && ! b; ! time a; time; time -p; a || time b; }
h5() { a=1 b=(2 3) c=$(d  e) f; declare -A m=([a b]=c ["d"]="e  f" [g]+=h); m[a b]=c; m[x]+=y; x+=(a   b); export a=b c; local -r x=$( y  z ); }
h6() { let a=1+2 b=3; alias x='y'; echo a=b; }
h7() { cat <<"E" <<-\F
$a \
b
E
	$c
	F
}
h8() { cat <<E
a \
b $( c   d ) `e   f` ${g:-$( h   i )}
E
}
h9() { cat <<-E
	a
		b $(c
	d)
E
}
h10() { function a { b; } ; c() if d; then e; fi; f() { g; } >h; i() (j); }
h11() { a $( case x in a) b;; esac ) "$( f() { g; }; h )"; }
h12() { coproc X while a; do b; done; coproc while a; do b; done; coproc a >b; coproc { a; } >b; }
h13() { a <(b  c) >(d  e); }
h14() { { a; } | while b; do c; done; if a; then b; fi | c; ( a ) && { b; } || c; }
h15() { if { a; }; then b; fi; while ( a ) ; do b; done; if a | b; then c; fi; if a && b; then c; fi; if ! a; then b; fi; if a
b
then c
d
fi; }
h16() { for ((  i = 0 ; i < 3 ;  i++ )); do a; done; for (( ; ; )) do a; done; for x in; do a; done; for x do a; done;  select x; do a; done; for ((i=0;i<$( a  b );i++)) { c; } }
h17() { (( a ? b : c )); ((a)); (( x = ( 1 + 2 ) )); }
h18() { a; b
c;
d & e
f & 
}
k1() { a=`b | \
	c 'd'`; }
k2() { ${x} "${y[@]}" "$@" $'\n' ${a:-"b  c"} ${#x} ${!y*} ${z//a/b } ~/x {a,b} *.[ch] \$ \  a\;b; }
k3() { a=$((b; c) | d  e); a=$((b  +  c)); a=$( (b;c)|d ); }
k4() { b() { c; } | d; e() { f; } && g || h; coproc i  j | k; coproc { l; } | m; }
k5() { [[ ! a && b || ! c && ! d ]]; [[ a || b && c ]]; [[ ! ( a || b ) && c ]]; }
k6() { ! ! a; ! ! ! a; time ! a; time -p -- a; ! time ! a | b; time; ! ; }
k7() { declare -f >a b; export >a b=c; m[a b]=c; m[/x/y]+=$d; n=([a/b]=c [d e]+=f g); o[1]=(p); }
k8() { ${a~} "${a~~}" ${a~~b} ${#@} ${##} ${###} ${#-} ${##a} ${a[@]::1} ${a[x y]} ${!a} ${a&b} ${(%):-x}; }
k9() { (( )); (( a b )); : $((1.5)) $(( )) $[ a b ]; for ((a b;;c d)) { :; }; }
k10() { x=1 z; let a=1 b+=2 'c = d'; let e[1]++; nameref f; }
k11() { for x
{ a; }; for x in b
{ c; }; for x in d; { e; }; select y; { z; }; for ((;;)) { q; }; for ((;;)); { q; }; for ((;;))
do q; done; for x;
do w; done; for x
in a; do :; done; for x; { v; }; case x
in a) b;;
esac; case x in
esac; while a
do b
done; if a
then b
elif c
then d
fi; until
a
do
b
done; function g
{ h; }; function k()
( l ); m()
{ n; }; o() if p; then q; fi; }
k12() { function a ( b ); function c ( d ) >e && f; x=("$a"="$b" $c=d); }
