package llm

// Budget is a ceiling. Zero fields set no limit.
type Budget struct {
	Tokens int     // prompt and completion together
	USD    float64 // holds only for models with a known price
}
