package guard

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HiddenKind says how a rune hides.
type HiddenKind string

// Kinds of hidden runes.
const (
	HiddenBidi      HiddenKind = "bidirectional control"
	HiddenZeroWidth HiddenKind = "zero width"
	HiddenTag       HiddenKind = "tag character"
	HiddenVariation HiddenKind = "variation selector"
	HiddenBlank     HiddenKind = "blank"
	HiddenControl   HiddenKind = "control character"
	HiddenInvalid   HiddenKind = "invalid UTF-8"
)

// HiddenRune is a rune that a reader does not see and a model does.
type HiddenRune struct {
	Rune   rune
	Kind   HiddenKind
	Offset int // bytes
	Line   int // 1-based
}

// Hidden returns the runes of text that do not show: bidirectional controls,
// zero-width and blank characters, tags, variation selectors where they vary
// nothing, controls, and bytes that are no UTF-8. What a script or an emoji
// needs is not hidden: joiners between emoji, flags, a byte order mark at the
// beginning.
func Hidden(text string) []HiddenRune {
	var found []HiddenRune
	line, counted := 1, 0
	walk(text, func(h HiddenRune) {
		line += strings.Count(text[counted:h.Offset], "\n")
		counted, h.Line = h.Offset, line
		found = append(found, h)
	}, nil)
	return found
}

// walk splits text into what shows and what hides. Whether a joiner is needed
// is decided by the last rune that was kept, so that the kept text holds
// nothing hidden itself.
func walk(text string, drop func(HiddenRune), keep func(string)) {
	prev := rune(-1)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < utf8.RuneSelf && r >= ' ' && r != 0x7f {
			size = visibleASCII(text[i:])
			r = rune(text[i+size-1])
		} else if n := needed(prev, text[i:]); n > 0 {
			size = n
		} else if kind := hides(r, size, prev, text[i+size:]); kind != "" {
			drop(HiddenRune{Rune: r, Kind: kind, Offset: i})
			i += size
			continue
		}
		if keep != nil {
			keep(text[i : i+size])
		}
		prev = r
		i += size
	}
}

// visibleASCII returns the length of the run of printable ASCII at the start.
func visibleASCII(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7f {
			return i
		}
	}
	return len(text)
}

var flagTags = regexp.MustCompile("^\U000E0067\U000E0062(\U000E0065\U000E006E\U000E0067|\U000E0073\U000E0063\U000E0074|\U000E0077\U000E006C\U000E0073)\U000E007F")

// needed returns the length of an invisible sequence at the start of text
// that belongs to what stands before it, 0 if there is none.
func needed(prev rune, text string) int {
	r, size := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[size:])
	switch {
	case r == 0x1F3F4: // a black flag may carry the three sub-national tag sequences that exist
		return size + len(flagTags.FindString(text[size:]))
	case r == 0x200D && emojiPart(prev) && pictograph(next):
		return size
	case (r == 0x200C || r == 0x200D) && joining(prev) && joining(next):
		return size
	case (r == 0xFE0E || r == 0xFE0F) && varies(prev):
		return size
	case (r >= 0xFE00 && r <= 0xFE02 || r >= 0xE0100 && r <= 0xE01EF) && unicode.Is(unicode.Han, prev):
		return size
	case r == 0xFEFF && prev == -1: // byte order mark
		return size
	case r == '\r' && next == '\n':
		return size
	default:
		return 0
	}
}

// hides returns how r hides, "" if it shows.
func hides(r rune, size int, prev rune, rest string) HiddenKind {
	switch {
	case r == utf8.RuneError && size == 1:
		return HiddenInvalid
	case r == '\n' || r == '\t':
		return ""
	case unicode.IsControl(r) || r == 0x2028 || r == 0x2029:
		return HiddenControl
	case unicode.Is(unicode.Bidi_Control, r):
		return HiddenBidi
	case r >= 0xE0000 && r <= 0xE007F:
		return HiddenTag
	case unicode.Is(unicode.Variation_Selector, r):
		return HiddenVariation
	case blank[r] || unicode.Is(unicode.Noncharacter_Code_Point, r):
		return HiddenBlank
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return HiddenZeroWidth
	default:
		return ""
	}
}

// blank are letters and symbols that draw nothing.
var blank = map[rune]bool{0x115F: true, 0x1160: true, 0x2800: true, 0x3164: true, 0xFFA0: true}

// emojiPart reports what may stand before a joiner inside an emoji.
func emojiPart(r rune) bool {
	return pictograph(r) || r == 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF
}

func pictograph(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x2BFF
}

// varies reports what a text or emoji presentation selector may follow.
func varies(r rune) bool {
	return pictograph(r) || strings.ContainsRune("0123456789#*©®‼⁉™ℹ〰〽㊗㊙", r)
}

var joiningScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

// joining reports a letter or mark of a script whose spelling needs joiners.
func joining(r rune) bool {
	return slices.ContainsFunc(joiningScripts, func(t *unicode.RangeTable) bool { return unicode.Is(t, r) }) && unicode.In(r, unicode.L, unicode.M)
}
