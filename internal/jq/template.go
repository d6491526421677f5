package jq

func (c *compiler) template(x *template) code {
	parts := make([]code, len(x.parts))
	plain := make([]bool, len(x.parts))
	simple := true
	for i, part := range x.parts {
		_, plain[i] = part.(*literal)
		parts[i] = c.compile(part)
		simple = simple && parts[i].one != nil
	}
	format := x.format
	if format == "" {
		format = "text"
	}
	render := func(m *machine, i int, v Value) (string, error) {
		if plain[i] {
			if s, ok := v.(string); ok {
				return s, nil
			}
		}
		s, err := m.format(format, v)
		if err != nil {
			return "", err
		}
		return s.(string), nil
	}
	if simple {
		return making(func(fr *frame, in Value) (Value, error) {
			s := ""
			for i := range parts {
				v, err := parts[i].one(fr, in)
				if err != nil {
					return nil, err
				}
				part, err := render(fr.m, i, v)
				if err != nil {
					return nil, err
				}
				s = fr.m.concat(s, part)
			}
			return s, nil
		})
	}
	return code{gen: func(fr *frame, in Value, out yield) error {
		// The last part changes slowest.
		var from func(i int, tail string) error
		from = func(i int, tail string) error {
			if i < 0 {
				return fr.m.carry(tail, out)
			}
			return parts[i].gen(fr, in, func(v Value) error {
				s, err := render(fr.m, i, v)
				if err != nil {
					return err
				}
				return from(i-1, fr.m.concat(s, tail))
			})
		}
		return from(len(parts)-1, "")
	}}
}
