package fuzz_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/limpet-sh/limpet/fuzz"
)

// Two shells are compared with scripts of arrays and loops.
func ExampleCampaign() {
	features, err := fuzz.StandardGrammar().Select("arrays,loops")
	if err != nil {
		log.Fatal(err)
	}
	c := &fuzz.Campaign{
		Trials: []fuzz.Trial{{
			Source: fuzz.Generator{Seed: 1, Features: features}.Scripts(),
			Oracle: &fuzz.Differential{Reference: &fuzz.Sandbox{}, Target: &fuzz.Sandbox{}},
		}},
		Count: 20,
	}
	report, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Scripts, "scripts,", len(report.Findings), "findings")
	// Output: 20 scripts, 0 findings
}

// A minimiser needs only a function that says whether a script still fails.
func ExampleMinimize() {
	script := "x=1\nif true; then\n  echo \"a $(rm needle) b\"\nfi\n"
	small := fuzz.Minimize(script, 500, func(script string) bool {
		return strings.Contains(script, "rm needle")
	})
	fmt.Println(strings.TrimSpace(small))
	// Output: rm needle
}
