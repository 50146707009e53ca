package signal

import (
	"path"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

var (
	marked  = regexp.MustCompile(`\b(TODO|FIXME|HACK|XXX|WORKAROUND|KLUDGE)\b[:(]?\s*(.*)`)
	why     = regexp.MustCompile(`(?i)\b(because|since|until|otherwise|as long as|due to|so that|once|workaround for|breaks?|fails?|bug|races?|does(n't| not)|can('t|not)|wrong)\b`)
	ciPath  = regexp.MustCompile(`(?i)(^|/)(\.github/(workflows|actions)/|\.circleci/|\.gitlab-ci|\.buildkite/|azure-pipelines|Jenkinsfile|\.travis\.yml|\.woodpecker)`)
	ciFix   = regexp.MustCompile(`(?i)^(fix|ci|build|test)(\([^)]*\))?!?:.*\b(fix|repair|broken|fail\w*|flak\w*|red|green|pass|unbreak|timeout|restore)\b|\b(fix|unbreak|repair)\w*\s+(the\s+)?(ci|build|pipeline|workflow|lint|tests?)\b|^fix\(ci\)`)
	fixWork = regexp.MustCompile(`(?i)^(hot)?fix(es|ed)?\b|^\w+(\([^)]*\))?!?:\s*fix|\b(fix(es|ed)?|repair|correct(s|ed)?)\b`)
)

// leavesNote reports an added comment that marks something unfinished and says why.
func leavesNote(hunks []repo.Hunk) bool {
	for _, h := range hunks {
		for i, line := range h.Added {
			m := marked.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			reason := m[2]
			if i+1 < len(h.Added) && comment(h.Added[i+1]) {
				reason += " " + h.Added[i+1]
			}
			if why.MatchString(reason) && len(strings.Fields(reason)) >= 3 {
				return true
			}
		}
	}
	return false
}

func comment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "*") || strings.HasPrefix(line, "--")
}

// fixesCI reports a change that makes checks pass again: a fix that the message
// calls one of the build or the tests, or any fix of a pipeline.
func fixesCI(message, p string) bool {
	subject, _, _ := strings.Cut(message, "\n")
	if ciPath.MatchString(p) || strings.EqualFold(path.Base(p), "Jenkinsfile") {
		return fixWork.MatchString(subject)
	}
	return ciFix.MatchString(subject)
}
