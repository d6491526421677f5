package jq

import "math"

var mathNatives = func() map[string]*native {
	set := map[string]*native{
		"infinite/0":   of(func(*machine, Value) (Value, error) { return math.Inf(1), nil }),
		"nan/0":        of(func(*machine, Value) (Value, error) { return nan, nil }),
		"isinfinite/0": is(func(n float64) bool { return math.IsInf(n, 0) }),
		"isnan/0":      is(func(n float64) bool { return n != n }),
		"isnormal/0": is(func(n float64) bool {
			return n != 0 && n == n && !math.IsInf(n, 0) && math.Abs(n) >= 0x1p-1022
		}),
		"abs/0": of(func(m *machine, in Value) (Value, error) {
			n, ok := number(in)
			if !ok {
				return nil, fail("%s has no absolute value", m.shown(in))
			}
			if n < 0 {
				return -n, nil
			}
			return in, nil
		}),
		"frexp/0": of(func(m *machine, in Value) (Value, error) {
			n, err := m.numeric(in)
			f, e := math.Frexp(n)
			return m.made(array(f, float64(e))), err
		}),
		"modf/0": of(func(m *machine, in Value) (Value, error) {
			n, err := m.numeric(in)
			whole, f := math.Modf(n)
			if math.IsInf(n, 0) {
				whole, f = n, 0
			}
			return m.made(array(f, whole)), err
		}),
		"lgamma_r/0": of(func(m *machine, in Value) (Value, error) {
			n, err := m.numeric(in)
			g, sign := math.Lgamma(n)
			return m.made(array(g, float64(sign))), err
		}),
		"fma/3": {f: func(m *machine, _ Value, args []Value) (Value, error) {
			x, err1 := m.numeric(args[0])
			y, err2 := m.numeric(args[1])
			z, err3 := m.numeric(args[2])
			for _, err := range []error{err1, err2, err3} {
				if err != nil {
					return nil, err
				}
			}
			return math.FMA(x, y, z), nil
		}},
	}
	for name, f := range unary {
		set[name+"/0"] = of(func(m *machine, in Value) (Value, error) {
			n, err := m.numeric(in)
			if err != nil {
				return nil, err
			}
			return f(n), nil
		})
	}
	for name, f := range dyadic {
		set[name+"/2"] = &native{f: func(m *machine, _ Value, args []Value) (Value, error) {
			x, err := m.numeric(args[0])
			if err != nil {
				return nil, err
			}
			y, err := m.numeric(args[1])
			if err != nil {
				return nil, err
			}
			return f(x, y), nil
		}}
	}
	return set
}()

func (m *machine) numeric(v Value) (float64, error) {
	n, ok := number(v)
	if !ok {
		return 0, fail("%s number required", m.shown(v))
	}
	return n, nil
}

func is(f func(float64) bool) *native {
	return of(func(m *machine, in Value) (Value, error) {
		n, err := m.numeric(in)
		if err != nil {
			return nil, err
		}
		return f(n), nil
	})
}

// unary are the functions of one number.
var unary = map[string]func(float64) float64{
	"floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc, "sqrt": math.Sqrt,
	"fabs": math.Abs, "rint": math.RoundToEven, "nearbyint": math.RoundToEven,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"exp": math.Exp, "exp2": math.Exp2, "exp10": func(n float64) float64 { return math.Pow(10, n) }, "expm1": math.Expm1,
	"log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p, "cbrt": math.Cbrt,
	"j0": math.J0, "j1": math.J1, "y0": math.Y0, "y1": math.Y1,
	"gamma": lgamma, "lgamma": lgamma, "tgamma": math.Gamma,
	"significand": significand, "logb": math.Logb,
	"pow10": func(n float64) float64 { return math.Pow(10, n) },
}

func lgamma(n float64) float64 {
	g, _ := math.Lgamma(n)
	return g
}

func significand(n float64) float64 {
	if n == 0 || math.IsInf(n, 0) || n != n {
		return n
	}
	f, _ := math.Frexp(n)
	return 2 * f
}

// dyadic are the functions of two numbers.
var dyadic = map[string]func(x, y float64) float64{
	"pow": math.Pow, "atan2": math.Atan2, "fmin": fmin, "fmax": fmax, "fmod": math.Mod, "hypot": math.Hypot,
	"copysign": math.Copysign, "drem": math.Remainder, "remainder": math.Remainder, "nextafter": math.Nextafter,
	"nexttoward": math.Nextafter, "fdim": math.Dim,
	"ldexp":   func(x, y float64) float64 { return math.Ldexp(x, int(clampInt(y))) },
	"scalb":   func(x, y float64) float64 { return x * math.Pow(2, y) },
	"scalbln": func(x, y float64) float64 { return math.Ldexp(x, int(clampInt(y))) },
}

func clampInt(n float64) int64 { return max(min(toInt(n), 1<<20), -1<<20) }

func fmin(x, y float64) float64 {
	if x != x || y < x {
		return y
	}
	return x
}

func fmax(x, y float64) float64 {
	if x != x || y > x {
		return y
	}
	return x
}
