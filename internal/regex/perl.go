package regex

func (p *parser) parsePerl() (*node, error) { return nil, errPattern }
